/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, one line each, for flamegraph.pl and programs that read its format.
 *
 * `folded` is what bcc's `offcputime -f` prints, to the byte: only the comm, unescaped names (even
 * with ';'), "[unknown]" for a frame without a name, the delimiter only if both stacks exist. The
 * exception: control characters are removed, because a newline in a name would split a line, and a
 * terminal would obey the others.
 *
 * `wide` is our own format: it shows the thread and its state, the offset of an unnamed frame, and
 * which frames are the kernel's (suffix _[k], as flamegraph.pl's palettes know it), inlined (_[i]),
 * or interpreted (_[p], which they ignore). Names are cleaned, so that a line always splits at ';'
 * and at its last space.
 *
 * Time on a CPU, together with waits, has a last frame [on-CPU] in `folded`, so that a graph has
 * one tree of both and the tops of its towers differ; in `wide` it is a state.
 */
#include "analysis/cause/cause_memo.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/view/shown.h"
#include "analysis/model/tree.h"
#include "base/mem.h"
#include "profile/state.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/text/stack_rows.h"
#include "base/text/utf8.h"

struct folded {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct labels labels; /* wide only */
	bool wide;
	enum time_view view;
};

/* ';' would begin a frame, and a newline a row. */
static void put_clean(struct sink *out, const char *name)
{
	size_t plain;
	u32 cp;

	for (;;) {
		plain = utf8_plain(name, ";");
		sink__put(out, name, plain);
		name += plain;
		cp = utf8_next(&name);
		if (!cp)
			break;
		if (cp == ';')
			cp = ':';
		utf8_put(out, utf8_harmless(cp));
	}
}

/* The object and its owner, as the last frames. */
static void put_object(const struct folded *f, const struct stack_row *row)
{
	char label[OBJECT_LABEL_SZ];

	if (row->object) {
		sink__puts(f->out, ";[for ");
		put_clean(f->out, object_label(f->p, row->object, label, sizeof(label)));
		sink__puts(f->out, "]");
	}
	if (row->owner) {
		sink__puts(f->out, ";[held by ");
		put_clean(f->out,
			  owner_label(f->p, &f->p->waits[row->owner], label, sizeof(label)));
		sink__puts(f->out, "]");
	}
}

static void put_line(const struct folded *f, const struct profile_frame *frame)
{
	if (!label_has_place(f->p, frame))
		return;
	sink__puts(f->out, " (");
	utf8_put_harmless(f->out, label_basename(profile__str(f->p, frame->file)));
	sink__printf(f->out, ":%u)", frame->line);
}

static void put_frame(const struct folded *f, u32 frame_id)
{
	const struct profile_frame *frame = &f->p->frames[frame_id];

	sink__put(f->out, ";", 1);
	if (!f->wide) {
		utf8_put_harmless(f->out,
				  frame->name ? profile__str(f->p, frame->name) : "[unknown]");
		put_line(f, frame);
		return;
	}
	put_clean(f->out, labels__frame(&f->labels, frame_id));
	if (frame->flags & FRAME_KERNEL)
		sink__puts(f->out, "_[k]");
	else if (f->p->modules[frame->module].kind == MODULE_CODE)
		sink__puts(f->out, "_[p]");
	else if (frame->flags & FRAME_INLINED)
		sink__puts(f->out, "_[i]");
}

static int put_stack(const struct folded *f, u32 leaf)
{
	u32 *nodes;
	int n = stack_from_root(f->p, leaf, &nodes), i;

	if (n < 0)
		return n;
	if (f->wide && f->p->stacks[leaf].flags & STACK_CUT)
		sink__puts(f->out, ";" NOTE_CUT);
	for (i = 0; i < n; i++)
		put_frame(f, f->p->stacks[nodes[i]].frame);
	mem_free(nodes);
	return 0;
}

static void put_head(const struct folded *f, const struct stack_row *row)
{
	const char *comm = profile__str(f->p, row->comm);

	if (row->idle)
		sink__puts(f->out, TREE_IDLE ";");
	if (!f->wide) {
		utf8_put_harmless(f->out, comm);
		return;
	}
	put_clean(f->out, comm);
	sink__printf(f->out, "-%u/%u;", row->tgid, row->tid);
	if (row->stacks.on_cpu)
		sink__puts(f->out, NOTE_ON_CPU);
	else
		sink__printf(f->out, "[state %c]", state_letter(row->state));
}

static int put_row(const struct folded *f, const struct stack_row *row)
{
	const struct wait_stacks *s = &row->stacks;
	u64 value = stack_row_value(row->off_ns, f->opt->unit);
	int r = 0;

	if (!value)
		return 0;
	put_head(f, row);
	if (s->lost)
		sink__printf(f->out, ";%s", s->lost);
	if (s->user_missed)
		sink__puts(f->out, ";" NOTE_MISSED_USER);
	if (s->user)
		r = put_stack(f, s->user);
	if (f->opt->delimiter && s->user && s->kernel)
		sink__puts(f->out, ";-");
	if (s->kernel_missed)
		sink__puts(f->out, ";" NOTE_MISSED_KERNEL);
	if (s->kernel && !r)
		r = put_stack(f, s->kernel);
	if (s->on_cpu && f->view == VIEW_WALL && !f->wide)
		sink__puts(f->out, ";" NOTE_ON_CPU);
	put_object(f, row);
	sink__printf(f->out, " %llu\n", value);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  bool wide, struct err *err)
{
	struct shown_options shown_opt = render_shown(p, opt, VIEW_OFF);
	struct folded f = { .opt = opt, .out = out, .wide = wide, .view = shown_opt.view };
	struct stack_rows rows = { 0 };
	u32 by = (wide ? STACK_ROW_STATE : 0) | (opt->object_frames ? STACK_ROW_OBJECT : 0);
	struct causes causes = { 0 };
	struct shown shown;
	size_t i;
	int r;

	shown_opt.waker_comms = !wide;
	r = shown__init(&shown, p, &shown_opt, NULL);
	f.p = shown.p;
	if (!r && wide)
		r = labels__init(&f.labels, f.p, NULL);
	if (!r && opt->idle_apart)
		r = causes__recall(&causes, f.p, opt->memo, NULL);
	if (!r)
		r = stack_rows__init(&rows, f.p, opt->sides, by, opt->idle_apart ? &causes : NULL,
				     NULL);
	for (i = 0; i < rows.len && !r; i++)
		r = put_row(&f, &rows.rows[i]);
	stack_rows__done(&rows);
	causes__done(&causes);
	labels__done(&f.labels);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

static int render_bcc(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err)
{
	return render(p, opt, out, false, err);
}

static int render_wide_rows(const struct profile *p, const struct render_options *opt,
			    struct sink *out, struct err *err)
{
	return render(p, opt, out, true, err);
}

const struct render_ops render_folded = {
	.name = "folded",
	.endings = ".folded .collapsed",
	.mime = "text/plain; charset=utf-8",
	.bare = true,
	.takes_wakers = true,
	.help = "one line per stack, as bcc's offcputime -f, for flamegraph.pl",
	.render = render_bcc,
};

const struct render_ops render_wide = {
	.name = "wide",
	.endings = ".wide.folded",
	.mime = "text/plain; charset=utf-8",
	.bare = true,
	.takes_wakers = true,
	.help = "folded stacks with thread, state and kernel frames marked _[k], inlined _[i], "
		"interpreted _[p]",
	.render = render_wide_rows,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of bcc's offcputime without -f, to the byte: kernel stack, user stack, each leaf
 * first, then the thread and its microseconds. With `verbose`, frames look like those of
 * libbpf-tools' `offcputime -v`: number, address, name with offset, module with offset; the address
 * of a frame in a file is its offset in that file, since a profile has no load addresses. Unlike in
 * bcc, control characters in names are removed.
 *
 * Time on a CPU, if requested, begins with a line that says so.
 *
 * If sampled, the output differs from bcc's: a first line says so, and sums have their standard
 * error.
 */
#include "analysis/name/label.h"
#include "base/text/units.h"
#include "profile/estimate.h"
#include "render/words/effort_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"
#include "render/text/stack_rows.h"
#include "base/text/utf8.h"

/* Interpreted and inlined functions, and missing root sides, have no address. */
static bool is_placed(const struct profile *p, const struct profile_frame *f)
{
	u32 kind = p->modules[f->module].kind;

	return !(f->flags & (FRAME_TRUNCATED | FRAME_INLINED | FRAME_NOTE)) &&
	       kind != MODULE_CODE && kind != MODULE_NOTE;
}

/* The source line, if requested. */
static void put_line(struct sink *out, const struct profile *p, const struct profile_frame *f)
{
	if (!label_has_place(p, f))
		return;
	sink__puts(out, " (");
	utf8_put_harmless(out, label_basename(profile__str(p, f->file)));
	sink__printf(out, ":%u)", f->line);
}

static void put_name(struct sink *out, const struct profile *p, const struct profile_frame *f)
{
	utf8_put_harmless(out, f->name ? profile__str(p, f->name) : "[unknown]");
}

static void put_verbose(struct sink *out, const struct profile *p, const struct profile_frame *f,
			u32 number)
{
	sink__printf(out, "    #%-2u 0x%016llx ", number, is_placed(p, f) ? f->addr : 0);
	put_name(out, p, f);
	if (f->name && is_placed(p, f))
		sink__printf(out, "+0x%llx", f->name_off);
	else if (f->name && f->flags & FRAME_INLINED)
		sink__puts(out, " (inlined)");
	if (f->module && is_placed(p, f) && p->modules[f->module].kind != MODULE_KERNEL) {
		sink__puts(out, " (");
		utf8_put_harmless(out, profile__str(p, p->modules[f->module].path));
		sink__printf(out, "+0x%llx)", f->addr);
	}
	put_line(out, p, f);
	sink__put(out, "\n", 1);
}

static void put_frame(struct sink *out, const struct profile *p, const struct profile_frame *f,
		      bool offsets)
{
	sink__puts(out, "    ");
	put_name(out, p, f);
	if (f->name && offsets && is_placed(p, f))
		sink__printf(out, "+0x%llx", f->name_off);
	put_line(out, p, f);
	sink__put(out, "\n", 1);
}

/* Numbers go on from the kernel stack to the user stack. */
static void put_stack(struct sink *out, const struct profile *p, const struct render_options *opt,
		      u32 leaf, u32 *number)
{
	for (; leaf; leaf = p->stacks[leaf].parent) {
		const struct profile_frame *f = &p->frames[p->stacks[leaf].frame];

		if (opt->verbose)
			put_verbose(out, p, f, (*number)++);
		else
			put_frame(out, p, f, opt->offsets);
	}
}

/* Unknown in bcc's format: the sum is an estimate. */
static void put_error(struct sink *out, const struct stack_row *row)
{
	char rough[64];

	if (!row->var_us2)
		return;
	if (row->var_us2 == ESTIMATE_VAR_MAX)
		sink__puts(out, " ±?");
	else
		sink__printf(out, " ±%llu", units_ns_to_us(estimate_se_ns(row->var_us2)));
	if (rough_text(row->var_us2, row->samples, rough, sizeof(rough)))
		sink__printf(out, " (%s)", rough);
}

static void put_row(struct sink *out, const struct profile *p, const struct render_options *opt,
		    const struct stack_row *row)
{
	const struct wait_stacks *s = &row->stacks;
	u64 us = units_ns_to_us(row->off_ns);
	u32 number = 0;

	if (!us)
		return;
	if (s->on_cpu)
		sink__puts(out, "    " NOTE_ON_CPU "\n");
	if (s->lost)
		sink__printf(out, "    %s\n", s->lost);
	if (s->kernel_missed)
		sink__puts(out, "    " NOTE_MISSED_KERNEL "\n");
	put_stack(out, p, opt, s->kernel, &number);
	if (opt->delimiter && s->user && s->kernel)
		sink__puts(out, "    --\n");
	if (s->user_missed)
		sink__puts(out, "    " NOTE_MISSED_USER "\n");
	put_stack(out, p, opt, s->user, &number);
	sink__printf(out, "    %-16s ", "-");
	utf8_put_harmless(out, profile__str(p, row->comm));
	sink__printf(out, " (%u)\n        %llu", row->tid, us);
	put_error(out, row);
	sink__puts(out, "\n\n");
}

static void put_effort(struct sink *out, const struct profile *p)
{
	char text[EFFORT_TEXT_SZ];

	effort_seen_text(p, text, sizeof(text));
	sink__puts(out, text);
	effort_cost_text(p, text, sizeof(text));
	sink__printf(out, "; %s\n\n", text);
}

/* Nor selections or merged recordings. */
static void put_scope(struct sink *out, const struct profile *p)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(p, scope, text, sizeof(text)))
			sink__printf(out, "%s\n\n", text);
	}
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_OFF);
	struct stack_rows rows = { 0 };
	struct shown shown;
	size_t i;
	int r;

	r = shown__init(&shown, p, &shown_opt, err);
	if (!r)
		r = stack_rows__init(&rows, shown.p, opt->sides, 0, NULL, err);
	if (!r && opt->header) {
		sink__puts(out, opt->header);
		sink__puts(out, "\n\n");
	}
	if (!r)
		put_scope(out, p);
	if (!r && profile__is_sampled(p))
		put_effort(out, p);
	for (i = 0; i < rows.len && !r; i++)
		put_row(out, shown.p, opt, &rows.rows[i]);
	stack_rows__done(&rows);
	shown__done(&shown);
	return r;
}

const struct render_ops render_txt = {
	.name = "txt",
	.endings = ".txt",
	.mime = "text/plain; charset=utf-8",
	.help = "stacks on several lines, as bcc's offcputime prints them",
	.takes_wakers = true,
	.render = render,
};

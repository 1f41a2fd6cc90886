/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `perf script` prints, for tools that read that: stackcollapse-perf.pl, speedscope and
 * others. Each stack of a thread is two events of the name that perf gives to time off the CPU:
 * where it begins, with the period 0, and where it ends, with its time in ns as the period. The
 * clock is each thread's own, and its stacks follow one another. Readers that add up periods get
 * the sums, and so do those that take an event to last until the next of its thread.
 */
#include "analysis/name/label.h"
#include "analysis/view/shown.h"
#include "base/map64.h"
#include "base/text/utf8.h"
#include "analysis/model/tree.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/text/stack_rows.h"

struct perf_script {
	const struct profile *p;
	struct sink *out;
	struct labels labels;
	struct map64 clocks; /* by thread and name: where its rows end */
};

static const char *module_of(const struct perf_script *s, const struct profile_frame *f)
{
	const char *path = profile__str(s->p, s->p->modules[f->module].path);

	if (f->flags & FRAME_KERNEL)
		return "[kernel.kallsyms]";
	return *path ? path : "[unknown]";
}

static void put_frame(const struct perf_script *s, u32 frame_id)
{
	const struct profile_frame *f = &s->p->frames[frame_id];

	sink__printf(s->out, "\t%16llx ", f->flags & FRAME_TRUNCATED ? 0 : f->addr);
	utf8_put_harmless(s->out, f->name ? labels__frame(&s->labels, frame_id) : "[unknown]");
	sink__puts(s->out, " (");
	utf8_put_harmless(s->out, f->flags & FRAME_INLINED ? "inlined" : module_of(s, f));
	sink__puts(s->out, ")\n");
}

/* Leaf first. */
static void put_stack(const struct perf_script *s, u32 leaf)
{
	for (; leaf; leaf = s->p->stacks[leaf].parent)
		put_frame(s, s->p->stacks[leaf].frame);
}

static void put_note(const struct perf_script *s, const char *note)
{
	sink__printf(s->out, "\t%16x %s ([unknown])\n", 0, note);
}

static void put_event(const struct perf_script *s, const struct stack_row *row, u64 time_ns,
		      u64 period_ns)
{
	const struct wait_stacks *st = &row->stacks;

	utf8_put_harmless(s->out, profile__str(s->p, row->comm));
	sink__printf(s->out, " %u/%u [000] %llu.%09llu: %llu offcpu-time:\n", row->tgid, row->tid,
		     time_ns / NSEC_PER_SEC, time_ns % NSEC_PER_SEC, period_ns);
	put_stack(s, st->kernel);
	if (st->kernel_missed)
		put_note(s, NOTE_MISSED_KERNEL);
	put_stack(s, st->user);
	if (st->user_missed)
		put_note(s, NOTE_MISSED_USER);
	if (st->lost)
		put_note(s, st->lost);
	sink__puts(s->out, "\n");
}

static int put_row(struct perf_script *s, const struct stack_row *row)
{
	u64 thread = (u64)row->comm << 32 | row->tid, time_ns = 0;

	if (!row->off_ns)
		return 0;
	map64__get(&s->clocks, thread, &time_ns);
	put_event(s, row, time_ns, 0);
	time_ns += row->off_ns;
	put_event(s, row, time_ns, row->off_ns);
	return map64__set(&s->clocks, thread, time_ns);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct shown_options shown_opt = render_shown(p, opt, VIEW_OFF);
	struct perf_script s = { .out = out };
	struct stack_rows rows = { 0 };
	struct shown shown;
	size_t i;
	int r;

	map64__init(&s.clocks);
	r = shown__init(&shown, p, &shown_opt, NULL);
	s.p = shown.p;
	if (!r)
		r = labels__init(&s.labels, s.p, NULL);
	if (!r)
		r = stack_rows__init(&rows, s.p, opt->sides, 0, NULL, NULL);
	for (i = 0; i < rows.len && !r; i++)
		r = put_row(&s, &rows.rows[i]);
	map64__done(&s.clocks);
	stack_rows__done(&rows);
	labels__done(&s.labels);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_perf_script = {
	.name = "perf-script",
	.endings = ".perf.txt",
	.mime = "text/plain; charset=utf-8",
	.bare = true,
	.help = "as perf script prints it, for stackcollapse-perf.pl and speedscope",
	.render = render,
};

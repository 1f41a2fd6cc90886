/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bcc's offwaketime adds up by target, waker and their stacks, so rows of the view by waker are
 * added up by just that. wakeuptime needs no waits: wakes have all that it prints.
 */
#include "render/text/wake_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/stack_of_wait.h"
#include "analysis/name/waker_label.h"
#include "analysis/view/shown.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/render_view.h"
#include "render/text/stack_rows.h"

/* The same for both tools; what is before `wait` is the key. */
struct row {
	u32 comm; /* of the target */
	u32 tid; /* likewise; 0: not told apart, like the next two */
	u32 waker; /* its TID */
	u32 user; /* leaf of the target's */
	u32 kernel; /* of the target's and the waker's; or of the waker's alone */
	u32 name; /* of the waker, in `names` */
	u32 wait; /* one of the waits */
	u32 pad;
	u64 ns;
};

struct rows {
	const struct profile *p;
	struct sink *out;
	struct intern rows;
	struct strtab names;
	u32 *order;
};

static int rows__init(struct rows *rs, const struct profile *p, struct sink *out)
{
	int r = intern__init(&rs->rows, sizeof(struct row), offsetof(struct row, wait));

	rs->p = p;
	rs->out = out;
	return r ? r : strtab__init(&rs->names);
}

static void rows__done(struct rows *rs)
{
	intern__done(&rs->rows);
	strtab__done(&rs->names);
	mem_free(rs->order);
}

static int add(struct rows *rs, const struct row *fresh)
{
	u32 id;
	int r = intern__add(&rs->rows, fresh, &id);

	if (!r)
		((struct row *)intern__at(&rs->rows, id))->ns += fresh->ns;
	return r;
}

static int shortest_first(const void *a, const void *b, void *arg)
{
	const struct rows *rs = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_ns = ((const struct row *)intern__at(&rs->rows, x))->ns;
	u64 y_ns = ((const struct row *)intern__at(&rs->rows, y))->ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

typedef int put_row_fn(const struct rows *rs, const struct row *row, const void *opt);

static int put_all(struct rows *rs, put_row_fn *put, const void *opt)
{
	u32 len = intern__len(&rs->rows) - 1, i;
	int r = 0;

	rs->order = mem_array((size_t)len + 1, sizeof(*rs->order));
	if (!rs->order)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		rs->order[i] = i + 1;
	qsort_r(rs->order, len, sizeof(*rs->order), shortest_first, rs);
	for (i = 0; i < len && !r; i++) {
		const struct row *row = intern__at(&rs->rows, rs->order[i]);

		if (units_ns_to_us(row->ns))
			r = put(rs, row, opt);
	}
	return r;
}

static const char *name_of(const struct profile *p, u32 node)
{
	u32 name = p->frames[p->stacks[node].frame].name;

	return name ? profile__str(p, name) : "[unknown]";
}

static void put_line(struct sink *out, const char *text)
{
	sink__puts(out, "    ");
	utf8_put_harmless(out, text);
	sink__puts(out, "\n");
}

static void put_from_leaf(const struct rows *rs, u32 leaf)
{
	for (; leaf; leaf = rs->p->stacks[leaf].parent)
		put_line(rs->out, name_of(rs->p, leaf));
}

static void put_who(struct sink *out, const char *what, const char *name)
{
	sink__printf(out, "    %-16s ", what);
	utf8_put_harmless(out, name);
}

/* Of the waker, root first: from the end of the stack, its name, back to the mark. */
static void put_waker_frames(const struct rows *rs, u32 stack)
{
	for (stack = rs->p->stacks[stack].parent;
	     rs->p->stacks[stack].flags & STACK_WAKER && strcmp(name_of(rs->p, stack), WAKER_MARK);
	     stack = rs->p->stacks[stack].parent)
		put_line(rs->out, name_of(rs->p, stack));
}

static void put_target(const struct rows *rs, const struct row *row, bool delimiter)
{
	const struct wait_stacks s = wait_stacks_of(rs->p, row->wait, 0);
	u32 kernel = stack_of_wait(rs->p, s.kernel);
	u32 user = stack_of_wait(rs->p, s.user);

	if (s.lost)
		put_line(rs->out, s.lost);
	put_from_leaf(rs, kernel);
	if (delimiter && kernel && user)
		put_line(rs->out, "-");
	if (s.user_missed)
		put_line(rs->out, NOTE_MISSED_USER);
	put_from_leaf(rs, user);
	put_who(rs->out, "target:", profile__str(rs->p, row->comm));
	sink__printf(rs->out, " %u\n        %llu\n\n", row->tid, units_ns_to_us(row->ns));
}

static int put_offwake(const struct rows *rs, const struct row *row, const void *opt)
{
	const struct profile_wait *w = &rs->p->waits[row->wait];
	u32 stack = rs->p->stacks[w->kstack].flags & STACK_WAKER ? w->kstack : w->ustack;

	put_who(rs->out, "waker:", stack ? name_of(rs->p, stack) : "");
	sink__printf(rs->out, " %u\n", row->waker);
	if (stack)
		put_waker_frames(rs, stack);
	sink__puts(rs->out, "    --               --\n");
	put_target(rs, row, ((const struct render_options *)opt)->delimiter);
	return 0;
}

static int add_waits(struct rows *rs)
{
	const struct profile *p = rs->p;
	int r = 0;
	u32 i;

	for (i = 1; i < p->waits_len && !r; i++) {
		const struct profile_wait *w = &p->waits[i];
		const struct row fresh = {
			.comm = p->tasks[w->task].comm,
			.tid = p->tasks[w->task].tid,
			.waker = p->wakers[w->waker].tid,
			.user = w->ustack,
			.kernel = w->kstack,
			.wait = i,
			.ns = wait_ns(w),
		};

		r = add(rs, &fresh);
	}
	return r;
}

int offwake_text_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		     struct err *err)
{
	struct shown_options shown_opt = render_shown(p, opt, VIEW_OFF);
	struct rows rs = { 0 };
	struct shown shown;
	int r;

	shown_opt.wakers = WAKERS_ONE;
	shown_opt.waker_comms = true;
	r = shown__init(&shown, p, &shown_opt, NULL);
	if (!r)
		r = rows__init(&rs, shown.p, out);
	if (!r)
		r = add_waits(&rs);
	if (!r)
		r = put_all(&rs, put_offwake, opt);
	rows__done(&rs);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}

static int put_folded(const struct rows *rs, const struct row *row)
{
	u32 *nodes;
	int n = stack_from_root(rs->p, row->kernel, &nodes), i;

	if (n < 0)
		return n;
	utf8_put_harmless(rs->out, strtab__get(&rs->names, row->name));
	for (i = 0; i < n; i++) {
		sink__puts(rs->out, ";");
		utf8_put_harmless(rs->out, name_of(rs->p, nodes[i]));
	}
	sink__puts(rs->out, ";");
	utf8_put_harmless(rs->out, profile__str(rs->p, row->comm));
	sink__printf(rs->out, " %llu\n", units_ns_to_us(row->ns));
	mem_free(nodes);
	return 0;
}

static int put_wakeup(const struct rows *rs, const struct row *row, const void *options)
{
	const struct wakeup_text_options *opt = options;
	u32 node;

	if (opt->folded)
		return put_folded(rs, row);
	put_who(rs->out, "target:", profile__str(rs->p, row->comm));
	sink__puts(rs->out, "\n");
	for (node = row->kernel; node; node = rs->p->stacks[node].parent) {
		const struct profile_frame *f = &rs->p->frames[rs->p->stacks[node].frame];

		sink__printf(rs->out, "    %-16llx ", f->addr);
		utf8_put_harmless(rs->out, name_of(rs->p, node));
		if (opt->offsets && f->name)
			sink__printf(rs->out, "+0x%llx", f->name_off);
		sink__puts(rs->out, "\n");
	}
	put_who(rs->out, "waker:", strtab__get(&rs->names, row->name));
	sink__printf(rs->out, "\n        %llu\n\n", units_ns_to_us(row->ns));
	return 0;
}

static int add_wakes(struct rows *rs)
{
	const struct profile *p = rs->p;
	char name[WAKER_LABEL_SZ];
	int r = 0;
	u32 i;

	for (i = 1; i < p->wakes_len && !r; i++) {
		const struct profile_wake *w = &p->wakes[i];
		struct row fresh = {
			.comm = p->tasks[w->task].comm,
			.kernel = p->wakers[w->waker].kstack,
			.ns = w->ns,
		};

		if (w->doing == DOING_WOKEN)
			continue;
		r = strtab__add(&rs->names, waker_label_comm(p, w->waker, name, sizeof(name)),
				&fresh.name);
		if (!r)
			r = add(rs, &fresh);
	}
	return r;
}

int wakeup_text_put(const struct profile *p, const struct wakeup_text_options *opt,
		    struct sink *out, struct err *err)
{
	struct rows rs = { 0 };
	int r = rows__init(&rs, p, out);

	if (!r)
		r = add_wakes(&rs);
	if (!r)
		r = put_all(&rs, put_wakeup, opt);
	rows__done(&rs);
	return r ? err__nomem(err) : 0;
}

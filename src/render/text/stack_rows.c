/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bcc adds whole microseconds, rounding each wait down; we add nanoseconds and round the sum of a
 * row half up, once. So each row is within half a unit of the truth, and the rows of a file add up
 * to the total within half a unit per row. A row that rounds to zero is not printed, as in bcc.
 */
#include "render/text/stack_rows.h"

#include <errno.h>
#include <limits.h>

#include "analysis/cause/cause.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "profile/estimate.h"

struct row_key {
	u32 tid;
	u32 tgid;
	u32 comm;
	u32 state;
	u32 user;
	u32 kernel;
	u32 notes; /* bits of user_missed, kernel_missed, on_cpu, idle */
	u32 lost; /* the WAIT_LOST or WAIT_NOT_SAMPLED of its waits */
	u32 object;
	u32 owner; /* task */
	u32 owner_tid;
};

struct row {
	struct row_key key;
	u32 wait; /* the first one */
	u64 off_ns;
	u64 samples;
	u64 var_us2;
};

static int add_wait(struct intern *rows, const struct profile *p, u32 wait, u32 sides, u32 by,
		    const struct causes *apart)
{
	const struct profile_wait *w = &p->waits[wait];
	const struct profile_task *t = &p->tasks[w->task];
	struct wait_stacks s = wait_stacks_of(p, wait, sides);
	bool idle = apart && causes__class(apart, wait) == CLASS_IDLE;
	struct row fresh = {
		.key = {
			.tid = t->tid,
			.tgid = t->tgid,
			.comm = t->comm,
			.state = by & STACK_ROW_STATE ? w->state : 0,
			.user = s.user,
			.kernel = s.kernel,
			.notes = s.user_missed | s.kernel_missed << 1 | s.on_cpu << 2 | idle << 3,
			.lost = w->flags & (WAIT_LOST | WAIT_NOT_SAMPLED),
			.object = by & STACK_ROW_OBJECT ? w->object : 0,
			.owner = by & STACK_ROW_OBJECT ? w->owner : 0,
			.owner_tid = by & STACK_ROW_OBJECT ? w->owner_tid : 0,
		},
		.wait = wait,
	};
	struct row *row;
	u32 id;
	int r = intern__add(rows, &fresh, &id);

	if (r)
		return r;
	row = intern__at(rows, id);
	row->off_ns += wait_ns(w);
	row->samples += w->samples;
	row->var_us2 = estimate_add_var(row->var_us2, w->var_us2);
	return 0;
}

static int shortest_first(const void *a, const void *b, void *arg)
{
	const struct intern *rows = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_ns = ((const struct row *)intern__at(rows, x))->off_ns;
	u64 y_ns = ((const struct row *)intern__at(rows, y))->off_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int sort_rows(struct stack_rows *sr, struct intern *rows)
{
	u32 len = intern__len(rows) - 1, i;
	u32 *ids = mem_array(len + 1, sizeof(*ids));

	sr->rows = mem_array(len + 1, sizeof(*sr->rows));
	if (!ids || !sr->rows) {
		mem_free(ids);
		return -ENOMEM;
	}
	for (i = 0; i < len; i++)
		ids[i] = i + 1;
	qsort_r(ids, len, sizeof(*ids), shortest_first, rows);
	for (i = 0; i < len; i++) {
		const struct row *from = intern__at(rows, ids[i]);

		sr->rows[i] = (struct stack_row){
			.tid = from->key.tid,
			.tgid = from->key.tgid,
			.comm = from->key.comm,
			.state = from->key.state,
			.object = from->key.object,
			.owner = from->key.owner_tid ? from->wait : 0,
			.idle = from->key.notes & 8,
			.stacks = {
				.user = from->key.user,
				.kernel = from->key.kernel,
				.user_missed = from->key.notes & 1,
				.kernel_missed = from->key.notes & 2,
				.on_cpu = from->key.notes & 4,
				.lost = wait_lost_note(from->key.lost),
			},
			.off_ns = from->off_ns,
			.samples = from->samples,
			.var_us2 = from->var_us2,
		};
	}
	sr->len = len;
	mem_free(ids);
	return 0;
}

int stack_rows__init(struct stack_rows *sr, const struct profile *p, u32 sides, u32 by,
		     const struct causes *apart, struct err *err)
{
	struct intern rows;
	u32 i;
	int r;

	memset(sr, 0, sizeof(*sr));
	r = intern__init(&rows, sizeof(struct row), sizeof(struct row_key));
	for (i = 1; i < p->waits_len && !r; i++)
		r = add_wait(&rows, p, i, sides, by, apart);
	if (!r)
		r = sort_rows(sr, &rows);
	intern__done(&rows);
	return r ? err__nomem(err) : 0;
}

void stack_rows__done(struct stack_rows *sr)
{
	if (!sr)
		return;
	mem_free(sr->rows);
	memset(sr, 0, sizeof(*sr));
}

int stack_from_root(const struct profile *p, u32 leaf, u32 **ret_nodes)
{
	u32 n = p->stacks[leaf].depth, at, i;
	u32 *nodes = n < INT_MAX ? mem_array((size_t)n + 1, sizeof(*nodes)) : NULL;

	if (!nodes)
		return -ENOMEM;
	for (at = leaf, i = n; at && i; at = p->stacks[at].parent)
		nodes[--i] = at;
	*ret_nodes = nodes;
	return (int)n;
}

u64 stack_row_value(u64 ns, enum render_unit unit)
{
	return unit == RENDER_UNIT_NS ? ns : units_ns_to_us(ns);
}

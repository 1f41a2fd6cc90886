/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments in the order of threads: then each begins shortly after the one before, which takes few
 * bytes, and the page finds those of a thread without sorting. What is between two follows from
 * the lane of the thread, by the same rule as in all formats (timeline.h).
 */
#include "render/page/page_moments.h"

#include <errno.h>

#include "analysis/model/timeline.h"
#include "analysis/name/waker_label.h"
#include "base/mem.h"
#include "render/page/page_rows_priv.h"

struct page_moments page_moments_of(const struct profile *p)
{
	struct page_moments m = {
		.are_kept = p->hdr.max_moments,
		.len = p->moments_len,
		.all = p->moments_len,
	};

	if (m.len > PAGE_MOMENTS_MAX) {
		m.len = PAGE_MOMENTS_MAX;
		m.until_ns = p->moments[m.len - 1].end_ns;
	}
	return m;
}

static void put_lanes(struct page_builder *b, const struct timeline_bounds *bounds)
{
	u32 i;

	for (i = 1; i < b->p->tasks_len; i++) {
		page_rows__put(b, COL_LANE_BEGIN, bounds[i].begin_ns);
		page_rows__put(b, COL_LANE_END, bounds[i].end_ns);
		page_rows__put(b, COL_LANE_ALL, bounds[i].is_all);
		page_rows__put(b, COL_LANE_WHOLE, bounds[i].is_whole);
	}
}

static void put_wakers(struct page_builder *b)
{
	char label[WAKER_LABEL_SZ];
	u32 i;

	for (i = 1; i < b->p->wakers_len; i++) {
		page_rows__put_id(b, COL_WAKER_TASK, b->rows->tasks, b->p->wakers[i].task);
		page_rows__put_text(b, COL_WAKER_LABEL, waker_label(b->p, i, label, sizeof(label)));
		page_rows__put_text(b, COL_WAKER_SHARED,
				    waker_label_shared(b->p, i, label, sizeof(label)));
		page_rows__put(b, COL_WAKER_CONTEXT, b->p->wakers[i].context);
		page_rows__put(b, COL_WAKER_FLAGS, b->p->wakers[i].flags);
	}
}

static void put_moment(struct page_builder *b, const struct profile_moment *m)
{
	page_rows__put_id(b, COL_MOMENT_WAIT, b->rows->waits, m->wait);
	page_rows__put(b, COL_MOMENT_BEGIN, moment_begin_ns(m));
	page_rows__put(b, COL_MOMENT_BLOCKED, m->blocked_ns);
	page_rows__put(b, COL_MOMENT_RUNQ, m->runq_ns);
	page_rows__put(b, COL_MOMENT_WAKER, m->waker);
}

static u32 task_of(const struct profile *p, u32 moment)
{
	return p->waits[p->moments[moment].wait].task;
}

/* By thread, and of each in the order of time. `next`: by task, of tasks_len + 1. */
static void order(const struct profile *p, u32 len, u32 *next, u32 *ordered)
{
	u32 i;

	for (i = 0; i < len; i++)
		next[task_of(p, i) + 1]++;
	for (i = 1; i <= p->tasks_len; i++)
		next[i] += next[i - 1];
	for (i = 0; i < len; i++)
		ordered[next[task_of(p, i)]++] = i;
}

void page_rows__put_moments(struct page_builder *b)
{
	const struct profile *p = b->p;
	struct page_moments m = page_moments_of(p);
	struct timeline_bounds *bounds = mem_array(p->tasks_len, sizeof(*bounds));
	u32 *next = mem_array((size_t)p->tasks_len + 1, sizeof(*next));
	u32 *ordered = mem_array((size_t)m.len + 1, sizeof(*ordered)), i;

	if (!bounds || !next || !ordered || (m.are_kept && timeline_bounds(p, bounds)))
		b->rows->error = -ENOMEM;
	if (m.are_kept && !b->rows->error) {
		order(p, m.len, next, ordered);
		put_lanes(b, bounds);
		put_wakers(b);
		for (i = 0; i < m.len; i++)
			put_moment(b, &p->moments[ordered[i]]);
		b->rows->moments = m;
	}
	mem_free(bounds);
	mem_free(next);
	mem_free(ordered);
}

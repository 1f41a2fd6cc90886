/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without moments nobody knows what a thread did while another one waited for it, so no time can
 * move along a chain of waits. What sums do know is who ended each wait: these edges are exact,
 * and each has all of its waits.
 */
#include "analysis/path/wait_graph_priv.h"
#include "analysis/view/waker_rows.h"

static int node_of_waker(struct graph_making *m, const struct waker_rows *rows, u32 row, u32 *ret)
{
	const struct profile_wait *w = &rows->rows[row];
	enum path_kind kind = path_end(m->lanes, m->lanes->of_task[w->task], w, w->waker);

	if (kind == PATH_KINDS_CNT)
		return wait_graph_node_of_task(m, m->p->wakers[w->waker].task, ret);
	return wait_graph_node_of_end(m,
				      &(struct graph_end){ kind, rows->wait_of_row[row], w->waker },
				      ret);
}

static int add_row(struct graph_making *m, const struct waker_rows *rows, u32 row)
{
	const struct profile_wait *w = &rows->rows[row];
	struct graph_addend add = {
		.wait = rows->wait_of_row[row],
		.ns = w->blocked_ns,
		.full_ns = w->blocked_ns,
	};
	int r;

	if (!w->blocked_ns)
		return 0;
	r = wait_graph_node_of_task(m, w->task, &add.from);
	if (!r)
		r = node_of_waker(m, rows, row, &add.to);
	if (r)
		return r;
	wait_graph_add_waited(m, add.from, add.ns);
	return wait_graph_add_edge(m, &add);
}

int wait_graph_add_direct(struct graph_making *m)
{
	struct waker_rows rows;
	u32 i;
	int r = waker_rows__init(&rows, m->p, NULL);

	for (i = 1; i < rows.rows_len && !r; i++)
		r = add_row(m, &rows, i);
	waker_rows__done(&rows);
	return r;
}

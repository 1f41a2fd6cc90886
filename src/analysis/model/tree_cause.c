/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One backward loop over the whole tree per cause, so that memory does not grow with nodes times
 * causes; most profiles have a dozen causes.
 */
#include "analysis/model/tree_cause.h"

#include <errno.h>

#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

/* Preorder: children come after their parents. */
static void add_up(const u32 *parents, u32 len, u64 *ns)
{
	u32 i;

	for (i = len; i-- > 1;)
		ns[parents[i]] += ns[i];
}

static void take_greater(const struct tree *t, const u64 *ns, u32 cause, struct tree_cause *best)
{
	u32 i;

	for (i = 0; i < t->len; i++) {
		if (cause == CAUSE_SHOWN_IDLE)
			best[i].idle_ns = ns[i];
		if (ns[i] <= best[i].ns)
			continue;
		best[i].cause = cause;
		best[i].ns = ns[i];
	}
}

/* `parents` are the parents of the nodes, stored densely: they are read once per cause. */
static void build(const struct profile *p, const struct tree *t, const struct causes *causes,
		  u32 *parents, u64 *ns, struct tree_causes *ret)
{
	struct tree_cause *best = ret->of_node;
	bool present[CAUSE_SHOWN_CNT] = { false };
	u32 cause, i;

	for (i = 0; i < t->len; i++) {
		best[i].cause = CAUSE_CNT;
		parents[i] = t->nodes[i].parent;
	}
	for (i = 1; i < p->waits_len; i++)
		present[causes__shown(causes, i)] = true;
	for (cause = 0; cause < CAUSE_SHOWN_CNT; cause++) {
		if (!present[cause])
			continue;
		memset(ns, 0, t->len * sizeof(*ns));
		for (i = 1; i < p->waits_len; i++) {
			if (causes__shown(causes, i) == cause)
				ns[t->of_wait[i]] += wait_ns(&p->waits[i]);
		}
		add_up(parents, t->len, ns);
		ret->ns[cause] = ns[0];
		take_greater(t, ns, cause, best);
	}
}

bool tree_cause__is_clear(const struct tree_cause *c, const struct tree_node *n)
{
	return c->cause != CAUSE_CNT && c->ns >= n->total_ns - n->total_ns / 3;
}

int tree_causes__build(const struct profile *p, const struct tree *t, struct arena *a,
		       struct cause_memo *memo, struct tree_causes *ret_causes, struct err *err)
{
	u64 *ns = mem_array(t->len, sizeof(*ns));
	u32 *parents = mem_array(t->len, sizeof(*parents));
	struct causes causes;
	int r = causes__recall(&causes, p, memo, NULL);

	memset(ret_causes, 0, sizeof(*ret_causes));
	ret_causes->of_node = arena__array(a, t->len, sizeof(*ret_causes->of_node));
	if (!ns || !parents || !ret_causes->of_node)
		r = -ENOMEM;
	if (!r)
		build(p, t, &causes, parents, ns, ret_causes);
	causes__done(&causes);
	mem_free(parents);
	mem_free(ns);
	return r ? err__nomem(err) : 0;
}

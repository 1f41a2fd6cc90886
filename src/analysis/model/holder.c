/* SPDX-License-Identifier: Apache-2.0 */
/* One pass finds the owners, and one adds up what these threads did. */
#include "analysis/model/holder.h"

#include <errno.h>
#include <string.h>

#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

int holders__init(struct holders *h, const struct profile *p, const struct causes *causes)
{
	u32 len = 0, i;

	memset(h, 0, sizeof(*h));
	h->p = p;
	h->place = mem_array(p->tasks_len, sizeof(*h->place));
	if (!h->place)
		return -ENOMEM;
	for (i = 1; i < p->waits_len; i++) {
		u32 owner = p->waits[i].owner;

		if (owner && !h->place[owner])
			h->place[owner] = ++len;
	}
	h->by_cause_ns = mem_array(((size_t)len + 1) * CAUSE_CNT, sizeof(*h->by_cause_ns));
	if (!h->by_cause_ns)
		return -ENOMEM;
	for (i = 1; i < p->waits_len; i++) {
		u32 place = h->place[p->waits[i].task];

		if (place)
			h->by_cause_ns[(size_t)place * CAUSE_CNT + causes__of(causes, i)] +=
				wait_ns(&p->waits[i]);
	}
	return 0;
}

void holders__done(struct holders *h)
{
	mem_free(h->place);
	mem_free(h->by_cause_ns);
	memset(h, 0, sizeof(*h));
}

struct holder holders__of(const struct holders *h, u32 task)
{
	const struct profile_task *t = &h->p->tasks[task];
	const u64 *by_cause_ns = &h->by_cause_ns[(size_t)h->place[task] * CAUSE_CNT];
	struct holder holder = { .wall_ns = t->wall_ns, .on_ns = t->on_ns };
	u32 i;

	for (i = 0; i < CAUSE_CNT; i++) {
		if (by_cause_ns[i] <= holder.cause_ns)
			continue;
		holder.cause_ns = by_cause_ns[i];
		holder.cause = (enum cause)i;
	}
	return holder;
}

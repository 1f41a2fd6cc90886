/* SPDX-License-Identifier: Apache-2.0 */
/* Chosen once, so that terminal, JSON and page agree. */
#include "analysis/model/hints.h"

#include "analysis/model/summary.h"

static struct hint of_row(const struct top_row *row)
{
	const enum cause cause = (enum cause)row->cause;

	return (struct hint){ cause, cause_name(cause), top_row__hint(row), row->blocked_ns,
			      row->runq_ns };
}

/* Threads woken by work that then waited for a CPU: the same hint as for preemption. */
static struct hint of_woken(const struct top_row *woken)
{
	return (struct hint){ CAUSE_PREEMPTED, "woken for work", cause_hint(CAUSE_PREEMPTED), 0,
			      woken->runq_ns };
}

/* Hundreds of threads may wait for work while the user looks for the one that does not. */
#define WORTH 1000

static bool is_idle(const struct top *kinds)
{
	u64 all_ns = 0;
	u32 i;

	for (i = 0; i < kinds->len; i++)
		all_ns += top_row__ns(&kinds->rows[i]);
	return summary_busy_ns(kinds) < all_ns / WORTH;
}

void hints__choose(const struct top *kinds, struct hints *ret)
{
	u64 least_ns = summary_busy_ns(kinds) / HINTS_MAX, ns;
	cause_set told = 0;
	struct top_row woken = summary_woken(kinds);
	struct hint hint;
	u32 i = 0, len = kinds->len - kinds->idle;

	ret->len = 0;
	if (is_idle(kinds))
		return;
	while (ret->len < HINTS_MAX && (i < len || woken.runq_ns)) {
		if (summary_woken_is_next(kinds, i, &woken)) {
			hint = of_woken(&woken);
			woken.runq_ns = 0;
		} else {
			hint = of_row(&kinds->rows[i++]);
		}
		ns = hint.blocked_ns + hint.runq_ns;
		if (!*hint.text || told >> hint.cause & 1 || ns < least_ns)
			continue;
		told |= CAUSE_SET(hint.cause);
		ret->list[ret->len++] = hint;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Chosen once, so that terminal, JSON and page agree. */
#include "analysis/model/hints.h"

#include <string.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/cause/rule.h"
#include "analysis/model/summary.h"
#include "analysis/view/wait_stacks.h"

/* What to look at in the database whose rule it was. */
static const struct {
	const char *rules; /* prefix of their names */
	const char *text;
} database_hints[] = {
	{ "postgres/", "another session holds it: see pg_locks and pg_blocking_pids()" },
	{ "mysql/", "another session holds it: see SHOW ENGINE INNODB STATUS" },
};

/* By the rule of the cause's longest sum; `other` if that is no database's rule. */
static const char *of_database(const struct profile *p, const struct causes *causes,
			       const char *other)
{
	const struct rule *rule;
	u32 most = 0, i;

	for (i = 1; i < p->waits_len; i++) {
		if (causes__of(causes, i) == CAUSE_DB_LOCK &&
		    (!most || wait_ns(&p->waits[i]) > wait_ns(&p->waits[most])))
			most = i;
	}
	rule = most ? causes__kind_rule(causes, most) : NULL;
	for (i = 0; rule && i < ARRAY_LEN(database_hints); i++) {
		if (strncmp(rule->name, database_hints[i].rules, strlen(database_hints[i].rules)) ==
		    0)
			return database_hints[i].text;
	}
	return other;
}

/* The child that a wait is for; where that is not known, any process but the waiting one. */
static bool child_is_recorded(const struct profile *p, const struct profile_wait *w)
{
	u32 child = p->objects[w->object].kind == OBJECT_CHILD ? p->objects[w->object].number : 0;
	u32 i;

	for (i = 1; i < p->tasks_len; i++) {
		if (child ? p->tasks[i].tgid == child : p->tasks[i].tgid != p->tasks[w->task].tgid)
			return true;
	}
	return false;
}

/* If the children are recorded already, the advice to record them is left out. */
static const char *of_children(const struct profile *p, const struct causes *causes,
			       const char *text)
{
	u64 there_ns = 0, missing_ns = 0;
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		if (causes__of(causes, i) != CAUSE_CHILD)
			continue;
		if (child_is_recorded(p, &p->waits[i]))
			there_ns += wait_ns(&p->waits[i]);
		else
			missing_ns += wait_ns(&p->waits[i]);
	}
	return missing_ns > there_ns ? text : "";
}

/* Runtimes such as CPython have locks without owners: who released one says as much. */
static const char *of_lock(const struct profile *p, const struct causes *causes, const char *text)
{
	u64 owned_ns = 0, other_ns = 0;
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		if (causes__of(causes, i) != CAUSE_LOCK)
			continue;
		if (p->waits[i].owner_tid)
			owned_ns += wait_ns(&p->waits[i]);
		else
			other_ns += wait_ns(&p->waits[i]);
	}
	if (owned_ns >= other_ns || p->hdr.source || profile_header__is_of_tasks(&p->hdr))
		return text;
	return p->hdr.wakers ?
		       "the owner is not known: --by waker shows who released it" :
		       "the owner is not known: record with --wakers to see who releases it";
}

static struct hint of_row(const struct top_row *row, const struct profile *p,
			  const struct causes *causes)
{
	const enum cause cause = (enum cause)row->cause;
	const char *text = top_row__hint(row);

	if (*text && cause == CAUSE_DB_LOCK)
		text = of_database(p, causes, text);
	if (*text && cause == CAUSE_LOCK)
		text = of_lock(p, causes, text);
	if (*text && cause == CAUSE_CHILD)
		text = of_children(p, causes, text);
	return (struct hint){ cause, cause_name(cause), text, row->blocked_ns, row->runq_ns };
}

/* Threads woken by work that then waited for a CPU: the same hint as for preemption. */
static struct hint of_woken(const struct top_row *woken, const struct profile *p)
{
	const char *text = profile_header__is_of_tasks(&p->hdr) ? cause_task_hint(CAUSE_PREEMPTED) :
								  cause_hint(CAUSE_PREEMPTED);

	return (struct hint){ CAUSE_PREEMPTED, "woken for work", text, 0, woken->runq_ns };
}

/* Hundreds of threads may wait for work while the user looks for the one that does not. */
#define WORTH 1000

/* What a hint may be about: threads woken for work wait for a CPU, although that time is idle. */
static u64 lost_ns(const struct top *kinds)
{
	return summary_busy_ns(kinds) + summary_woken(kinds).runq_ns;
}

static bool is_idle(const struct top *kinds)
{
	u64 all_ns = 0;
	u32 i;

	for (i = 0; i < kinds->len; i++)
		all_ns += top_row__ns(&kinds->rows[i]);
	return lost_ns(kinds) < all_ns / WORTH;
}

static void choose(const struct profile *p, const struct causes *causes, const struct top *kinds,
		   struct hints *ret)
{
	u64 least_ns = lost_ns(kinds) / HINTS_MAX, ns;
	cause_set told = 0;
	struct top_row woken = summary_woken(kinds);
	struct hint hint;
	u32 i = 0, len = kinds->len - kinds->idle;

	while (ret->len < HINTS_MAX && (i < len || woken.runq_ns)) {
		if (summary_woken_is_next(kinds, i, &woken)) {
			hint = of_woken(&woken, p);
			woken.runq_ns = 0;
		} else {
			hint = of_row(&kinds->rows[i++], p, causes);
		}
		ns = hint.blocked_ns + hint.runq_ns;
		if (!*hint.text || told >> hint.cause & 1 || ns < least_ns)
			continue;
		told |= CAUSE_SET(hint.cause);
		ret->list[ret->len++] = hint;
	}
}

int hints__choose(const struct profile *p, struct cause_memo *memo, const struct top *kinds,
		  struct hints *ret)
{
	struct causes causes;
	int r;

	ret->len = 0;
	if (is_idle(kinds))
		return 0;
	r = causes__recall(&causes, p, memo, NULL);
	if (!r)
		choose(p, &causes, kinds, ret);
	causes__done(&causes);
	return r;
}

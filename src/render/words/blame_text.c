/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sentence for the blame of a set of waits. Its parts are ordered by time, and a part without a
 * name goes on with the thread of the part before it.
 */
#include "render/words/blame_text.h"

#include <string.h>

#include "base/text/units.h"

#define SMALL_PERCENT 5

static bool is_small(u64 ns, u64 whole_ns)
{
	return (unsigned __int128)ns * 100 < (unsigned __int128)whole_ns * SMALL_PERCENT;
}

static void put_blocked(const struct blame_part *part, struct sink *out)
{
	if (part->class == CLASS_NONE) {
		sink__puts(out, "blocked");
		return;
	}
	sink__printf(out, "in %s", cause_name((enum cause)part->cause));
	if (*part->object)
		sink__printf(out, " for %s", part->object);
	if (*part->place)
		sink__printf(out, " at %s", part->place);
	if (part->class == CLASS_IDLE)
		sink__puts(out, " (waiting for work)");
}

void blame_put_doing(const struct blame_part *part, struct sink *out)
{
	static const char *const words[BLAME_KINDS] = {
		[BLAME_RUNQ] = "waiting for a CPU",
		[BLAME_UNBORN] = "not started yet",
		[BLAME_UNKNOWN] = "doing something unknown",
		[BLAME_WOKEN] = "woken, waiting for a CPU",
		[BLAME_PREEMPTED] = "preempted",
		[BLAME_NEW] = "new, waiting for a CPU",
		[BLAME_OPEN] = "still waiting at the end",
		[BLAME_UNSEEN] = "waker unknown",
	};

	if (part->kind == BLAME_BLOCKED)
		put_blocked(part, out);
	else if (part->kind == BLAME_RUNNING)
		sink__printf(out, "running%s%s",
			     !*part->place ? "" :
			     part->sampled ? " " :
					     ", last in ",
			     part->place);
	else if (words[part->kind])
		sink__puts(out, words[part->kind]);
}

void blame_put_who(const struct blame_part *part, struct sink *out)
{
	u32 i;

	sink__puts(out, part->kind < BLAME_WOKEN ? part->who[0] : "nobody");
	for (i = 1; i < BLAME_LINKS && *part->who[i]; i++)
		sink__printf(out, " waiting for %s", part->who[i]);
}

/* Threads with one name are one subject, however many a part has: "worker (3 threads)". */
static bool is_same_name(const char *a, const char *b)
{
	const char *a_cnt = strrchr(a, '('), *b_cnt = strrchr(b, '(');

	if (a_cnt && b_cnt)
		return a_cnt - a == b_cnt - b && strncmp(a, b, (size_t)(a_cnt - a)) == 0;
	return strcmp(a, b) == 0;
}

static bool has_same_who(const struct blame_part *a, const struct blame_part *b)
{
	u32 i;

	for (i = 0; i < BLAME_LINKS; i++) {
		if (!is_same_name(a->who[i], b->who[i]))
			return false;
	}
	return true;
}

bool blame_says_something(const struct blame *blame)
{
	return blame->by_waker_ns && !is_small(blame->by_waker_ns, blame->ns);
}

static void put_part(const struct blame_part *part, const struct blame_part **last,
		     struct sink *out)
{
	if (part->kind < BLAME_WOKEN && (!*last || !has_same_who(*last, part))) {
		sink__puts(out, " ");
		blame_put_who(part, out);
	}
	if (part->kind != BLAME_INTERRUPT)
		sink__puts(out, " ");
	blame_put_doing(part, out);
	*last = part->kind < BLAME_WOKEN ? part : NULL;
}

void blame_put_text(const struct blame *blame, struct sink *out)
{
	const struct blame_part *last = NULL;
	u64 other_ns = blame->ns;
	u32 i;

	for (i = 0; i < blame->len && !is_small(blame->parts[i].ns, blame->ns); i++) {
		const struct blame_part *part = &blame->parts[i];

		sink__printf(out, "%s%llu%%%s", i ? ", " : "", units_percent(part->ns, blame->ns),
			     i ? "" : " of it");
		put_part(part, &last, out);
		other_ns -= part->ns;
	}
	if (i && units_percent(other_ns, blame->ns))
		sink__printf(out, ", %llu%% other", units_percent(other_ns, blame->ns));
	else if (!i)
		sink__puts(out, "many small parts, each below 5%");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/name/label.h"
#include "analysis/name/pattern.h"
#include "analysis/view/wait_stacks.h"
#include "base/clock.h"
#include "base/text/units.h"

int watch_rule__check(const struct watch_rule *rule, struct err *err)
{
	u32 limits = (rule->share_ppm > 0) + (rule->rate_ns > 0) + (rule->longest_ns > 0);

	if (!*rule->name)
		return err__set(err, -EINVAL, "a [[watch]] needs a name");
	if (limits != 1)
		return err__set(err, -EINVAL, "watch '%s' needs one limit: share, rate or longest",
				rule->name);
	if (*rule->cause && cause_find(rule->cause) == CAUSE_CNT)
		return err__set(err, -EINVAL,
				"watch '%s': there is no cause '%s'; docs/rules.md lists them",
				rule->name, rule->cause);
	return 0;
}

const char *watch_rule__measure(const struct watch_rule *rule, u64 *ret_limit)
{
	*ret_limit = rule->share_ppm ? rule->share_ppm :
		     rule->rate_ns   ? rule->rate_ns :
				       rule->longest_ns;
	return rule->share_ppm ? "share" : rule->rate_ns ? "rate" : "longest";
}

void watch_rule__format(const struct watch_rule *rule, u64 value, char *buf, size_t sz)
{
	char time[32];

	units_format_ns(value, time, sizeof(time));
	if (rule->share_ppm)
		snprintf(buf, sz, "%g %%", (double)value / 10000);
	else
		snprintf(buf, sz, "%s%s", time, rule->rate_ns ? " per second" : "");
}

static bool fits(const char *glob, const char *name)
{
	return !*glob || pattern_fits(glob, strlen(glob), name, strlen(name));
}

static bool has_task(const struct watch_rule *rule, const struct profile *p,
		     const struct profile_task *t)
{
	const char *path = profile__str(p, t->cgroup);

	return fits(rule->process, profile__str(p, t->group_comm)) &&
	       (fits(rule->cgroup, path) || fits(rule->cgroup, label_basename(path)));
}

u64 watch_rule__value(const struct watch_rule *rule, const struct profile *p,
		      const struct causes *causes)
{
	u64 wall_ns = 0, waited_ns = 0, longest_ns = 0;

	for (u32 i = 1; i < p->tasks_len; i++)
		wall_ns += has_task(rule, p, &p->tasks[i]) ? p->tasks[i].wall_ns : 0;
	for (u32 i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		bool idle = causes__class(causes, i) == CLASS_IDLE;

		if ((*rule->cause && strcmp(rule->cause, cause_name(causes__of(causes, i)))) ||
		    !has_task(rule, p, &p->tasks[w->task]))
			continue;
		waited_ns += idle ? w->runq_ns : wait_ns(w);
		if (!idle && w->max_ns > longest_ns)
			longest_ns = w->max_ns;
	}
	if (rule->share_ppm)
		return units_part(1000000, waited_ns, wall_ns);
	if (rule->rate_ns)
		return units_part(waited_ns, NSEC_PER_SEC, p->hdr.window_ns);
	return longest_ns;
}

enum watch_change watch_state__take(struct watch_state *st, bool over, u64 windows)
{
	if (over == st->on) {
		st->row = 0;
		return WATCH_SAME;
	}
	st->row++;
	if (st->row < windows)
		return WATCH_SAME;
	st->on = over;
	st->row = 0;
	return over ? WATCH_BEGAN : WATCH_ENDED;
}

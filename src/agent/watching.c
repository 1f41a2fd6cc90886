/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/watching.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static void put_sentence(const struct watch_rule *rule, bool begins, u64 value, char *buf,
			 size_t sz)
{
	char now[48], limit[48];
	u64 limit_value;
	const char *measure = watch_rule__measure(rule, &limit_value);

	watch_rule__format(rule, value, now, sizeof(now));
	watch_rule__format(rule, limit_value, limit, sizeof(limit));
	snprintf(buf, sz, "watch '%s' %s: %s %s, limit %s", rule->name, begins ? "began" : "ended",
		 measure, now, limit);
}

static void run(struct watching *w, const struct agent_settings *s, const struct watch_rule *rule,
		const struct profile *p, const struct alert_facts *about)
{
	struct alert_facts facts = *about;
	struct err err = { 0 };
	char begin[40], text[640];

	clock_format_wall(p->hdr.begin_wall_ns, begin, sizeof(begin));
	facts.rule = rule;
	facts.begin = begin;
	facts.host = profile__str(p, p->hdr.host);
	facts.store = s->store;
	if (!*rule->run || !alerts__start(&w->alerts, &facts, &err))
		return;
	snprintf(text, sizeof(text), "watch '%s': %s", rule->name, err.msg);
	w->say(w->say_arg, AGENT_ERROR, text);
}

static void look(struct watching *w, const struct agent_settings *s, u32 idx,
		 const struct profile *p, const struct causes *causes)
{
	const struct watch_rule *rule = &s->watches[idx];
	u64 value = watch_rule__value(rule, p, causes), limit;
	struct alert_facts facts = { .value = value };
	enum watch_change change;
	char text[256];

	watch_rule__measure(rule, &limit);
	change = watch_state__take(&w->states[idx], value > limit, rule->windows);
	if (change == WATCH_SAME)
		return;
	facts.begins = change == WATCH_BEGAN;
	facts.sentence = text;
	put_sentence(rule, facts.begins, value, text, sizeof(text));
	w->say(w->say_arg, facts.begins ? AGENT_WARNING : AGENT_INFO, text);
	run(w, s, rule, p, &facts);
}

void watching__take(struct watching *w, const struct agent_settings *s, const struct ruleset *rules,
		    const struct profile *p)
{
	struct causes causes;
	struct err err = { 0 };
	int r;

	if (!s->watches_len)
		return;
	r = causes__init(&causes, p, rules, &err);
	for (u32 i = 0; i < s->watches_len && !r; i++)
		look(w, s, i, p, &causes);
	if (r)
		w->say(w->say_arg, AGENT_ERROR, err.msg);
	causes__done(&causes);
}

void watching__poll(struct watching *w, u64 now_ns)
{
	char text[256];

	while (alerts__poll(&w->alerts, now_ns, text, sizeof(text)))
		w->say(w->say_arg, AGENT_WARNING, text);
}

void watching__keep(struct watching *w, const struct agent_settings *from,
		    const struct agent_settings *to)
{
	for (u32 i = 0; i < WATCH_RULES_MAX; i++) {
		if (i >= from->watches_len || i >= to->watches_len ||
		    memcmp(&from->watches[i], &to->watches[i], sizeof(to->watches[i])))
			w->states[i] = (struct watch_state){ 0 };
	}
}

void watching__done(struct watching *w)
{
	alerts__done(&w->alerts);
}

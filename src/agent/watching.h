/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_WATCHING_H
#define AGENT_WATCHING_H

#include "agent/agent.h"
#include "agent/alert.h"
#include "agent/settings.h"
#include "analysis/cause/ruleset.h"

/* The rules of the settings, window by window. Set `say`, leave the rest 0. */
struct watching {
	struct watch_state states[WATCH_RULES_MAX];
	struct alerts alerts;
	agent_say_fn *say;
	void *say_arg;
};

/*
 * Looks at a window: says what begins or ends, and starts its command. What goes wrong is said,
 * too.
 */
void watching__take(struct watching *w, const struct agent_settings *s, const struct ruleset *rules,
		    const struct profile *p);
/* Takes note of commands that ended. Call it often. */
void watching__poll(struct watching *w, u64 now_ns);
/* After a change of settings: rules that are new or changed have not begun. */
void watching__keep(struct watching *w, const struct agent_settings *from,
		    const struct agent_settings *to);
void watching__done(struct watching *w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_ALERT_H
#define AGENT_ALERT_H

#include <sys/types.h>

#include "agent/watch.h"
#include "base/err.h"
#include "base/types.h"

/* At the same time. */
#define ALERTS_MAX 8

/* What the command of a rule is for. Texts are borrowed for the call. */
struct alert_facts {
	const struct watch_rule *rule;
	bool begins; /* or ends */
	u64 value; /* of the window */
	const char *begin; /* of the window, UTC */
	const char *host;
	const char *store;
	const char *sentence;
};

/* Commands that run. All zero: none. */
struct alerts {
	struct alert {
		pid_t pid; /* 0: free */
		u64 until_ns; /* CLOCK_MONOTONIC: then it is killed */
		char name[64]; /* of its rule */
		u64 limit_ns;
		bool killed;
	} running[ALERTS_MAX];
};

/*
 * Starts the command of a rule, and does not wait for it: no shell, the facts in its environment
 * (COLDSPOT_...) and, as JSON, on its standard input; its output goes to standard error. -EINVAL
 * for an open quote, -EAGAIN if too many run, or why it cannot be run.
 */
int alerts__start(struct alerts *a, const struct alert_facts *facts, struct err *err);
/*
 * Ends those that take too long, and takes note of those that ended: 1 with a sentence if one
 * failed, else 0. Call it until it returns 0.
 */
int alerts__poll(struct alerts *a, u64 now_ns, char *buf, size_t sz);
/* Kills the others. */
void alerts__done(struct alerts *a);

/* Words of a command: NULL-terminated, in `buf`, which becomes their memory. -EINVAL or -E2BIG. */
#define ALERT_WORDS 64
int alert_split(char *buf, char *words[ALERT_WORDS + 1], struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_WATCH_H
#define AGENT_WATCH_H

#include "analysis/cause/cause.h"
#include "base/err.h"
#include "base/types.h"
#include "profile/profile.h"

/* A rule of the settings that looks at each window (docs/agent.md). Exactly one limit is not 0. */
struct watch_rule {
	char name[64];
	char cause[32]; /* "": any */
	char process[64]; /* glob of process names; "": any */
	char cgroup[256]; /* glob of paths or of their last part; "": any */
	u64 share_ppm; /* waited time, in millionths of the time of the threads */
	u64 rate_ns; /* waited time per second of window */
	u64 longest_ns; /* the longest single wait */
	u64 windows; /* in a row, to begin and to end */
	char run[1024]; /* command, words separated by blanks; '...' quotes one; "": only the log */
	u64 limit_ns; /* how long it may take */
};

/* -EINVAL if a rule has no name, no limit or several, or a cause that does not exist. */
int watch_rule__check(const struct watch_rule *rule, struct err *err);
/* "share", "rate" or "longest"; *ret_limit is the limit of that. */
const char *watch_rule__measure(const struct watch_rule *rule, u64 *ret_limit);
/* A value of that measure as people read it: "12.5 %", "1.20 s per second", "3.00 s". */
void watch_rule__format(const struct watch_rule *rule, u64 value, char *buf, size_t sz);
/*
 * What a window has of it, in the unit of its limit. Waits for work do not count, except for their
 * run queue time.
 */
u64 watch_rule__value(const struct watch_rule *rule, const struct profile *p,
		      const struct causes *causes);

enum watch_change {
	WATCH_SAME,
	WATCH_BEGAN,
	WATCH_ENDED,
};

/* All zero: not on. */
struct watch_state {
	bool on;
	u32 row; /* windows in a row that say otherwise */
};

/* After a window. It changes once `windows` in a row are over the limit, or are not. */
enum watch_change watch_state__take(struct watch_state *st, bool over, u64 windows);

#endif

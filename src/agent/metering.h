/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_METERING_H
#define AGENT_METERING_H

#include "agent/agent.h"
#include "agent/keeper.h"
#include "agent/meter.h"

/* The file of the setting `metrics_file`. Set `opt`, leave the rest 0. */
struct metering {
	const struct agent_options *opt; /* borrowed: where its messages go, and the version */
	struct meter *meter; /* NULL: no window was counted */
	u64 since_wall_ns; /* all counters begin there */
	u64 written, dropped; /* what the keeper had counted before */
	bool failed; /* the last try, which was said */
};

/*
 * Counts a window that `k` was given, and replaces the file; does nothing without the setting. What
 * goes wrong is said once, and does not matter for windows.
 */
void metering__take(struct metering *m, const struct agent_settings *s, const struct ruleset *rules,
		    const struct keeper *k, const struct profile *p);
/*
 * After a change of settings: removes a file that is no longer written. Without another one,
 * counters begin anew later: windows are not counted meanwhile.
 */
void metering__keep(struct metering *m, const struct agent_settings *from,
		    const struct agent_settings *to);
void metering__done(struct metering *m);

/* Replaces the file with these bytes; readers see the old one or the new one. -errno. */
int metering_write(const char *path, const char *data, size_t sz, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_METER_H
#define AGENT_METER_H

#include "analysis/cause/cause.h"
#include "analysis/cause/ruleset.h"
#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"

/*
 * Sums over all windows since it was made, as counters for Prometheus: of the machine, and by what
 * the cgroup of a thread is called. The number of names is limited. What has no row of its own is
 * in the row METER_OTHER, so the rows add up to the machine as long as no row was given away.
 */
#define METER_ROWS 60
#define METER_OTHER "(other)"
#define METER_UNKNOWN "(unknown)" /* no path is known */
#define METER_NAME_SZ 512
/* A row may go to another name when no thread had it for so long. */
#define METER_AWAY_NS (3600 * 1000000000ULL)

enum meter_state {
	METER_ON,
	METER_RUNQ,
	METER_BLOCKED,
	METER_STATES,
};

struct meter_row {
	char name[METER_NAME_SZ];
	u64 seen_ns; /* CLOCK_MONOTONIC */
	u64 state_ns[METER_STATES];
	u64 wait_ns[CAUSE_FAMILY_CNT][CLASS_CNT];
};

/* All zero: nothing was counted. */
struct meter {
	struct meter_row rows[METER_ROWS];
	u32 rows_len;
	struct meter_row other;
	u64 windows;
	u64 uncounted; /* windows for which there was no memory */
	u64 recorded_ns;
	u64 end_wall_ns; /* of the last window */
	u64 period_ns; /* of its sampling */
	u64 prog_ns, self_cpu_ns;
	u64 state_ns[METER_STATES];
	u64 cause_ns[CAUSE_CNT][CLASS_CNT];
	struct profile_loss losses[LOSS_CNT];
};

/* What the caller knows. */
struct meter_facts {
	const char *version;
	u64 since_wall_ns; /* when counting began */
	u64 written, dropped; /* windows, since then */
	u64 store_bytes;
	u32 store_files;
};

/*
 * The name of the container (of Kubernetes "NAMESPACE/POD/CONTAINER"), the unit, the first 12
 * digits of the container's ID, or the path. `container` is "" if it is not known. `buf` has
 * METER_NAME_SZ bytes.
 */
const char *meter_name(const char *cgroup, const char *container, char *buf);

/* Adds a window, with the causes that `rules` give. -ENOMEM: it is only counted as uncounted. */
int meter__take(struct meter *m, const struct profile *p, const struct ruleset *rules, u64 now_ns,
		struct err *err);
/* As text of Prometheus (render/encode/prom_text.h). */
void meter__put(const struct meter *m, const struct meter_facts *facts, struct sink *out);

#endif

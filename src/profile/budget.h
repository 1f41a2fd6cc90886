/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_BUDGET_H
#define PROFILE_BUDGET_H

#include "base/types.h"
#include "profile/header.h"

struct profile;

/* Sums over all tasks. */
struct profile_budget {
	u64 wall_ns;
	u64 on_ns;
	u64 preempted_ns;
	u64 runq_ns;
	u64 blocked_ns;
	u64 blocked_by_state_ns[PROFILE_STATES];
	u64 unaccounted_ns;
	u64 listed_blocked_ns; /* of the listed waits */
	u64 listed_runq_ns;
	u64 listed_on_ns; /* of the hots */
	u64 on_samples;
	u64 switches, preemptions, wakeups, migrations;
	u32 threads; /* distinct (tid, start) */
	u32 processes; /* distinct tgid */
};
/* 0, or -ENOMEM with correct sums but threads and processes 0: counting these needs memory. */
int profile__budget(const struct profile *p, struct profile_budget *ret);

#endif

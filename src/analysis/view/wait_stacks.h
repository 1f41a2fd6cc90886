/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_WAIT_STACKS_H
#define ANALYSIS_VIEW_WAIT_STACKS_H

#include "profile/profile.h"

/* Notes in place of an unknown stack or wait. The first two are bcc's words. */
#define NOTE_MISSED_USER "[Missed User Stack]"
#define NOTE_MISSED_KERNEL "[Missed Kernel Stack]"
#define NOTE_LOST "[lost]"
#define NOTE_NOT_SAMPLED "[not sampled]"
#define NOTE_CUT "[cut off]"
/* Marks time on a CPU if it is shown together with waits. */
#define NOTE_ON_CPU "[on-CPU]"

/* The requested stacks of a wait. */
struct wait_stacks {
	u32 user; /* leaf node; 0: none */
	u32 kernel;
	bool user_missed; /* requested and must have existed, but unknown */
	bool kernel_missed;
	const char *lost; /* what to show if it cannot have stacks: "[lost]"; or NULL */
	bool on_cpu;
};

/* Why only the time of a row is known; or NULL. `flags`: enum profile_wait_flag. */
const char *wait_lost_note(u32 flags);
/* `sides`: enum profile_side, 0 for all. Sides that were not recorded are not missed. */
struct wait_stacks wait_stacks_of(const struct profile *p, u32 wait, u32 sides);

/* The time of a row: blocked and run queue of a wait, or on a CPU (time_view.h). */
u64 wait_ns(const struct profile_wait *w);
/* An import has its time, but not how many waits it was: nor has any sum that it is part of. */
bool wait_is_uncounted(const struct profile_wait *w);

#endif

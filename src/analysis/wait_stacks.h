/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_WAIT_STACKS_H
#define ANALYSIS_WAIT_STACKS_H

#include "profile/profile.h"

/* What stands where a stack or a whole wait is not known. The first two are bcc's words. */
#define NOTE_MISSED_USER "[Missed User Stack]"
#define NOTE_MISSED_KERNEL "[Missed Kernel Stack]"
#define NOTE_LOST "[lost]"
#define NOTE_NOT_SAMPLED "[not sampled]"
#define NOTE_CUT "[cut off]"
/* What tells time on a CPU from waits, where both are in one picture. */
#define NOTE_ON_CPU "[on-CPU]"

/* The stacks of a wait as far as they are wanted. */
struct wait_stacks {
	u32 user; /* leaf node; 0: none */
	u32 kernel;
	bool user_missed; /* wanted and had to exist, but is not known */
	bool kernel_missed;
	const char *lost; /* what to write where it cannot have stacks: "[lost]"; or NULL */
	bool on_cpu;
};

/* What is known of a row is its time alone: why; or NULL. `flags`: enum profile_wait_flag. */
const char *wait_lost_note(u32 flags);
/* `sides`: enum profile_side, 0 for all. Sides that were not recorded are not missed. */
struct wait_stacks wait_stacks_of(const struct profile *p, u32 wait, u32 sides);

/* The time of a row: blocked and run queue of a wait, or on a CPU (time_view.h). */
u64 wait_ns(const struct profile_wait *w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_WAIT_STACKS_H
#define ANALYSIS_WAIT_STACKS_H

#include "profile/profile.h"

/* What stands where a stack or a whole wait is not known. The first two are bcc's words. */
#define NOTE_MISSED_USER "[Missed User Stack]"
#define NOTE_MISSED_KERNEL "[Missed Kernel Stack]"
#define NOTE_LOST "[lost]"
#define NOTE_CUT "[cut off]"

/* The stacks of a wait as far as they are wanted. */
struct wait_stacks {
	u32 user; /* leaf node; 0: none */
	u32 kernel;
	bool user_missed; /* wanted and had to exist, but is not known */
	bool kernel_missed;
	bool lost; /* the wait stands for lost ones: it cannot have stacks */
};

/* `sides`: enum profile_side, 0 for all. Sides that were not recorded are not missed. */
struct wait_stacks wait_stacks_of(const struct profile *p, u32 wait, u32 sides);

/* Off-CPU time of a wait: blocked and run queue. */
u64 wait_off_ns(const struct profile_wait *w);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_HOT_H
#define PROFILE_HOT_H

#include "base/types.h"

enum profile_hot_flag {
	/* Time on a CPU without samples: none hit the thread, or none were recorded. */
	HOT_NOT_SAMPLED = 1,
};

/*
 * What a thread did while on a CPU: samples by stack. The time is the thread's exact on_ns, divided
 * by samples: the rows of a thread add up to it.
 */
struct profile_hot {
	u32 task; /* not 0 */
	u32 ustack; /* leaf node; 0: none */
	u32 kstack;
	s32 sysno; /* system call it was in, -1: none */
	u32 flags; /* enum profile_hot_flag */
	u32 pad;
	u64 on_ns;
	u64 samples;
	u64 var_us2; /* estimated variance of on_ns, us^2; see hot_share.h */
};

#endif

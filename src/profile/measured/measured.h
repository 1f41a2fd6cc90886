/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_MEASURED_MEASURED_H
#define PROFILE_MEASURED_MEASURED_H

#include "base/types.h"

/* As PROFILE_HIST_LEN. */
#define MEASURED_HIST_LEN 32

/*
 * Waits of tasks that were measured one by one, while the rest of the profile is sampled: those
 * that ended in the window, with their whole length, also what of it was before the window. Rows
 * with equal keys are one. Only of recordings that asked for it (header.measured).
 */
struct profile_measured {
	u32 task; /* not 0 */
	u32 ustack; /* leaf node; 0: none */
	/*
	 * Where the waker was; its leaf is a word in brackets if no task woke it, such as
	 * "[netpoll]". 0: unknown.
	 */
	u32 waker_ustack;
	u32 pad;
	u64 count; /* not 0 */
	u64 total_ns;
	u64 max_ns;
	u32 hist[MEASURED_HIST_LEN]; /* abi/hist.h has the buckets */
};

#endif

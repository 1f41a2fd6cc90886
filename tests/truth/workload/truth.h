/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_TRUTH_H
#define WORKLOAD_TRUTH_H

#include <stdint.h>

typedef uint64_t u64;

#define noinline __attribute__((noinline))

/*
 * What a thread knows of its own waits. Each wait stands between truth__begin() and truth__end();
 * the time off the CPU between them is CLOCK_MONOTONIC minus CLOCK_THREAD_CPUTIME_ID, so it is
 * right on a busy machine too, and the number of switches is the kernel's own count. The kernel
 * may charge the thread with what the one that woke it still did before it left the CPU, so the
 * time off the CPU is at least off_ns, and at most mono_ns.
 * One writer: the thread itself.
 */
struct truth {
	u64 count; /* pairs of begin and end */
	u64 mono_ns;
	u64 off_ns;
	u64 max_mono_ns; /* longest pair */
	u64 blocked; /* switches away while not runnable */
	u64 preempted; /* switches away while runnable */
	u64 moved; /* times it was found on another CPU than at the look before */
	/* of the pair that is open */
	u64 mono_at;
	u64 cpu_at;
	u64 blocked_at;
	u64 preempted_at;
	int cpu;
	int looked;
};

void truth__begin(struct truth *t);
void truth__end(struct truth *t);

u64 mono_ns(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OPTIONS_H
#define CAPTURE_OPTIONS_H

#include "base/types.h"

/* Everything that is mapped on a busy machine takes about 80 MiB; one program 1 to 16. */
#define CAPTURE_TABLE_BYTES (64ULL << 20)

/* Of which threads `ids` are. */
enum capture_target {
	CAPTURE_ALL = 0,
	CAPTURE_PROCESSES,
	CAPTURE_THREADS,
};

/* What tells when a wait turns from blocked into waiting for a CPU. */
enum capture_split {
	CAPTURE_SPLIT_AUTO = 0,
	CAPTURE_SPLIT_WAKING, /* the event sched_waking */
	CAPTURE_SPLIT_SCHED_INFO, /* the scheduler's own notes: cheaper, see docs/adr/0019 */
};

enum capture_resume {
	CAPTURE_RESUME_AUTO = 0,
	CAPTURE_RESUME_EXIT_TP,
	CAPTURE_RESUME_KPROBE,
	CAPTURE_RESUME_SWITCH_OUT,
};

/*
 * What to capture. Filters are "and". All memory is borrowed for the life of the capture. Ids are
 * those of our own PID namespace, as everything that comes out.
 */
struct capture_options {
	u32 target; /* enum capture_target */
	const u32 *ids;
	size_t ids_len;
	bool follow; /* CAPTURE_PROCESSES: their children too */
	bool user_threads;
	bool kernel_threads;
	const char *comm; /* glob, NULL: any */
	const char *cgroup; /* v2 directory, absolute or below the mount point; NULL: any */
	/* Which waits are listed; totals hold all of them. */
	u64 min_ns;
	u64 max_ns; /* ~0: no bound */
	u32 state_mask; /* raw bits */
	bool state_any;
	bool state_r;
	bool user_stacks;
	bool kernel_stacks;
	bool objects; /* what a wait is for, and who holds it */
	bool cgroup_paths; /* the paths of cgroups of version 2, where that is mounted */
	u32 split; /* enum capture_split */
	u32 resume; /* enum capture_resume */
	const char *command; /* a program that will be started as a target; NULL: none */
	bool proc_maps; /* mappings from /proc, as on kernels before 6.1 */
	bool plain; /* no short ways: every stack is read and walked in full */
	bool fp_only; /* user stacks by frame pointer, without unwind tables */
	u32 stack_depth; /* deepest user stack kept; 0: CS_STACK_DEFAULT */
	u64 table_bytes; /* budget of unwind tables; 0: CAPTURE_TABLE_BYTES */
	u32 max_waits; /* entries of kernel tables; 0: default */
	u32 max_stacks; /* of all three tables */
	u64 ring_bytes; /* 0: default; rounded up to a power of two */
	/* Limit of kernel memory, unwind tables included; 0: a default for the others. */
	u64 max_memory;
	u32 on_cpu_hz; /* samples of threads on a CPU, for each CPU a second; 0: none */
	u32 hist_unit_ns; /* of the histograms of threads, profile/bins.h; 0: none are kept */
	/* Sampling: 0 and 0 choose every wait. */
	u64 period_ns; /* fixed, or where the governor begins; CS_PERIOD_MAX_NS at most */
	u64 interval_ns; /* of profile/replicate.h; 0: none */
	u64 overhead_ppm; /* millionths of all CPUs' time that tracing may cost; 0: no governor */
};

#endif

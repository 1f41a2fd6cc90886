/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_OPTIONS_H
#define CAPTURE_PROGRAM_OPTIONS_H

#include "base/types.h"

/* Tables for everything mapped on a busy machine take about 80 MiB; one program takes 1 to 16. */
#define CAPTURE_TABLE_BYTES (64ULL << 20)

/* What `ids` identify. */
enum capture_target {
	CAPTURE_ALL = 0,
	CAPTURE_PROCESSES,
	CAPTURE_THREADS,
};

/* What determines when a wait turns from blocked into waiting for a CPU. */
enum capture_split {
	CAPTURE_SPLIT_AUTO = 0,
	CAPTURE_SPLIT_WAKING, /* the event sched_waking */
	CAPTURE_SPLIT_SCHED_INFO, /* sched_info: cheaper, see docs/adr/0019 */
};

enum capture_resume {
	CAPTURE_RESUME_AUTO = 0,
	CAPTURE_RESUME_EXIT_TP,
	CAPTURE_RESUME_KPROBE,
	CAPTURE_RESUME_SWITCH_OUT,
};

/*
 * What to capture. All filters must match. All memory is borrowed for the life of the capture. Ids
 * are those of our own PID namespace, also in the results.
 */
struct capture_options {
	u32 target; /* enum capture_target */
	const u32 *ids;
	size_t ids_len;
	bool follow; /* CAPTURE_PROCESSES: their descendants too, also those that exist */
	bool user_threads;
	bool kernel_threads;
	/*
	 * CAPTURE_PROCESSES, with `follow`: those that run a program of this name, by its file or
	 * argv[0], now or later; a glob. NULL: any.
	 */
	const char *program;
	const char *comm; /* glob, NULL: any */
	const char *cgroup; /* v2 directory, absolute or below the mount point; NULL: any */
	/* Which waits are listed; totals include all of them. */
	u64 min_ns;
	u64 max_ns; /* ~0: unlimited */
	u32 state_mask; /* raw bits */
	bool state_any;
	bool state_r;
	bool user_stacks;
	bool kernel_stacks;
	bool objects; /* objects of waits, and their owners */
	bool task_events; /* of a recording of tasks: waits of goroutines are measured, too */
	bool wakers; /* who ended each wait, and what they did meanwhile; splits by sched_waking */
	/* When waits happened: of so many in a window; 0: of none. */
	u64 max_moments;
	/* What is a request, as in docs/requests.md; with max_moments. */
	const char *const *requests;
	size_t requests_len;
	/* Those that take longer are noticed at once: capture__take_slow_request(). 0: none are. */
	u64 slow_request_ns;
	bool cgroup_paths; /* paths of v2 cgroups, if mounted */
	u32 split; /* enum capture_split */
	u32 resume; /* enum capture_resume */
	const char *command; /* a program that will be started as a target; NULL: none */
	bool proc_maps; /* mappings from /proc, as on kernels before 6.1 */
	bool plain; /* no fast paths: every stack is read and unwound in full */
	bool fp_only; /* user stacks by frame pointer, without unwind tables */
	u32 stack_depth; /* maximum depth of user stacks; 0: CS_STACK_DEFAULT */
	u64 table_bytes; /* budget of unwind tables; 0: CAPTURE_TABLE_BYTES */
	u32 max_waits; /* entries of kernel tables; 0: default */
	u32 max_stacks; /* of all three tables */
	u64 ring_bytes; /* 0: default; rounded up to a power of two */
	/* Limit of kernel memory, including unwind tables; 0: a default for the other tables. */
	u64 max_memory;
	u32 on_cpu_hz; /* samples per CPU and second; 0: none */
	u32 visit_hz; /* visits of each thread per second, and no scheduler hook; 0: hooks */
	u32 hist_unit_ns; /* unit of thread histograms, profile/bins.h; 0: none */
	/* Sampling: 0 and 0 choose every wait. */
	u64 period_ns; /* fixed, or the governor's initial one; at most CS_PERIOD_MAX_NS */
	u64 interval_ns; /* of profile/replicate.h; 0: none */
	bool windows; /* there will be more than one: capture__cut() */
	/*
	 * CLOCK_MONOTONIC: end of an earlier recording that this one continues; 0: none. What waits
	 * lost between it and the first window is LOSS_GAP_WAITS, see profile_task.gap_wait_ns.
	 */
	u64 gap_from_ns;
	u64 overhead_ppm; /* millionths of all CPUs' time that tracing may cost; 0: no governor */
};

#endif

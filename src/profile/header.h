/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_HEADER_H
#define PROFILE_HEADER_H

#include "base/types.h"
#include "profile/missing/unknown.h"

/* States in the order of perf's letters "RSDTtXZPI". */
#define PROFILE_STATES 9
#define PROFILE_STATE_LETTERS "RSDTtXZPI"

/* How a profile was recorded. Texts are ids into its strings. */
struct profile_header {
	u32 host;
	u32 kernel; /* uname -r */
	u32 arch;
	u32 version; /* of coldspot */
	u32 command; /* as typed */
	u32 target; /* as text: "PID 123 (postgres)", "all threads" */
	u32 hooks; /* as text: what was attached */
	u32 ncpu;
	u64 begin_wall_ns; /* CLOCK_REALTIME */
	u64 begin_mono_ns; /* CLOCK_MONOTONIC */
	u64 window_ns; /* length, in the trace clock; of several: what they cover together */
	/* Of sampling; all 0: every wait was chosen. */
	u64 period_ns; /* mean over the window */
	u64 period_min_ns;
	u64 period_max_ns;
	u64 period_sum_ns; /* most that the list of a task may be off by */
	u64 min_ns; /* listed waits are between these; 0 and ~0: all */
	u64 max_ns;
	u64 switches_seen;
	u64 waits_chosen;
	u64 prog_runs; /* of our programs, and their time; 0: not measured */
	u64 prog_ns;
	u64 self_cpu_ns; /* CPU time of coldspot itself in the window */
	u64 kernel_bytes; /* kernel memory of the tables at the end; 0: unknown */
	/* For several profiles merged into one (merge.h); windows is 0 for a single one. */
	u64 gap_ns; /* between windows of one machine, not recorded */
	u64 overlap_ns; /* in more than one window of a machine: threads may be counted twice */
	u64 machine_ns; /* sum over the windows of length * CPUs; 0: window_ns * ncpu */
	u32 windows;
	u32 boot; /* boot ID of the kernel, or 0 */
	/* For a selection: amounts before threads or waits were filtered; 0: not filtered. */
	u64 whole_off_ns; /* blocked + run queue time of listed waits */
	u64 whole_wall_ns; /* of threads */
	u64 whole_on_ns; /* of the hots */
	u32 whole_threads;
	u32 selection; /* the filters, as text */
	u32 filtered; /* 1: --state or bounds excluded waits from the list on purpose */
	u32 sides; /* enum profile_side */
	u32 period_changes;
	/* On-CPU sampling; 0: none. Of several profiles, the highest. */
	u32 on_cpu_hz; /* of each CPU */
	u64 on_cpu_samples; /* of traced threads, including lost ones */
	u32 hist_unit_ns; /* of thread histograms, see bins.h; 0: there are none */
	/*
	 * If waits were filtered from a complete list: how long the threads waited for
	 * work, and then for a CPU (state R), by the rules used then, selected or not. Older
	 * recordings have 0 in R.
	 */
	u32 idle_known; /* 1: the following numbers are valid */
	u64 idle_ns[PROFILE_STATES];
	u64 idle_var_us2; /* see estimate.h */
	u32 wakers; /* 1: wakers were recorded; of several profiles, in at least one */
	u64 max_moments; /* so many in a window were kept at most; 0: none were asked for */
	/* Of an import: the tool and format that it is from, as text; 0: coldspot recorded it. */
	u32 source;
	u32 unknown; /* bits of enum profile_unknown; of several profiles, of any */
	u32 trigger; /* what made a flight recorder write it, as text; 0: nothing did */
	/*
	 * 0: hooks saw every switch. Otherwise threads were visited so many times a second: the
	 * time of waits is an estimate. Whether a thread lost its CPU or was woken is unknown: all
	 * of its waiting for a CPU is runq_ns. Of several profiles, the highest: if hooks saw the
	 * switches of some of them (switches_seen), the sum knows no more than visits do.
	 */
	u32 visit_hz;
	u32 visit_sources; /* bits of enum profile_visit_source; of several profiles, of any */
	u64 visited_ns; /* the part of window_ns with visits; of several profiles, the sum */
	u64 visits; /* of threads */
	u64 visits_changed; /* of those, of threads that had switched, or ran; of torn tasks */
	u64 visit_passes; /* over all threads */
	u64 visit_passes_missed; /* left out: one before took too long, or to keep the budget */
	u64 visit_late_ns; /* sum of how late passes were */
	u64 visit_late_max_ns;
	/* 1: waits of tasks were measured by probes (measured.h), in one of several profiles. */
	u32 measured;
	u64 measured_ns; /* the part of window_ns with probes; of several profiles, the sum */
	u64 measure_hits; /* of probes, and the CPU time that they took in the programs */
	u64 measure_cost_ns;
};

enum profile_side {
	SIDE_USER = 1,
	SIDE_KERNEL = 2,
};

/* Who visited threads. */
enum profile_visit_source {
	VISITS_OF_BPF = 1, /* a task iterator */
	VISITS_OF_PROC = 2,
	VISITS_OF_TASKS = 4, /* of tasks that a program schedules itself, and of no threads */
	VISIT_SOURCES_ALL = 7,
};

/* Threads were visited in /proc: nobody counted waits, and short-lived threads were missed. */
static inline bool profile_header__is_of_proc(const struct profile_header *h)
{
	return h->visit_sources & VISITS_OF_PROC;
}

/*
 * A row of threads is no thread, but the tasks of a process that began with one function: its time
 * is that of all of them. They were read in the memory of their process.
 */
static inline bool profile_header__is_of_tasks(const struct profile_header *h)
{
	return h->visit_sources & VISITS_OF_TASKS;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * How far apart are the run queue's clock and CLOCK_MONOTONIC? Attached alone, for a few
 * milliseconds, before and after a trace. The run queue's clock was read a little before we run,
 * so the smallest distance on each CPU is the true one; CPUs that disagree have no common clock.
 */
#include "lib/maps.bpf.h"

SEC("tp_btf/sched_switch")
int BPF_PROG(on_calibrate_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 ktime = bpf_ktime_get_ns();
	u64 rq = next->se.cfs_rq->rq->clock;
	u32 cpu = bpf_get_smp_processor_id();
	u64 distance = ktime - rq;

	if (!rq || cpu >= CS_CALIBRATE_CPUS)
		return 0;
	/* Compared as signed: the clocks may start in any order. */
	if (!calibration.seen[cpu] || (s64)(distance - calibration.ktime_minus_rq_ns[cpu]) < 0)
		calibration.ktime_minus_rq_ns[cpu] = distance;
	calibration.seen[cpu]++;
	return 0;
}

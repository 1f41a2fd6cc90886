/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_STATS_H
#define ABI_STATS_H

#include <linux/types.h>

/*
 * Every counter the BPF side keeps: X(name, sentence). A counter of something lost comes as a pair
 * of an event count and, where time is lost with it, a _ns sum. Order is not ABI: both sides are
 * built together.
 */
#define CS_STATS(X)                                                                                \
	X(switches, "context switches seen by our program")                                        \
	X(waits, "waits of traced threads that ended in the window or were open at its end")       \
	X(chosen, "waits whose stacks were taken")                                                 \
	X(self_runs, "runs of our programs on switches, wakeups and samples")                      \
	X(self_ns, "time of those runs; of all but samples one in 64 is measured")                 \
	X(kstack_known, "kernel stacks that were known by their fingerprint")                      \
	X(kstack_differs, "kernel stacks that were not those of their fingerprint")                \
	X(ustack_known, "user stacks that had not changed since they were walked")                 \
	X(ustack_differs, "user stacks that had changed all the same")                             \
	X(samples, "samples of traced threads on a CPU")                                           \
	X(sample_stack_lost, "samples whose stack found the table of stacks full")                 \
	X(sample_lost, "samples that found the table of waits full")                               \
	X(tasks_marked, "threads taken into the trace")                                            \
	X(forks, "threads that were born in the trace")                                            \
	X(execs, "programs that were started in the trace")                                        \
	X(exits, "threads that ended in the trace")                                                \
	X(task_storage_failed, "threads left out because there was no memory for their state")     \
	X(hist_lost, "threads without histograms because there was no memory for them")            \
	X(target_lost, "children not followed because the table of targets was full")              \
	X(task_record_outside,                                                                     \
	  "totals that do not come: not in the window, or a number given twice")                   \
	X(task_record_lost, "totals of ended threads that found the ring buffer full")             \
	X(task_record_lost_ns, "wall time of those threads")                                       \
	X(process_event_lost, "news of a new program or cgroup that found the ring buffer full")   \
	X(wait_lost, "waits not listed because the table of waits was full")                       \
	X(wait_lost_ns, "time of those waits")                                                     \
	X(stack_lost, "stacks not kept because the table of stacks was full")                      \
	X(stack_lost_ns, "time of the waits with such a stack")                                    \
	X(object_lost, "waits whose object was not kept, as the table of objects was full")        \
	X(object_lost_ns, "time of the waits for such an object")                                  \
	X(lock_stale, "locks of the kernel that a thread was noted to wait for, and nobody did")   \
	X(holder_unknown, "waits for a lock of the kernel whose holder could not be told")         \
	X(holder_unknown_ns, "time of those waits")                                                \
	X(kstack_failed, "kernel stacks that could not be read")                                   \
	X(modules_lost, "mapped files not taken in because the table of modules was full")         \
	X(module_event_lost, "mapped files not heard of: ring buffer full")                        \
	X(map_walks, "searches of a mapping that were not answered by the cache")                  \
	X(kstack_cut, "kernel stacks deeper than the limit")                                       \
	X(python_failed, "stacks whose Python frames could not be read to the end")                \
	X(python_no_thread, "stacks of Python whose thread state was not found")                   \
	X(code_lost, "names of interpreted functions that found the ring buffer full")             \
	X(unreported, "switches that the kernel did not report and the resume hook noticed")       \
	X(missed_in, "switches to a traced thread that the kernel did not report")                 \
	X(missed_in_ns, "time of the waits that ended with such a switch")                         \
	X(missed_out, "switches from a traced thread that the kernel did not report")              \
	X(missed_out_ns, "time between the switches around it, not attributed")                    \
	X(clock_back, "intervals of negative length, counted as zero")                             \
	X(resume_missed, "chosen waits whose resume hook did not come")                            \
	X(resume_missed_ns, "time of those waits, listed without stacks")                          \
	X(unmarked, "threads at the end of the trace that match the filter but were never marked") \
	X(split_missing, "waits whose wakeup was not seen, counted as blocked to the end")         \
	X(split_missing_ns, "time of those waits in which it was")

struct cs_stats {
#define X(name, sentence) __u64 name;
	CS_STATS(X)
#undef X
};

#endif

/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_STATS_H
#define ABI_STATS_H

#include <linux/types.h>

/*
 * Every counter of the BPF side: X(name, sentence). A loss has an event count and, if time is lost
 * with it, a _ns sum. Order is not ABI: both sides are built together.
 */
#define CS_STATS(X)                                                                                \
	X(switches, "context switches seen by our program")                                        \
	X(waits, "waits of traced threads that ended in the window or were open at its end")       \
	X(chosen, "waits whose stacks were recorded")                                              \
	X(self_runs, "runs of our programs on switches, wakeups and samples")                      \
	X(self_ns, "run time of those; measured in one run of 64, except for samples")             \
	X(kstack_known, "kernel stacks recognised by their fingerprint")                           \
	X(kstack_differs, "kernel stacks that did not match their fingerprint")                    \
	X(ustack_known, "user stacks recognised as unchanged")                                     \
	X(ustack_differs, "user stacks recognised as unchanged that had changed")                  \
	X(samples, "on-CPU samples of traced threads")                                             \
	X(sample_lost, "samples lost: wait table full")                                            \
	X(visits, "visits of traced threads")                                                      \
	X(visits_changed, "visits of a thread that had switched, or was on a CPU")                 \
	X(visit_unread, "visits of a thread that went on while its stacks were read")              \
	X(visit_clash, "visits, and ends of threads, that met each other")                         \
	X(tasks_marked, "threads taken into the trace")                                            \
	X(forks, "threads born in the trace")                                                      \
	X(execs, "programs executed in the trace")                                                 \
	X(exits, "threads that exited in the trace")                                               \
	X(task_storage_failed, "threads not recorded: no memory for their state")                  \
	X(hist_lost, "threads without histograms: no memory for them")                             \
	X(target_lost, "children not followed: target table full")                                 \
	X(task_record_outside,                                                                     \
	  "totals that are not sent: outside the window, or a duplicate number")                   \
	X(task_record_lost, "totals of exited threads lost: ring buffer full")                     \
	X(task_record_lost_ns, "wall time of those threads")                                       \
	X(process_event_lost, "exec and cgroup events lost: ring buffer full")                     \
	X(wait_lost, "waits not listed: wait table full")                                          \
	X(wait_lost_ns, "time of those waits")                                                     \
	X(lock_stale, "kernel locks noted for a wait that did not happen")                         \
	X(modules_lost, "mapped files not recorded: module table full")                            \
	X(module_event_lost, "mapping events lost: ring buffer full")                              \
	X(map_walks, "mapping lookups that missed the cache")                                      \
	X(kstack_cut, "kernel stacks deeper than the limit")                                       \
	X(python_failed, "stacks whose Python frames could not be read completely")                \
	X(python_no_thread, "Python stacks whose thread state was not found")                      \
	X(code_lost, "names of Python functions lost: ring buffer full")                           \
	X(method_lost, "names of Java methods lost: ring buffer full")                             \
	X(unreported, "switches that the kernel did not report, noticed by the resume hook")       \
	X(missed_in, "switches to a traced thread that the kernel did not report")                 \
	X(missed_in_ns, "time of the waits that ended with such a switch")                         \
	X(missed_out, "switches from a traced thread that the kernel did not report")              \
	X(missed_out_ns, "time around those switches, not attributed")                             \
	X(clock_back, "intervals of negative length, counted as zero")                             \
	X(resume_missed, "chosen waits whose resume event was missed: without stacks")             \
	X(unmarked, "threads at the end of the trace that match the filter but were never marked") \
	X(wake_lost, "waits listed without their waker: table of wakeups full")                    \
	X(moment_lost, "waits listed without their instant: ring buffer full")                     \
	X(moment_lost_ns, "time of those waits")                                                   \
	X(mark_lost, "begins and ends of requests lost: ring buffer full")                         \
	X(head_unread, "requests whose first bytes could not be read")                             \
	X(context_unread, "marks of requests whose thread context could not be read")              \
	X(split_missing, "waits whose wakeup was missed, counted as blocked to the end")           \
	X(split_missing_ns, "time of those waits from the missed wakeup")

struct cs_stats {
#define X(name, sentence) __u64 name;
	CS_STATS(X)
#undef X
};

#endif

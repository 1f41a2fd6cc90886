/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/windows/task_sum.h"

bool task_sum__add(struct profile_task *sum, const struct profile_task *t)
{
	static const size_t fields[] = {
		offsetof(struct profile_task, wall_ns),
		offsetof(struct profile_task, on_ns),
		offsetof(struct profile_task, preempted_ns),
		offsetof(struct profile_task, runq_ns),
		offsetof(struct profile_task, unaccounted_ns),
		offsetof(struct profile_task, switches),
		offsetof(struct profile_task, preemptions),
		offsetof(struct profile_task, wakeups),
		offsetof(struct profile_task, migrations),
		offsetof(struct profile_task, hist_on_ns),
		offsetof(struct profile_task, hist_runq_ns),
		offsetof(struct profile_task, hist_blocked_ns),
	};
	bool wrapped = false;
	size_t i;

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		u64 *to = (u64 *)((char *)sum + fields[i]);

		wrapped |= __builtin_add_overflow(*to, *(const u64 *)((const char *)t + fields[i]),
						  to);
	}
	for (i = 0; i < PROFILE_STATES; i++)
		wrapped |= __builtin_add_overflow(sum->blocked_ns[i], t->blocked_ns[i],
						  &sum->blocked_ns[i]);
	wrapped |= __builtin_add_overflow(sum->parts, t->parts, &sum->parts);
	wrapped |= __builtin_add_overflow(sum->threads, t->threads, &sum->threads);
	wrapped |= __builtin_add_overflow(sum->processes, t->processes, &sum->processes);
	/* As the loss. */
	if (__builtin_add_overflow(sum->gap_wait_ns, t->gap_wait_ns, &sum->gap_wait_ns))
		sum->gap_wait_ns = ~0ULL;
	sum->flags |= t->flags;
	if (!sum->cgroup)
		sum->cgroup = t->cgroup;
	if (!sum->container)
		sum->container = t->container;
	return !wrapped;
}

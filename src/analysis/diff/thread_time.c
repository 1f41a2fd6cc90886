/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/diff/thread_time.h"

#include <errno.h>

#include "base/mem.h"

/* Converts a time to recorded time; `recorded_ns` is where each interval begins. */
static u64 place(const struct profile *p, const u64 *recorded_ns, u64 ns)
{
	u32 low = 0, high = p->intervals_len;
	u64 since;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (p->intervals[middle].begin_ns <= ns)
			low = middle;
		else
			high = middle;
	}
	since = ns > p->intervals[low].begin_ns ? ns - p->intervals[low].begin_ns : 0;
	if (since > p->intervals[low].length_ns)
		since = p->intervals[low].length_ns;
	return recorded_ns[low] + since;
}

static void add_thread(const struct profile *p, const u64 *recorded_ns, u64 from_ns, u64 to_ns,
		       double *ret_ns)
{
	u32 i;

	for (i = 0; i < p->intervals_len; i++) {
		u64 from = recorded_ns[i] > from_ns ? recorded_ns[i] : from_ns;
		u64 to = recorded_ns[i] + p->intervals[i].length_ns;

		if (to > to_ns)
			to = to_ns;
		if (to > from)
			ret_ns[i] += (double)(to - from);
	}
}

int thread_time_of_intervals(const struct profile *p, double *ret_ns)
{
	u64 *recorded_ns = mem_array((size_t)p->intervals_len + 1, sizeof(*recorded_ns));
	u32 i;

	if (!recorded_ns)
		return -ENOMEM;
	for (i = 0; i < p->intervals_len; i++) {
		recorded_ns[i + 1] = recorded_ns[i] + p->intervals[i].length_ns;
		ret_ns[i] = 0;
	}
	for (i = 1; i < p->tasks_len && p->intervals_len; i++) {
		u64 from_ns = place(p, recorded_ns, p->tasks[i].begin_ns);

		add_thread(p, recorded_ns, from_ns, from_ns + p->tasks[i].wall_ns, ret_ns);
	}
	mem_free(recorded_ns);
	return 0;
}

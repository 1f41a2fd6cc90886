/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the clocks matters: CLOCK_MONOTONIC is read last before the wait and first after it.
 * A thread that is preempted between the two clocks would have time on the CPU in the one that it
 * does not have in the other; at the begin that is noticed and done again, at the end the bounds of
 * the tests allow for it.
 *
 * Clocks are read by raw system calls: what happens in one has truth__begin() or truth__end() in
 * its stack, and a test can tell it from the wait. The vDSO keeps no frame pointer.
 */
#include "truth.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "rawcall.h"

static u64 ns_of(const struct timespec *ts)
{
	return (u64)ts->tv_sec * 1000000000ULL + (u64)ts->tv_nsec;
}

u64 mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ns_of(&ts);
}

static inline __attribute__((always_inline)) u64 raw_ns(clockid_t id)
{
	struct timespec ts;

	rawcall3(SYS_clock_gettime, id, &ts, 0);
	return ns_of(&ts);
}

/* Moves that go unseen: away and back between two looks. */
static void look_at_cpu(struct truth *t)
{
	int cpu = sched_getcpu();

	t->moved += t->looked && cpu != t->cpu;
	t->looked = 1;
	t->cpu = cpu;
}

void truth__begin(struct truth *t)
{
	struct rusage ru, again;

	look_at_cpu(t);
	rawcall3(SYS_getrusage, RUSAGE_THREAD, &again, 0);
	do {
		ru = again;
		t->cpu_at = raw_ns(CLOCK_THREAD_CPUTIME_ID);
		t->mono_at = raw_ns(CLOCK_MONOTONIC);
		rawcall3(SYS_getrusage, RUSAGE_THREAD, &again, 0);
	} while (again.ru_nivcsw != ru.ru_nivcsw);
	t->blocked_at = (u64)ru.ru_nvcsw;
	t->preempted_at = (u64)ru.ru_nivcsw;
}

void truth__end(struct truth *t)
{
	u64 mono = raw_ns(CLOCK_MONOTONIC) - t->mono_at;
	u64 cpu = raw_ns(CLOCK_THREAD_CPUTIME_ID) - t->cpu_at;
	u64 off = mono > cpu ? mono - cpu : 0;
	struct rusage ru;

	rawcall3(SYS_getrusage, RUSAGE_THREAD, &ru, 0);
	t->count++;
	t->mono_ns += mono;
	t->off_ns += off;
	if (mono > t->max_mono_ns)
		t->max_mono_ns = mono;
	t->blocked += (u64)ru.ru_nvcsw - t->blocked_at;
	t->preempted += (u64)ru.ru_nivcsw - t->preempted_at;
	look_at_cpu(t);
}

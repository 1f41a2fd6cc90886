/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the clocks matters: the two time stamps are taken last before the wait and first
 * after it, so that reading the counters is not part of the time. A thread that is preempted
 * between the two clocks is off by that much; the bounds of the tests allow for it.
 *
 * System calls are made raw: what happens in one has truth__begin() or truth__end() in its stack, and
 * a test can tell it from the wait.
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

static inline __attribute__((always_inline)) u64 cpu_ns(void)
{
	struct timespec ts;

	rawcall3(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts, 0);
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
	struct rusage ru;

	rawcall3(SYS_getrusage, RUSAGE_THREAD, &ru, 0);
	t->blocked_at = (u64)ru.ru_nvcsw;
	t->preempted_at = (u64)ru.ru_nivcsw;
	look_at_cpu(t);
	t->cpu_at = cpu_ns();
	t->mono_at = mono_ns();
}

void truth__end(struct truth *t)
{
	u64 mono = mono_ns() - t->mono_at;
	u64 cpu = cpu_ns() - t->cpu_at;
	u64 off = mono > cpu ? mono - cpu : 0;
	struct rusage ru;

	rawcall3(SYS_getrusage, RUSAGE_THREAD, &ru, 0);
	t->count++;
	t->mono_ns += mono;
	t->off_ns += off;
	if (off > t->max_off_ns)
		t->max_off_ns = off;
	t->blocked += (u64)ru.ru_nvcsw - t->blocked_at;
	t->preempted += (u64)ru.ru_nivcsw - t->preempted_at;
	look_at_cpu(t);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program reads both clocks at every switch. The run queue's was read a moment before, so each
 * reading is the true distance plus a delay of 100 ns to some us; the smallest is the best.
 */
#include "capture/traceclock.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/mem.h"

/* Each hop sleeps this long, so that the CPU switches away from us and back. */
#define HOP_NS 30000
#define HOPS_ALL 16
#define HOPS_MIN 2

static void nap(void)
{
	struct timespec ts = { .tv_nsec = HOP_NS };

	nanosleep(&ts, NULL);
}

static void hop_over_cpus(void *arg)
{
	int slack = prctl(PR_GET_TIMERSLACK);
	cpu_set_t *own = CPU_ALLOC(CS_CALIBRATE_CPUS);
	cpu_set_t *one = CPU_ALLOC(CS_CALIBRATE_CPUS);
	size_t sz = CPU_ALLOC_SIZE(CS_CALIBRATE_CPUS);
	int hops, cpu;

	(void)arg;
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (!own || !one || sched_getaffinity(0, sz, own)) {
		nap();
		goto out;
	}
	hops = HOPS_ALL / CPU_COUNT_S(sz, own);
	if (hops < HOPS_MIN)
		hops = HOPS_MIN;
	for (cpu = 0; cpu < CS_CALIBRATE_CPUS; cpu++) {
		if (!CPU_ISSET_S(cpu, sz, own))
			continue;
		CPU_ZERO_S(sz, one);
		CPU_SET_S(cpu, sz, one);
		if (sched_setaffinity(0, sz, one))
			continue; /* it went offline */
		for (int i = 0; i < hops; i++)
			nap();
	}
	sched_setaffinity(0, sz, own);
out:
	prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
	CPU_FREE(own);
	CPU_FREE(one);
}

int traceclock__measure(struct traceclock *tc, struct programs *p, struct err *err)
{
	const volatile struct cs_calibration *cal;
	s64 least = 0, most = 0;
	bool any = false;
	int r;

	tc->minus_mono_ns = 0;
	tc->spread_ns = 0;
	if (programs__clock(p) == CS_CLOCK_KTIME)
		return 0;
	r = programs__calibrate(p, hop_over_cpus, NULL, &cal, err);
	if (r)
		return r;
	for (int cpu = 0; cpu < CS_CALIBRATE_CPUS; cpu++) {
		s64 distance = (s64)cal->ktime_minus_rq_ns[cpu];

		if (cal->seen[cpu] < HOPS_MIN)
			continue;
		if (!any || distance < least)
			least = distance;
		if (!any || distance > most)
			most = distance;
		any = true;
	}
	if (!any)
		return err__set(err, -EAGAIN, "no context switch was reported: is another tracer, or "
					      "a freezer, in the way?");
	tc->minus_mono_ns = -least;
	tc->spread_ns = (u64)(most - least);
	return 0;
}

u64 traceclock__from_mono_ns(const struct traceclock *tc, u64 mono_ns)
{
	return mono_ns + (u64)tc->minus_mono_ns;
}

u64 traceclock__to_mono_ns(const struct traceclock *tc, u64 trace_ns)
{
	return trace_ns - (u64)tc->minus_mono_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_TRACECLOCK_H
#define CAPTURE_TRACECLOCK_H

#include "base/err.h"
#include "base/types.h"
#include "capture/programs.h"

/*
 * The distance between the clock of the trace and CLOCK_MONOTONIC. With the run queue's clock it is
 * measured: our own process hops over the CPUs it may use while a program compares the clocks at
 * each switch. With CLOCK_MONOTONIC it is 0.
 */
struct traceclock {
	s64 minus_mono_ns; /* trace = mono + this */
	u64 spread_ns; /* CPUs disagree by this much */
};

/* A few ms. -EAGAIN when no switch was seen on any CPU. */
int traceclock__measure(struct traceclock *tc, struct programs *p, struct err *err);

u64 traceclock__from_mono_ns(const struct traceclock *tc, u64 mono_ns);
u64 traceclock__to_mono_ns(const struct traceclock *tc, u64 trace_ns);

/*
 * Run-queue clocks further apart than this mean that CPUs have no common clock; a wait that
 * migrates would be wrong by as much.
 */
#define TRACECLOCK_MAX_SPREAD_NS 50000

#endif

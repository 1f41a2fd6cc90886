/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that asks for the time. clock_gettime() with these clocks cannot fail on a kernel
 * we run on, so there is no error to pass on.
 */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static u64 read_clock(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

u64 clock_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

u64 clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

u64 clock_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

bool clock_sleep_until_mono_ns(u64 instant_mono_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(instant_mono_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(instant_mono_ns % NSEC_PER_SEC),
	};

	/* EINTR is an answer here: the caller wants to look at what the signal was */
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == 0;
}

void clock_format_wall(u64 wall_ns, char *buf, size_t sz)
{
	time_t sec = (time_t)(wall_ns / NSEC_PER_SEC);
	u32 ms = (u32)(wall_ns % NSEC_PER_SEC / NSEC_PER_MSEC);
	struct tm tm = { 0 };

	gmtime_r(&sec, &tm);
	snprintf(buf, sz, "%04d-%02d-%02dT%02d:%02d:%02d.%03uZ", tm.tm_year + 1900, tm.tm_mon + 1,
		 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
}

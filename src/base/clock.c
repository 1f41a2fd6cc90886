/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that reads the clock. clock_gettime() with these clocks cannot fail on a kernel we
 * run on, so there is no error to pass on.
 */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/view.h"

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

u64 clock_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

bool clock_sleep_until_mono_ns(u64 instant_mono_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(instant_mono_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(instant_mono_ns % NSEC_PER_SEC),
	};

	/* EINTR is an expected result: the caller checks which signal it was */
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

/* Days since 1970-01-01 of a Gregorian date; years begin in March here. */
static u64 days_of(u64 year, u64 month, u64 day)
{
	u64 y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static u64 days_in(u64 year, u64 month)
{
	u64 next = month < 12 ? days_of(year, month + 1, 1) : days_of(year + 1, 1, 1);

	return next - days_of(year, month, 1);
}

/* A fraction of a second; more than nine digits are dropped. */
static u64 parse_fraction(struct view *v)
{
	u64 unit = NSEC_PER_SEC, ns = 0;
	bool any = false;

	while (view__left(v) && *v->p >= '0' && *v->p <= '9') {
		unit /= 10;
		ns += unit * (u64)(view__u8(v) - '0');
		any = true;
	}
	v->bad |= !any;
	return ns;
}

static bool parse_day(struct view *v, u64 *ret_days)
{
	u64 year = view__dec(v), month, day;
	bool dashes = view__accept(v, '-');

	month = view__dec(v);
	dashes &= view__accept(v, '-');
	day = view__dec(v);
	if (v->bad || !dashes || year < 1970 || year > 2400 || month < 1 || month > 12 || day < 1 ||
	    day > days_in(year, month))
		return false;
	*ret_days = days_of(year, month, day);
	return true;
}

static bool parse_time(struct view *v, u64 *ret_ns)
{
	u64 hour = view__dec(v), minute, second = 0, fraction = 0;
	bool colon = view__accept(v, ':');

	minute = view__dec(v);
	if (view__accept(v, ':')) {
		second = view__dec(v);
		if (view__accept(v, '.'))
			fraction = parse_fraction(v);
	}
	view__accept(v, 'Z');
	if (v->bad || view__left(v) || !colon || hour > 23 || minute > 59 || second > 59)
		return false;
	*ret_ns = ((hour * 60 + minute) * 60 + second) * NSEC_PER_SEC + fraction;
	return true;
}

int clock_parse_wall(const char *text, u64 *ret_wall_ns, struct err *err)
{
	struct view v = view__of_str(text);
	u64 days, ns;

	if (!parse_day(&v, &days) || !(view__accept(&v, 'T') || view__accept(&v, ' ')) ||
	    !parse_time(&v, &ns))
		return err__set(err, -EINVAL, "'%.64s' is not a time; try 2026-11-21T10:03:00",
				text);
	*ret_wall_ns = days * 86400 * NSEC_PER_SEC + ns;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/err.h"
#include "base/types.h"

u64 clock_mono_ns(void); /* CLOCK_MONOTONIC */
u64 clock_wall_ns(void); /* CLOCK_REALTIME */
u64 clock_cpu_ns(void); /* CPU time of this process */
u64 clock_thread_cpu_ns(void); /* of this thread alone */
/* Sleeps until an instant of CLOCK_MONOTONIC or a signal; true when the instant was reached. */
bool clock_sleep_until_mono_ns(u64 instant_mono_ns);
/* "2026-11-21T10:03:00.123Z"; sz of at least 32. Wall time in UTC. */
void clock_format_wall(u64 wall_ns, char *buf, size_t sz);
/*
 * The inverse: "2026-11-21T10:03", with or without ":00", ".123" and "Z"; a space may replace the
 * T. UTC, from 1970 on. -EINVAL with a message that quotes the text.
 */
int clock_parse_wall(const char *text, u64 *ret_wall_ns, struct err *err);

#endif

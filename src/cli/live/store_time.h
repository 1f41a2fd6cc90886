/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_STORE_TIME_H
#define CLI_LIVE_STORE_TIME_H

#include "app/past/past.h"
#include "cli/opt.h"

/* Rows of an option table of commands that show a store; `range` is a struct time_range in `S`. */
/* clang-format off */
#define STORE_TIME_OPTS(S, range) \
	OPT_HEADING("Which time of a store to show first (default: its last hour)"), \
	{ 0, "since", OPT_CUSTOM(S, range.from), "TIME", \
	  "Windows that end after this time: -90s counts back from the end of the last window; " \
	  "14:32:18 is the last such time that was recorded; or 2026-11-21T10:03:00. Local time, " \
	  "unless Z or +01:00 follows.", \
	  .parse = time_point_parse }, \
	{ 0, "until", OPT_CUSTOM(S, range.to), "TIME", "Windows that begin before this time.", \
	  .parse = time_point_parse }, \
	{ 0, "at", OPT_CUSTOM(S, range.at), "TIME", \
	  "The window at this time, written as above, in the hour around it.", \
	  .parse = time_point_parse, .excludes = "since until" }, \
	{ 0, "on", OPT_CUSTOM(S, range.on), "DAY", \
	  "Windows of this day, 2026-11-02; times of day are on it.", .parse = time_day_parse }
/* clang-format on */

/* Which windows of a store a command begins with. */
struct store_time {
	struct time_range range; /* as given; of an instant, the hour around it */
	struct time_span span; /* the same, resolved */
	u64 at_ns; /* the instant; 0: none was given */
};

/*
 * Checks that the store has windows at that time, and says on standard error what of it cannot be
 * read, and that the last hour is shown. -ENOENT, -EBADMSG or another error of past.h.
 */
int store_time__init(struct store_time *st, const char *dir, const struct time_range *range,
		     struct err *err);

#endif

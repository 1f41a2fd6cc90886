/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORDINGS_OPTS_H
#define CLI_RECORDINGS_OPTS_H

#include "app/time_range.h"
#include "cli/opt.h"

/*
 * Rows of an option table, where `range` is a struct time_range in `S`, and of its positional
 * arguments, where `files` is a struct vec.
 */
/* clang-format off */
#define RECORDINGS_OPTS(S, range) \
	{ 0, "since", OPT_CUSTOM(S, range.from), "TIME", \
	  "Only windows that end after this time: 90s counts from the start of the first " \
	  "window, -90s back from the end of the last; 14:32:18 is the last such time that was " \
	  "recorded; or 2026-11-21T10:03:00. Local time, unless Z or +01:00 follows. Windows " \
	  "are not split.", \
	  .parse = time_point_parse, .flags = OPT_COMMON }, \
	{ 0, "until", OPT_CUSTOM(S, range.to), "TIME", \
	  "Only windows that begin before this time.", \
	  .parse = time_point_parse, .flags = OPT_COMMON }, \
	{ 0, "at", OPT_CUSTOM(S, range.at), "TIME", \
	  "Only the window at this time, written as above.", \
	  .parse = time_point_parse, .excludes = "since until from to", .flags = OPT_COMMON }, \
	{ 0, "on", OPT_CUSTOM(S, range.on), "DAY", \
	  "Only windows of this day, 2026-11-02; times of day are on it.", \
	  .parse = time_day_parse }, \
	{ 0, "from", OPT_CUSTOM(S, range.from), "TIME", "The same as --since.", \
	  .parse = time_point_parse }, \
	{ 0, "to", OPT_CUSTOM(S, range.to), "TIME", "The same as --until.", \
	  .parse = time_point_parse }
#define RECORDINGS_ARGS(S, files) \
	{ 0, NULL, OPT_STRINGS(S, files), "FILE...", \
	  "Recordings (.coldspot) written by `record -o`, or directories written by `agent`; " \
	  "several are merged.", \
	  .flags = OPT_REQUIRED | OPT_FILE }
/* For commands that also read ClickHouse; `hosts` and `services` are struct vec. */
#define WINDOWS_ARGS(S, files) \
	{ 0, NULL, OPT_STRINGS(S, files), "FILE...", \
	  "Recordings (.coldspot) written by `record -o`, or directories written by `agent`; " \
	  "several are merged. Or the URL of a ClickHouse to which hosts push: " \
	  "clickhouse://HOST/DATABASE, or a target of `push`.", \
	  .flags = OPT_REQUIRED | OPT_FILE }
#define FLEET_OPTS(S, hosts, services) \
	{ 0, "host", OPT_STRINGS(S, hosts), "GLOB", \
	  "ClickHouse only: read only these hosts. Repeatable: any may match." }, \
	{ 0, "service", OPT_STRINGS(S, services), "GLOB", \
	  "ClickHouse only: read only this service. It is the name of the process, unless the " \
	  "host pushes with service=NAME. Repeatable." }
/* clang-format on */

#endif

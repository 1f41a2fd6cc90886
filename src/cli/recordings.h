/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORDINGS_H
#define CLI_RECORDINGS_H

#include "base/err.h"
#include "base/vec.h"
#include "cli/opt.h"
#include "cli/time_range.h"
#include "profile/profile.h"

/*
 * Rows of an option table, `at` being a struct time_range of the values `S`, and of its positional
 * arguments, `files` being a struct vec.
 */
/* clang-format off */
#define RECORDINGS_OPTS(S, at) \
	{ 0, "from", OPT_CUSTOM(S, at.from), "TIME", \
	  "Only windows that end behind this time: 90s counts from the begin of the first, -90s " \
	  "back from the end of the last; or 2026-11-21T10:03:00 (UTC). A window is taken whole.", \
	  .parse = time_point_parse }, \
	{ 0, "to", OPT_CUSTOM(S, at.to), "TIME", "Only windows that begin before this time.", \
	  .parse = time_point_parse }
#define RECORDINGS_ARGS(S, files) \
	{ 0, NULL, OPT_STRINGS(S, files), "FILE...", \
	  "Recordings (.coldspot), as `record -o` writes them; several become one.", \
	  .flags = OPT_REQUIRED | OPT_FILE }
/* clang-format on */

/*
 * All windows of all files that have a part in the range, in one profile, which passes
 * profile__check() and which the caller frees. What is damaged and left out is said on standard
 * error, as `cmd` speaks there, and *ret_damaged set. -ENOENT when there is no such window, or an
 * error of recording__open() or profile_merge(); a file of which nothing can be read is an error.
 */
int recordings_load(const struct opt_command *cmd, const struct vec *files,
		    const struct time_range *range, struct profile **ret, bool *ret_damaged,
		    struct err *err);

#endif

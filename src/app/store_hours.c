/* SPDX-License-Identifier: Apache-2.0 */
#include "app/store_hours.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"

#define HOUR_NS (3600 * NSEC_PER_SEC)
#define DAY_NS (24 * HOUR_NS)

struct time_span store_hour_of(u64 wall_ns)
{
	u64 begin_ns = wall_ns / HOUR_NS * HOUR_NS;

	return (struct time_span){ begin_ns, begin_ns + HOUR_NS };
}

struct time_span store_hour_of_window(u64 begin_wall_ns, u64 window_ns)
{
	return store_hour_of(begin_wall_ns + window_ns / 2);
}

int store_hours__open(struct store *s, const char *dir, const struct time_span *span,
		      struct store **ret, u64 *ret_until_ns, struct err *err)
{
	const struct store_cursor begin = { 0 };
	struct store_window first;
	char path[PATH_MAX];
	struct stat st;
	int r = 1;

	*ret = NULL;
	*ret_until_ns = ~0ULL;
	/* from the second day on, all windows are there */
	if (store__files_len(s) &&
	    span->from_ns >= store_day_begin_ns(store__file(s, 0).file.day) + DAY_NS)
		return 0;
	if (snprintf(path, sizeof(path), "%s/" STORE_HOURS_DIR, dir) >= (int)sizeof(path) ||
	    stat(path, &st) || !S_ISDIR(st.st_mode))
		return 0;
	r = store__next(s, &begin, &first, err);
	if (r < 0)
		return r;
	if (r)
		*ret_until_ns = first.begin_wall_ns;
	return span->from_ns < *ret_until_ns ? store__open(path, ret, err) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_STORE_HOURS_H
#define APP_STORE_HOURS_H

#include "app/time_range.h"
#include "base/err.h"
#include "store/store.h"

/*
 * The hourly sums of a store (docs/adr/0055): another store, in its directory `hours`, with a
 * window for each hour. They are for times of which the windows themselves are gone.
 */
#define STORE_HOURS_DIR "hours"

/* The hour that has an instant; hours are those of UTC. */
struct time_span store_hour_of(u64 wall_ns);
/* The hour that a window belongs to: the one that has its middle. */
struct time_span store_hour_of_window(u64 begin_wall_ns, u64 window_ns);

/*
 * Opens the sums if the span begins before the first window of the store in `dir`; *ret_until is
 * when that begins: sums of later hours are not needed. *ret is NULL if there are none or none are
 * needed. The caller closes it. Errors are those of the store.
 */
int store_hours__open(struct store *s, const char *dir, const struct time_span *span,
		      struct store **ret, u64 *ret_until_ns, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_PAGE_H
#define RENDER_DIFF_PAGE_H

#include "render/diff_view.h"

/*
 * A diff as the viewer of web/ reads it: as page_data.h says, but for these.
 *
 * In the head, "diff" has what it is divided by and what is known of all of it, and "sides" the two
 * profiles. The tables have both, first all rows of the one before; "split" says how many waits
 * and tasks these are. A wait that is idle for a part of its time is two rows, of which the idle
 * one has the path 0. All rows of a side together are its listed time.
 *
 * Only what was tested is in the tables "path" and "func", with its verdict (a number into
 * "verdicts") and p in billionths: what the page shows is told from chance here and nowhere else.
 */

/* -ENOMEM or 0; errors of writing are the sink's. */
int diff_page_put(const struct diff_view *v, struct sink *out);

#endif

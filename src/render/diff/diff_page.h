/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_DIFF_PAGE_H
#define RENDER_DIFF_DIFF_PAGE_H

#include "render/diff/diff_view.h"

/*
 * A diff as the viewer in web/ reads it: as in page_data.h, with these differences.
 *
 * In the head, "diff" has the unit and the totals, and "sides" the two profiles. The tables have
 * both sides, first all rows of the earlier one; "split" has the number of its waits and tasks. A
 * wait that is idle for part of its time is two rows; the idle one has path 0. All rows of a side
 * add up to its listed time.
 *
 * The tables "path" and "func" contain only what was tested, with its verdict (an index into
 * "verdicts") and p in billionths: differences on the page are tested against noise here and
 * nowhere else.
 */

/* -ENOMEM or 0; write errors are the sink's. */
int diff_page_put(const struct diff_view *v, struct sink *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_PATH_SCREEN_H
#define RENDER_TEXT_PATH_SCREEN_H

#include "analysis/path/path_table.h"
#include "render/render.h"

/*
 * A critical path for people: its length, a table of its rows, which adds up to that, and its
 * longest parts in the order of time. `rows` of the options is how many of each; 0: 20. -ENOMEM or
 * 0.
 */
int path_screen_put(const struct critical_path *path, const struct path_table *table,
		    const struct render_options *opt, struct sink *out);

#endif

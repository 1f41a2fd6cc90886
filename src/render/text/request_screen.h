/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_REQUEST_SCREEN_H
#define RENDER_TEXT_REQUEST_SCREEN_H

#include "analysis/path/path_table.h"
#include "analysis/path/request_table.h"
#include "render/render.h"

/*
 * report --requests as text. `paths`: the critical paths of each class, or NULL. -ENOMEM or 0;
 * errors of writing are the sink's.
 */
int request_screen_put(const struct lanes *lanes, const struct request_table *table,
		       const struct path_table *paths, const struct render_options *opt,
		       struct sink *out);

#endif

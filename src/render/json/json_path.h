/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_PATH_H
#define RENDER_JSON_JSON_PATH_H

#include "analysis/path/path_table.h"
#include "base/sink.h"

/* A critical path as one JSON object: docs/critical-path.md describes it. */
void json_path_put(const struct critical_path *path, const struct path_table *table,
		   struct sink *out);

#endif

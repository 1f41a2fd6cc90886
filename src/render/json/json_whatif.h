/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_WHATIF_H
#define RENDER_JSON_JSON_WHATIF_H

#include "analysis/path/whatif.h"
#include "base/sink.h"

/* As one JSON object: docs/critical-path.md describes it. `task`: the thread. */
void json_whatif_put(const struct profile *p, u32 task, const struct whatif *w, struct sink *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_PATTERNS_H
#define RENDER_JSON_JSON_PATTERNS_H

#include "render/encode/json_writer.h"
#include "render/render.h"

/* The array "patterns" of wakeups; nothing if wakers were not recorded. -ENOMEM or 0. */
int json_patterns_put(struct json *j, const struct profile *p, const struct render_options *opt);

#endif

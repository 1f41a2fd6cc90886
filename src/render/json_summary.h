/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_SUMMARY_H
#define RENDER_JSON_SUMMARY_H

#include <jansson.h>

#include "render/render.h"

/*
 * The first screen as an object, the same for JSON and the report: docs/json.md has its keys. NULL
 * when memory is short. The caller frees it.
 */
json_t *json_summary(const struct profile *p, const struct render_options *opt);

#endif

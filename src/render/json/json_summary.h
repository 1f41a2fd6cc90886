/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_SUMMARY_H
#define RENDER_JSON_JSON_SUMMARY_H

#include "render/encode/json_writer.h"
#include "render/render.h"

/*
 * Writes the first screen as a member "summary", the same for JSON and the report: docs/json.md
 * describes its keys. -ENOMEM or 0.
 */
int json_summary_put(struct json *j, const struct profile *p, const struct render_options *opt);

#endif

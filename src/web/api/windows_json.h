/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_API_WINDOWS_JSON_H
#define WEB_API_WINDOWS_JSON_H

#include "base/sink.h"
#include "base/vec.h"

/*
 * Windows (struct kept_window *) as columns: /api/v1/windows, and an event of the stream. On one
 * line. `dropped`: windows that are no longer kept.
 */
void windows_json_put(const char *server, u64 dropped, const struct vec *windows, struct sink *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_API_STATUS_JSON_H
#define WEB_API_STATUS_JSON_H

#include "base/sink.h"
#include "web/source/web.h"

/* The object of /api/v1/status, on one line. */
void status_json_put(struct web *w, struct sink *out);

#endif

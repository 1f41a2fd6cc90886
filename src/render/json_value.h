/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_VALUE_H
#define RENDER_JSON_VALUE_H

#include <jansson.h>

#include "base/types.h"

/* Values by the rules of docs/json.md; NULL when memory is short. */

/* At most 2^63 - 1. */
json_t *json_value_number(u64 n);
/* Any bytes: those that are not UTF-8 are replaced. NULL is null. */
json_t *json_value_text(const char *s);

#endif

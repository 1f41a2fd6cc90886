/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_value.h"

#include <limits.h>

#include "base/mem.h"
#include "render/utf8.h"

json_t *json_value_number(u64 n)
{
	return json_integer(n > LLONG_MAX ? LLONG_MAX : (json_int_t)n);
}

json_t *json_value_text(const char *s)
{
	char *clean = s ? utf8_clean(s) : NULL;
	json_t *value = clean ? json_string(clean) : s ? NULL : json_null();

	mem_free(clean);
	return value;
}

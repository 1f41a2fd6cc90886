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
	size_t plain = s ? utf8_plain(s, "") : 0;
	json_t *value;
	char *clean;

	if (!s)
		return json_null();
	if (!s[plain])
		return json_stringn_nocheck(s, plain);
	clean = utf8_clean(s);
	value = clean ? json_string(clean) : NULL;
	mem_free(clean);
	return value;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_dump.h"

#include <errno.h>
#include <string.h>

/* As jansson writes it: upper-case hex, and short forms where there are such. */
static void put_escaped(struct sink *out, u8 c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;
	char text[2] = { '\\' };

	if (!at) {
		sink__printf(out, "\\u%04X", c);
		return;
	}
	text[1] = to[at - from];
	sink__put(out, text, sizeof(text));
}

static void put_string(struct sink *out, const char *s, size_t len)
{
	size_t i, from = 0;

	sink__put(out, "\"", 1);
	for (i = 0; i < len; i++) {
		u8 c = (u8)s[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		sink__put(out, s + from, i - from);
		put_escaped(out, c);
		from = i + 1;
	}
	sink__put(out, s + from, len - from);
	sink__put(out, "\"", 1);
}

static int put_piece(const char *data, size_t sz, void *arg)
{
	sink__put(arg, data, sz);
	return 0;
}

static int put_array(struct sink *out, const json_t *array)
{
	size_t len = json_array_size(array), i;
	int r = 0;

	sink__put(out, "[", 1);
	for (i = 0; i < len && !r; i++) {
		if (i)
			sink__put(out, ",", 1);
		r = json_dump_put(json_array_get(array, i), out);
	}
	sink__put(out, "]", 1);
	return r;
}

static int put_object(struct sink *out, json_t *object)
{
	void *at = json_object_iter(object);
	int r = 0;

	sink__put(out, "{", 1);
	while (at && !r) {
		const char *key = json_object_iter_key(at);

		put_string(out, key, strlen(key));
		sink__put(out, ":", 1);
		r = json_dump_put(json_object_iter_value(at), out);
		at = json_object_iter_next(object, at);
		if (at)
			sink__put(out, ",", 1);
	}
	sink__put(out, "}", 1);
	return r;
}

int json_dump_put(json_t *value, struct sink *out)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return put_object(out, value);
	case JSON_ARRAY:
		return put_array(out, value);
	case JSON_STRING:
		put_string(out, json_string_value(value), json_string_length(value));
		return 0;
	case JSON_INTEGER:
		sink__put_s64(out, json_integer_value(value));
		return 0;
	case JSON_NULL:
		sink__puts(out, "null");
		return 0;
	case JSON_TRUE:
	case JSON_FALSE:
		sink__puts(out, json_is_true(value) ? "true" : "false");
		return 0;
	default:
		return json_dump_callback(value, put_piece, out, JSON_ENCODE_ANY) ? -ENOMEM : 0;
	}
}

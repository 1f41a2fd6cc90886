/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bool is the whole state: a comma is due after a value and after a closing bracket, but not
 * after an opening one or a key. So nesting needs no stack.
 */
#include "render/encode/json_writer.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/encode/json_text.h"

#define NUMBER_SZ 64

/* Before a value; the value that the caller writes makes a comma due. */
static void begin(struct json *j, const char *key)
{
	if (j->comma)
		sink__put(j->out, ",", 1);
	if (key) {
		sink__put(j->out, "\"", 1);
		sink__puts(j->out, key);
		sink__put(j->out, "\":", 2);
	}
	j->comma = true;
}

static void open_bracket(struct json *j, const char *key, const char *bracket)
{
	begin(j, key);
	sink__put(j->out, bracket, 1);
	j->comma = false;
}

static void close_bracket(struct json *j, const char *bracket)
{
	sink__put(j->out, bracket, 1);
	j->comma = true;
}

void json__object(struct json *j, const char *key)
{
	open_bracket(j, key, "{");
}

void json__end_object(struct json *j)
{
	close_bracket(j, "}");
}

void json__array(struct json *j, const char *key)
{
	open_bracket(j, key, "[");
}

void json__end_array(struct json *j)
{
	close_bracket(j, "]");
}

void json__line(struct json *j)
{
	sink__puts(j->out, j->comma ? ",\n" : "\n");
	j->comma = false;
}

void json__key_line(struct json *j, const char *key)
{
	begin(j, key);
	sink__put(j->out, "\n", 1);
	j->comma = false;
}

void json__u64(struct json *j, const char *key, u64 n)
{
	begin(j, key);
	sink__put_u64(j->out, n > LLONG_MAX ? LLONG_MAX : n);
}

void json__s64(struct json *j, const char *key, s64 n)
{
	begin(j, key);
	sink__put_s64(j->out, n);
}

void json__bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	sink__puts(j->out, value ? "true" : "false");
}

void json__null(struct json *j, const char *key)
{
	begin(j, key);
	sink__put(j->out, "null", 4);
}

void json__text(struct json *j, const char *key, const char *s)
{
	if (!s) {
		json__null(j, key);
		return;
	}
	begin(j, key);
	json_text_put(j->out, s);
}

void json__real(struct json *j, const char *key, double n)
{
	char text[NUMBER_SZ];

	snprintf(text, sizeof(text), "%.17g", n);
	begin(j, key);
	sink__puts(j->out, text);
	if (!strpbrk(text, ".e"))
		sink__put(j->out, ".0", 2);
}

void json__printf(struct json *j, const char *key, const char *fmt, ...)
{
	char text[NUMBER_SZ];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	begin(j, key);
	sink__puts(j->out, text);
}

void json__pieces(struct json *j, const char *pieces, size_t sz)
{
	begin(j, NULL);
	sink__put(j->out, pieces, sz);
}

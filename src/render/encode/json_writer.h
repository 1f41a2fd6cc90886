/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_JSON_WRITER_H
#define RENDER_ENCODE_JSON_WRITER_H

#include "base/sink.h"

/*
 * Writes JSON to a sink as it is made: every JSON output of the program goes through here. The
 * writer places commas and quotes; the caller opens and closes objects and arrays in pairs. Nothing
 * is allocated, so memory does not grow with the output; errors of writing are the sink's.
 *
 * `key`: of a member of an object, written without escaping; NULL for an element of an array.
 */
struct json {
	struct sink *out; /* borrowed */
	bool comma; /* due before the next member or element */
};

#define JSON_TO(sink)                                                                              \
	{                                                                                          \
		.out = (sink)                                                                      \
	}

/* Opens an object or array; close it with the call below it, in the order of nesting. */
void json__object(struct json *j, const char *key);
void json__end_object(struct json *j);
void json__array(struct json *j, const char *key);
void json__end_array(struct json *j);
/* Begins a new line, after the comma if one is due. */
void json__line(struct json *j);
/* A key and the end of its line: the value follows, which is written without a key. */
void json__key_line(struct json *j, const char *key);

/* At most 2^63 - 1, which is what readers with signed integers take: larger ones are cut to it. */
void json__u64(struct json *j, const char *key, u64 n);
/* Without a limit. */
void json__s64(struct json *j, const char *key, s64 n);
/* true or false */
void json__bool(struct json *j, const char *key, bool value);
/* null: a value that is not known */
void json__null(struct json *j, const char *key);
/* Any bytes: those that are not UTF-8 become U+FFFD. NULL is null. */
void json__text(struct json *j, const char *key, const char *s);
/* As many digits as tell the number from all others, with ".0" if it is whole. */
void json__real(struct json *j, const char *key, double n);
/* A value that the format makes: a number with a chosen number of digits. */
void json__printf(struct json *j, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Whole members or elements, written by another writer; `sz` is not 0. */
void json__pieces(struct json *j, const char *pieces, size_t sz);

#endif

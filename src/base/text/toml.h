/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_TOML_H
#define BASE_TEXT_TOML_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * The part of TOML 1.0 that settings need: comments, [tables], [[lists of tables]], bare keys, and
 * values on one line: strings ("..." with the escapes \" \\ \n \t, or '...'), decimal integers
 * (with _ between digits), true and false; and arrays of strings, also over several lines. Anything
 * else is an error that names the line.
 */
enum toml_type {
	TOML_TABLE, /* a header; no key and no value */
	TOML_STRING,
	TOML_INTEGER,
	TOML_BOOLEAN,
	TOML_ARRAY, /* begins: its elements follow, as items of this key */
};

#define TOML_NAME_SZ 64
#define TOML_TEXT_SZ 1024

/* What is on a line; borrowed for the call. */
struct toml_item {
	u32 line; /* from 1 on */
	const char *table; /* "": before the first header */
	bool is_list; /* a header [[...]] */
	const char *key;
	bool is_element; /* a string in an array */
	enum toml_type type;
	const char *text; /* of a string; of others as written */
	s64 number;
	bool yes;
};

/* 0, or -EINVAL with a message; toml_read() adds the line. */
typedef int toml_item_fn(void *arg, const struct toml_item *item, struct err *err);

/*
 * Calls `each` for every header and value, in order. Returns -EINVAL if a line cannot be parsed, a
 * name or text is too long, or `each` fails. The message begins with the line: "line 3: ...".
 */
int toml_read(struct view text, toml_item_fn *each, void *arg, struct err *err);

#endif

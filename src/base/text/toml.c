/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian 12 has no TOML library for C. One line is one item here, except in arrays, so there is no
 * state but the current table and array, and no memory beyond three buffers. What the subset lacks
 * (dotted keys, dates, floats, arrays of anything but strings) is refused rather than guessed at.
 */
#include "base/text/toml.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct reading {
	char table[TOML_NAME_SZ];
	char key[TOML_NAME_SZ];
	char text[TOML_TEXT_SZ];
	struct toml_item item;
	bool in_array; /* its ']' is still to come */
	bool after_element; /* a ',' must come before the next one */
};

static bool is_bare(u8 c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static u8 peek(const struct view *v)
{
	return view__left(v) ? *v->p : 0;
}

/* Bare letters, in names of tables also dots. */
static int take_name(struct view *v, bool dots, char *buf, struct err *err)
{
	struct view name = { .p = v->p };

	while (is_bare(peek(v)) || (dots && peek(v) == '.'))
		v->p++;
	name.end = v->p;
	if (name.p == name.end)
		return err__set(err, -EINVAL,
				"a name is missing; names are letters, digits, _ and "
				"-");
	if (!view__copy(&name, buf, TOML_NAME_SZ))
		return err__set(err, -EINVAL, "'%s...' is too long for a name", buf);
	return 0;
}

/* Nothing but a comment may follow. */
static int take_end(struct view *v, struct err *err)
{
	view__blank(v);
	if (view__left(v) && peek(v) != '#')
		return err__set(err, -EINVAL, "'%c' follows the value; one line has one value",
				peek(v) < ' ' || peek(v) > '~' ? '?' : peek(v));
	return 0;
}

static int take_header(struct reading *rd, struct view *v, struct err *err)
{
	int r;

	rd->item.is_list = view__accept(v, '[');
	view__blank(v);
	r = take_name(v, true, rd->table, err);
	view__blank(v);
	if (!r && (!view__accept(v, ']') || (rd->item.is_list && !view__accept(v, ']'))))
		r = err__set(err, -EINVAL, "the header lacks its ']'");
	rd->item.type = TOML_TABLE;
	rd->key[0] = rd->text[0] = '\0';
	return r ? r : take_end(v, err);
}

/* The character that an escape stands for; 0: none that is known. */
static char unescape(u8 c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '"':
	case '\\':
		return (char)c;
	default:
		return 0;
	}
}

static int take_string(struct reading *rd, struct view *v, char quote, struct err *err)
{
	size_t len = 0;

	rd->item.type = TOML_STRING;
	while (view__left(v) && peek(v) != (u8)quote) {
		char c = (char)view__u8(v);

		if (c == '\\' && quote == '"') {
			c = unescape(view__u8(v));
			if (!c)
				return err__set(err, -EINVAL,
						"only \\\" \\\\ \\n and \\t are escapes; use "
						"'...' for text without escapes");
		} else if (((u8)c < ' ' && c != '\t') || c == 0x7f) {
			return err__set(err, -EINVAL, "the string has a control character");
		}
		if (len >= sizeof(rd->text) - 1)
			return err__set(err, -EINVAL, "the string has more than %zu bytes",
					sizeof(rd->text) - 1);
		rd->text[len++] = c;
	}
	rd->text[len] = '\0';
	if (!view__accept(v, quote))
		return err__set(err, -EINVAL, "the string lacks its closing %c", quote);
	return 0;
}

/* A decimal number, as TOML has it: _ only between digits, no leading zero. */
static int parse_integer(struct reading *rd, struct err *err)
{
	const char *p = rd->text;
	bool minus = *p == '-', digit_before = false;
	const char *first;
	u64 n = 0;

	p += *p == '-' || *p == '+';
	first = p;
	for (; *p; p++) {
		if (*p == '_' && digit_before && p[1] >= '0' && p[1] <= '9') {
			digit_before = false;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		digit_before = true;
		if (n > (u64)(INT64_MAX - (*p - '0')) / 10)
			return err__set(err, -EINVAL, "'%s' is too large", rd->text);
		n = n * 10 + (u64)(*p - '0');
	}
	if (*p || p == first || (*first == '0' && first[1]))
		return err__set(err, -EINVAL,
				"'%s' is no value: a number, true, false, or text in quotes",
				rd->text);
	rd->item.type = TOML_INTEGER;
	rd->item.number = minus ? -(s64)n : (s64)n;
	return 0;
}

static int take_word(struct reading *rd, struct view *v, struct err *err)
{
	struct view word = { .p = v->p };

	while (view__left(v) && peek(v) > ' ' && peek(v) <= '~' && peek(v) != '#')
		v->p++;
	word.end = v->p;
	if (!view__copy(&word, rd->text, TOML_NAME_SZ))
		return err__set(err, -EINVAL, "'%s...' is no value", rd->text);
	if (!*rd->text)
		return err__set(err, -EINVAL, "'%s' has no value", rd->key);
	rd->item.yes = !strcmp(rd->text, "true");
	rd->item.type = TOML_BOOLEAN;
	if (rd->item.yes || !strcmp(rd->text, "false"))
		return 0;
	return parse_integer(rd, err);
}

/* What is on this line of an array. */
static int take_elements(struct reading *rd, struct view *v, toml_item_fn *each, void *arg,
			 struct err *err)
{
	int r = 0;

	rd->item.is_element = true;
	while (!r) {
		view__blank(v);
		if (!view__left(v) || peek(v) == '#')
			return 0;
		if (view__accept(v, ']')) {
			rd->in_array = false;
			return take_end(v, err);
		}
		if (rd->after_element) {
			if (!view__accept(v, ','))
				return err__set(err, -EINVAL,
						"a ',' or ']' is missing behind \"%s\"", rd->text);
			rd->after_element = false;
			continue;
		}
		if (view__accept(v, '"'))
			r = take_string(rd, v, '"', err);
		else if (view__accept(v, '\''))
			r = take_string(rd, v, '\'', err);
		else
			r = err__set(err, -EINVAL, "'%s': an array has texts in quotes", rd->key);
		rd->after_element = true;
		r = r ? r : each(arg, &rd->item, err);
	}
	return r;
}

static int take_array(struct reading *rd, struct view *v, toml_item_fn *each, void *arg,
		      struct err *err)
{
	int r;

	rd->text[0] = '\0';
	rd->item.type = TOML_ARRAY;
	rd->in_array = true;
	rd->after_element = false;
	r = each(arg, &rd->item, err);
	return r ? r : take_elements(rd, v, each, arg, err);
}

/* *ret_is_array: an array begins. */
static int take_pair(struct reading *rd, struct view *v, bool *ret_is_array, struct err *err)
{
	int r = take_name(v, false, rd->key, err);

	if (r)
		return r;
	view__blank(v);
	if (!view__accept(v, '='))
		return err__set(err, -EINVAL, "'%s' lacks its '='", rd->key);
	view__blank(v);
	*ret_is_array = view__accept(v, '[');
	if (*ret_is_array)
		return 0;
	if (view__accept(v, '"'))
		r = take_string(rd, v, '"', err);
	else if (view__accept(v, '\''))
		r = take_string(rd, v, '\'', err);
	else
		r = take_word(rd, v, err);
	return r ? r : take_end(v, err);
}

static int read_line(struct reading *rd, struct view *line, toml_item_fn *each, void *arg,
		     struct err *err)
{
	bool is_array = false;
	int r;

	if (view__left(line) && line->end[-1] == '\r')
		line->end--;
	if (rd->in_array)
		return take_elements(rd, line, each, arg, err);
	view__blank(line);
	if (!view__left(line) || peek(line) == '#')
		return 0;
	rd->item = (struct toml_item){
		.line = rd->item.line, .table = rd->table, .key = rd->key, .text = rd->text
	};
	r = view__accept(line, '[') ? take_header(rd, line, err) :
				      take_pair(rd, line, &is_array, err);
	if (r)
		return r;
	return is_array ? take_array(rd, line, each, arg, err) : each(arg, &rd->item, err);
}

int toml_read(struct view text, toml_item_fn *each, void *arg, struct err *err)
{
	struct reading rd = { 0 };
	struct view line;

	while (view__line(&text, &line)) {
		int r;

		rd.item.line++;
		r = read_line(&rd, &line, each, arg, err);
		if (r)
			return err__wrap(err, r, "line %u", rd.item.line);
	}
	if (rd.in_array)
		return err__set(err, -EINVAL, "line %u: the array of '%s' lacks its ']'",
				rd.item.line, rd.key);
	return 0;
}

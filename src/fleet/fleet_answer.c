/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON by a cursor: an answer may have a million rows, and a tree of it would take ten times its
 * size. What goes wrong while the server writes stands as text where the JSON breaks off, because
 * the status was sent before.
 */
#include "fleet/fleet_answer.h"

#include <errno.h>
#include <string.h>

#define DEPTH_MAX 16

/* strchr() finds the end of `set`, too. */
static bool is_next_of(const struct view *v, const char *set)
{
	return view__left(v) && *v->p && strchr(set, *v->p);
}

static void skip_space(struct view *v)
{
	while (is_next_of(v, " \t\r\n"))
		v->p++;
}

static bool take(struct view *v, char c)
{
	skip_space(v);
	return view__accept(v, c);
}

static void need(struct view *v, char c)
{
	if (!take(v, c))
		v->bad = true;
}

static u32 hex4(struct view *v)
{
	u32 n = 0;

	for (u32 i = 0; i < 4; i++) {
		u8 c = view__u8(v), low = c | 0x20;

		if (c >= '0' && c <= '9')
			n = n << 4 | (u32)(c - '0');
		else if (low >= 'a' && low <= 'f')
			n = n << 4 | (u32)(low - 'a' + 10);
		else
			v->bad = true;
	}
	return n;
}

static int put(struct vec *to, u32 byte)
{
	u8 *slot = vec__push(to);

	if (!slot)
		return -ENOMEM;
	*slot = (u8)byte;
	return 0;
}

static int put_utf8(struct vec *to, u32 c)
{
	int r = 0;

	if (c < 0x80)
		return put(to, c);
	if (c >= 0x10000)
		r = put(to, 0xf0 | c >> 18);
	if (c >= 0x800 && !r)
		r = put(to, c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12);
	if (!r)
		r = put(to, c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
	return r ? r : put(to, 0x80 | (c & 0x3f));
}

/* Half of a pair without the other half becomes U+FFFD. */
static u32 code_point(struct view *v)
{
	u32 c = hex4(v), low;
	struct view rest = *v;

	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c > 0xdbff || !view__accept(&rest, '\\') || !view__accept(&rest, 'u'))
		return 0xfffd;
	low = hex4(&rest);
	if (rest.bad || low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*v = rest;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static int put_escape(struct view *v, struct vec *to)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	u8 c = view__u8(v);
	const char *at = c ? strchr(letters, c) : NULL;

	if (c == 'u')
		return put_utf8(to, code_point(v));
	if (!at)
		v->bad = true;
	return at ? put(to, (u8)values[at - letters]) : 0;
}

/* Behind its first quote. */
static int take_text(struct view *v, struct vec *to)
{
	int r = 0;

	vec__reset(to);
	while (!r) {
		u8 c = view__u8(v);

		if (v->bad || c == '"')
			return 0;
		r = c == '\\' ? put_escape(v, to) : put(to, c);
	}
	return r;
}

static void skip_text(struct view *v)
{
	while (view__left(v)) {
		u8 c = view__u8(v);

		if (c == '"')
			return;
		if (c == '\\')
			view__u8(v);
	}
	v->bad = true;
}

/* A value of any kind; of what is inside only the nesting counts. */
static void skip_value(struct view *v)
{
	u32 depth = 0;

	do {
		skip_space(v);
		if (view__accept(v, '"'))
			skip_text(v);
		else if (view__accept(v, '{') || view__accept(v, '['))
			depth++;
		else if (view__accept(v, '}') || view__accept(v, ']'))
			depth -= depth > 0;
		else if (!view__left(v) || (!depth && is_next_of(v, ",:")))
			v->bad = true;
		else if (!view__accept(v, ',') && !view__accept(v, ':'))
			while (view__left(v) && !is_next_of(v, " \t\r\n,:{}[]\""))
				v->p++;
	} while (depth && depth < DEPTH_MAX && !v->bad);
	v->bad |= depth > 0;
}

static int fault(const struct view *body, struct err *err)
{
	static const char mark[] = "DB::Exception: ";
	const u8 *at = body->p;
	size_t len = sizeof(mark) - 1, n;

	while (at && (size_t)(body->end - at) > len && memcmp(at, mark, len) != 0)
		at = memchr(at + 1, 'D', (size_t)(body->end - at - 1));
	if (!at || (size_t)(body->end - at) <= len)
		return err__set(err, -EBADMSG,
				"the answer broke off, or is not one of ClickHouse: nothing of it "
				"is used");
	at += len;
	for (n = 0; at + n < body->end && n < 200 && at[n] >= ' '; n++)
		;
	return err__set(err, -EBADMSG, "the server stopped in its answer: %.*s", (int)n,
			(const char *)at);
}

static bool is_key(struct view *v, const char *name)
{
	struct view key;

	need(v, '"');
	key.p = v->p;
	skip_text(v);
	key.end = v->p - (v->p > key.p);
	need(v, ':');
	return !v->bad && view__eq(&key, name);
}

int fleet_answer__begin(struct fleet_answer *a, struct view body, struct err *err)
{
	memset(a, 0, sizeof(*a));
	vec__init(&a->text, 1);
	a->all = a->v = body;
	need(&a->v, '{');
	while (!a->v.bad) {
		if (is_key(&a->v, "data")) {
			need(&a->v, '[');
			break;
		}
		skip_value(&a->v);
		need(&a->v, ',');
	}
	return a->v.bad ? fault(&a->all, err) : 0;
}

void fleet_answer__done(struct fleet_answer *a)
{
	if (a->text.elem_sz)
		vec__done(&a->text);
}

/* Behind the last row, up to the end; "rows" must be there. */
static int check_end(struct fleet_answer *a, struct err *err)
{
	u64 rows = ~0ULL;

	while (!a->v.bad && take(&a->v, ',')) {
		if (is_key(&a->v, "rows")) {
			skip_space(&a->v);
			rows = view__dec(&a->v);
		} else {
			skip_value(&a->v);
		}
	}
	need(&a->v, '}');
	skip_space(&a->v);
	if (a->v.bad || view__left(&a->v) || rows == ~0ULL)
		return fault(&a->all, err);
	if (rows != a->rows)
		return err__set(err, -EBADMSG, "the answer has %llu of %llu rows", a->rows, rows);
	return 0;
}

int fleet_answer__row(struct fleet_answer *a, struct err *err)
{
	if (a->inside)
		need(&a->v, ']');
	a->inside = a->comma = false;
	if (a->v.bad)
		return fault(&a->all, err);
	if (take(&a->v, ']'))
		return check_end(a, err);
	if (a->rows)
		need(&a->v, ',');
	need(&a->v, '[');
	if (a->v.bad)
		return fault(&a->all, err);
	a->inside = true;
	a->rows++;
	return 1;
}

static void next(struct fleet_answer *a)
{
	if (a->comma)
		need(&a->v, ',');
	a->comma = true;
}

/* By the server's settings, numbers of 64 bits may be in quotes. */
u64 fleet_answer__u64(struct fleet_answer *a)
{
	bool quoted;
	u64 n;

	next(a);
	quoted = take(&a->v, '"');
	n = view__dec(&a->v);
	if (quoted && !view__accept(&a->v, '"'))
		a->v.bad = true;
	return a->v.bad ? 0 : n;
}

int fleet_answer__text(struct fleet_answer *a, struct strtab *to, u32 *ret_id)
{
	int r;

	*ret_id = 0;
	next(a);
	need(&a->v, '"');
	r = take_text(&a->v, &a->text);
	if (r || a->v.bad)
		return r;
	return strtab__add_len(to, a->text.data ? a->text.data : "", a->text.len, ret_id);
}

void fleet_answer__list(struct fleet_answer *a)
{
	next(a);
	need(&a->v, '[');
	a->comma = false;
}

bool fleet_answer__more(struct fleet_answer *a)
{
	if (!a->v.bad && !take(&a->v, ']'))
		return true;
	a->comma = true;
	return false;
}

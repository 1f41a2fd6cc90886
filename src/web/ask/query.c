/* SPDX-License-Identifier: Apache-2.0 */
#include "web/ask/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

void query__init(struct query *q)
{
	vec__init(&q->pairs, sizeof(struct query_pair));
}

void query__done(struct query *q)
{
	vec__done(&q->pairs);
}

/* A name of at most so many bytes in messages; nothing in it can break a line. */
#define SHOWN "'%.40s'"

int query__add(struct query *q, const char *name, const char *value, size_t value_len,
	       struct err *err)
{
	struct query_pair *pair;
	size_t i;

	if (!value)
		value = "";
	if (q->pairs.len >= QUERY_MAX_PAIRS)
		return err__set(err, -E2BIG, "more than %d parameters", QUERY_MAX_PAIRS);
	if (value_len > QUERY_MAX_VALUE)
		return err__set(err, -EINVAL, "parameter " SHOWN ": more than %d bytes", name,
				QUERY_MAX_VALUE);
	for (i = 0; i < value_len; i++) {
		if ((unsigned char)value[i] < ' ' || value[i] == 127)
			return err__set(err, -EINVAL, "parameter " SHOWN ": a control character",
					name);
	}
	pair = vec__push(&q->pairs);
	if (!pair)
		return err__nomem(err);
	pair->name = name;
	pair->value = value;
	return 0;
}

static struct query_pair *pair_at(const struct query *q, size_t i)
{
	return vec__at(&q->pairs, i);
}

const char *query__next(struct query *q, const char *name, size_t *at)
{
	while (*at < q->pairs.len) {
		struct query_pair *pair = pair_at(q, (*at)++);

		if (!strcmp(pair->name, name)) {
			pair->used = true;
			return pair->value;
		}
	}
	return NULL;
}

const char *query__text(struct query *q, const char *name)
{
	const char *found = NULL, *value;
	size_t at = 0;

	while ((value = query__next(q, name, &at)))
		found = value;
	return found;
}

int query__u64(struct query *q, const char *name, u64 max, u64 *ret, struct err *err)
{
	const char *text = query__text(q, name);
	int r = text ? units_parse_u64(text, 0, max, ret, err) : 0;

	return r ? err__wrap(err, r, "parameter '%s'", name) : 0;
}

int query__flag(struct query *q, const char *name, bool *ret, struct err *err)
{
	static const char *const words[] = { "0", "1", "no", "yes", "false", "true" };
	const char *text = query__text(q, name);
	size_t i;

	if (!text)
		return 0;
	*ret = true;
	if (!*text)
		return 0;
	for (i = 0; i < ARRAY_LEN(words); i++) {
		if (!strcmp(text, words[i])) {
			*ret = i % 2;
			return 0;
		}
	}
	return err__set(err, -EINVAL, "parameter '%s': " SHOWN " is not 0 or 1", name, text);
}

static void name_all(const char *const *choices, char *buf, size_t sz)
{
	size_t len = 0, i;

	buf[0] = '\0';
	for (i = 0; choices[i] && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, "%s%s", i ? ", " : "", choices[i]);
}

int query__choice(struct query *q, const char *name, const char *const *choices, u32 *ret,
		  struct err *err)
{
	const char *text = query__text(q, name);
	char known[256];
	u32 i;

	if (!text)
		return 0;
	for (i = 0; choices[i]; i++) {
		if (!strcmp(text, choices[i])) {
			*ret = i;
			return 0;
		}
	}
	name_all(choices, known, sizeof(known));
	return err__set(err, -EINVAL, "parameter '%s': " SHOWN " is not one of %s", name, text,
			known);
}

int query_parse_range(const char *text, struct query_range *ret, struct err *err)
{
	char from[48] = "", to[48] = "";
	size_t from_len = strcspn(text, "-"), len = strlen(text);
	const char *rest = text + from_len;
	u64 max = ~0ULL >> 1;
	int r = 0;

	*ret = (struct query_range){ 1, max };
	if (!len || len >= sizeof(from) || (*rest && len == 1))
		return err__set(err, -EINVAL, SHOWN " is not a range of windows; try 10-20", text);
	memcpy(from, text, from_len);
	snprintf(to, sizeof(to), "%s", *rest ? rest + 1 : from);
	if (*from)
		r = units_parse_u64(from, 0, max, &ret->from, err);
	if (!r && *to)
		r = units_parse_u64(to, 0, max, &ret->to, err);
	if (!r && ret->to < ret->from)
		r = err__set(err, -EINVAL, SHOWN ": the range ends before it begins", text);
	return r;
}

int query__check(const struct query *q, struct err *err)
{
	size_t i;

	for (i = 0; i < q->pairs.len; i++) {
		if (!pair_at(q, i)->used)
			return err__set(err, -EINVAL,
					"unknown parameter " SHOWN
					"; /api/v1/openapi.json lists them",
					pair_at(q, i)->name);
	}
	return 0;
}

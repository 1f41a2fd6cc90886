/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/opt_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

/*
 * One case per type, in both directions, so that a new type is added in this file only. The table
 * has an offset into a struct that only the command knows; the macros of opt.h checked the type of
 * the field at compile time, so the casts here are safe.
 */

#define BLANKS " \t\n"
#define DIGITS "0123456789"

static void *slot(const struct opt *o, void *values)
{
	return (char *)values + o->off;
}

static const void *const_slot(const struct opt *o, const void *values)
{
	return (const char *)values + o->off;
}

static u64 upper_limit(const struct opt *o)
{
	return o->max ? o->max : ~0ULL;
}

static int set_ns(const struct opt *o, const char *text, u64 *ret, struct err *err)
{
	char low[32], high[32];
	u64 ns;
	int r = units_parse_ns(text, o->bare_ns ? o->bare_ns : NSEC_PER_SEC, &ns, err);

	if (r < 0)
		return r;
	units_format_ns(o->min, low, sizeof(low));
	units_format_ns(upper_limit(o), high, sizeof(high));
	if (ns < o->min)
		return err__set(err, -EINVAL, "'%s' is too short; at least %s", text, low);
	if (ns > upper_limit(o))
		return err__set(err, -EINVAL, "'%s' is too long; at most %s", text, high);
	*ret = ns;
	return 0;
}

static int set_bytes(const struct opt *o, const char *text, u64 *ret, struct err *err)
{
	char low[32], high[32];
	u64 bytes;
	int r = units_parse_bytes(text, &bytes, err);

	if (r < 0)
		return r;
	units_format_bytes(o->min, low, sizeof(low));
	units_format_bytes(upper_limit(o), high, sizeof(high));
	if (bytes < o->min)
		return err__set(err, -EINVAL, "'%s' is too small; at least %s", text, low);
	if (bytes > upper_limit(o))
		return err__set(err, -EINVAL, "'%s' is too large; at most %s", text, high);
	*ret = bytes;
	return 0;
}

static int set_choice(const struct opt *o, const char *text, u32 *ret, struct err *err)
{
	char list[256];
	size_t len = 0;
	u32 i;

	list[0] = '\0';
	for (i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], text)) {
			*ret = i;
			return 0;
		}
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
						i ? ", " : "", o->choices[i]);
	}
	return err__set(err, -EINVAL, "'%s' is not one of %s", text, list);
}

static int add_id(struct vec *ids, u32 id, struct err *err)
{
	u32 *place;
	size_t i;

	if (!ids->elem_sz)
		vec__init(ids, sizeof(u32));
	for (i = 0; i < ids->len; i++) {
		if (*(u32 *)vec__at(ids, i) == id)
			return 0;
	}
	place = vec__push(ids);
	if (!place)
		return err__nomem(err);
	*place = id;
	return 0;
}

/* What stands between two ids: a comma, or what pgrep and pidof print. False: something else. */
static bool skip_separator(const char **p)
{
	const char *begin = *p;

	*p += strspn(*p, BLANKS);
	if (**p == ',')
		*p += 1 + strspn(*p + 1, BLANKS);
	return *p > begin;
}

static int add_ids(const struct opt *o, const char *text, struct vec *ids, struct err *err)
{
	u64 max = o->max ? o->max : (u32)~0U;
	const char *p = text + strspn(text, BLANKS);
	char item[24];
	u64 id;
	int r;

	for (;;) {
		size_t len = strcspn(p, "," BLANKS);

		if (!len || len >= sizeof(item))
			return err__set(err, -EINVAL,
					"'%s' is not a list of numbers; try 1 or 1,2,3", text);
		memcpy(item, p, len);
		item[len] = '\0';
		r = units_parse_u64(item, o->min, max, &id, err);
		if (r < 0)
			return r;
		r = add_id(ids, (u32)id, err);
		p += len;
		if (r < 0 || !p[strspn(p, BLANKS)] || !skip_separator(&p))
			return r;
	}
}

bool opt_value_is_ids(const char *text)
{
	return strspn(text, DIGITS "," BLANKS) == strlen(text) && strpbrk(text, DIGITS);
}

static int add_string(struct vec *strings, const char *text, struct err *err)
{
	const char **place;

	if (!strings->elem_sz)
		vec__init(strings, sizeof(const char *));
	place = vec__push(strings);
	if (!place)
		return err__nomem(err);
	*place = text;
	return 0;
}

int opt_value_set(const struct opt *o, const char *text, void *values, struct err *err)
{
	void *p = slot(o, values);

	/* No option accepts an empty text; it usually is an unset variable in a script. */
	if (!*text)
		return err__set(err, -EINVAL, "the value is empty; expected %s", o->metavar);
	switch (o->type) {
	case OPT_TYPE_STRING:
		*(const char **)p = text;
		return 0;
	case OPT_TYPE_NS:
		return set_ns(o, text, p, err);
	case OPT_TYPE_BYTES:
		return set_bytes(o, text, p, err);
	case OPT_TYPE_U64:
		return units_parse_u64(text, o->min, upper_limit(o), p, err);
	case OPT_TYPE_IDS:
		return add_ids(o, text, p, err);
	case OPT_TYPE_CHOICE:
		return set_choice(o, text, p, err);
	case OPT_TYPE_STRINGS:
		return add_string(p, text, err);
	case OPT_TYPE_CUSTOM:
		return o->parse(text, p, err);
	case OPT_TYPE_FLAG:
	case OPT_TYPE_REST:
	case OPT_TYPE_HEADING:
	case OPT_TYPE_END:
		break;
	}
	return err__set(err, -EINVAL, "takes no value");
}

void opt_value_set_flag(const struct opt *o, bool on, void *values)
{
	*(bool *)slot(o, values) = on;
}

void opt_value_release(const struct opt *o, void *values)
{
	if (o->type == OPT_TYPE_IDS || o->type == OPT_TYPE_STRINGS)
		vec__done(slot(o, values));
}

/* In the largest unit that gives a whole number: what one would type, not what one would print. */
static void format_ns(u64 ns, char *buf, size_t sz)
{
	static const struct {
		u64 ns;
		const char *unit;
	} units[] = {
		{ 3600 * NSEC_PER_SEC, "h" }, { 60 * NSEC_PER_SEC, "m" }, { NSEC_PER_SEC, "s" },
		{ NSEC_PER_MSEC, "ms" },      { NSEC_PER_USEC, "us" },	  { 1, "ns" },
	};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf(buf, sz, "%llu%s", ns / units[i].ns, units[i].unit);
}

static void format_bytes(u64 bytes, char *buf, size_t sz)
{
	static const char units[] = "gmk";
	int shift = 30;
	size_t i;

	for (i = 0; units[i]; i++, shift -= 10) {
		if (!(bytes & ((1ULL << shift) - 1))) {
			snprintf(buf, sz, "%llu%c", bytes >> shift, units[i]);
			return;
		}
	}
	snprintf(buf, sz, "%llu", bytes);
}

static bool default_number(const struct opt *o, u64 value, char *buf, size_t sz)
{
	if (!value || value == upper_limit(o))
		return false;
	if (o->type == OPT_TYPE_NS)
		format_ns(value, buf, sz);
	else if (o->type == OPT_TYPE_BYTES)
		format_bytes(value, buf, sz);
	else
		snprintf(buf, sz, "%llu", value);
	return true;
}

bool opt_value_default(const struct opt *o, const void *defaults, char *buf, size_t sz)
{
	const void *p;

	if (!defaults)
		return false;
	p = const_slot(o, defaults);
	switch (o->type) {
	case OPT_TYPE_FLAG:
		snprintf(buf, sz, "yes");
		return *(const bool *)p;
	case OPT_TYPE_STRING:
		if (!*(const char *const *)p)
			return false;
		snprintf(buf, sz, "%s", *(const char *const *)p);
		return true;
	case OPT_TYPE_NS:
	case OPT_TYPE_BYTES:
	case OPT_TYPE_U64:
		return default_number(o, *(const u64 *)p, buf, sz);
	case OPT_TYPE_CHOICE:
		snprintf(buf, sz, "%s", o->choices[*(const u32 *)p]);
		return true;
	default:
		return false;
	}
}

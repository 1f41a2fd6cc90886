/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/setting.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/spell.h"
#include "base/clock.h"
#include "base/text/units.h"
#include "push/url.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)

static int refuse(const struct setting *set, struct err *err)
{
	return err__set(err, -EINVAL, "%s: write it as %s = %s", set->name, set->name,
			set->example);
}

static int take_text(const struct setting *set, const struct toml_item *item, char *to,
		     struct err *err)
{
	size_t len = strlen(item->text);

	if (item->type != TOML_STRING)
		return refuse(set, err);
	if (len < set->min || len >= set->sz)
		return err__set(err, -EINVAL, "%s: the text must have %llu to %zu bytes", set->name,
				(unsigned long long)set->min, set->sz - 1);
	memset(to, 0, set->sz);
	memcpy(to, item->text, len);
	return 0;
}

static int parse_number(const struct setting *set, const struct toml_item *item, u64 *ret,
			struct err *err)
{
	if (item->type == TOML_INTEGER && item->number >= 0 &&
	    (set->kind == SETTING_NUMBER || set->kind == SETTING_BYTES || !item->number)) {
		*ret = (u64)item->number;
		return 0;
	}
	if (item->type != TOML_STRING || set->kind == SETTING_NUMBER)
		return refuse(set, err);
	/* nothing of any unit */
	if (!strcmp(item->text, "0")) {
		*ret = 0;
		return 0;
	}
	switch (set->kind) {
	case SETTING_TIME:
		return units_parse_ns(item->text, 0, ret, err);
	case SETTING_PERCENT:
		return units_parse_percent(item->text, ret, err);
	default:
		return units_parse_bytes(item->text, ret, err);
	}
}

/* As people write it. */
static void format(const struct setting *set, u64 n, char *buf, size_t sz)
{
	if (set->kind == SETTING_TIME && n && !(n % MINUTE_NS))
		snprintf(buf, sz, "%llum", (unsigned long long)(n / MINUTE_NS));
	else if (set->kind == SETTING_TIME && n && !(n % NSEC_PER_SEC))
		snprintf(buf, sz, "%llus", (unsigned long long)(n / NSEC_PER_SEC));
	else if (set->kind == SETTING_TIME && n)
		snprintf(buf, sz, "%lluns", (unsigned long long)n);
	else if (set->kind == SETTING_PERCENT)
		snprintf(buf, sz, "%g%%", (double)n / 10000);
	else if (set->kind == SETTING_BYTES && n && !(n % (1 << 20)))
		snprintf(buf, sz, "%lluMiB", (unsigned long long)(n >> 20));
	else
		snprintf(buf, sz, "%llu", (unsigned long long)n);
}

static int take_number(const struct setting *set, const struct toml_item *item, u64 *to,
		       struct err *err)
{
	char min[32], max[32];
	u64 n = 0;
	int r = parse_number(set, item, &n, err);

	if (r)
		return err && strncmp(err->msg, set->name, strlen(set->name)) ?
			       err__wrap(err, r, "%s", set->name) :
			       r;
	if ((n >= set->min && n <= set->max) || (set->or_none && !n)) {
		*to = n;
		return 0;
	}
	format(set, set->min, min, sizeof(min));
	format(set, set->max, max, sizeof(max));
	if (set->max == ~0ULL)
		return err__set(err, -EINVAL, "%s: %s is less than %s", set->name, item->text, min);
	return err__set(err, -EINVAL, "%s: %s is not between %s and %s", set->name, item->text, min,
			max);
}

/* Another one, which must be a target, and not one of those before. */
static int add_url(const struct setting *set, const char *text, char *list, struct err *err)
{
	size_t most = set->sz / SETTING_URL_SZ, i;
	struct push_url url, other;
	int r = push_url__parse(&url, text, err);

	if (r)
		return err__wrap(err, r, "%s", set->name);
	for (i = 0; i < most && *list; i++, list += SETTING_URL_SZ) {
		if (!push_url__parse(&other, list, NULL) && push_url__is_same(&url, &other))
			return err__set(err, -EINVAL, "%s: the target %s is given twice", set->name,
					url.name);
	}
	if (i == most)
		return err__set(err, -EINVAL, "%s: at most %zu targets", set->name, most);
	snprintf(list, SETTING_URL_SZ, "%s", text);
	return 0;
}

static int take_urls(const struct setting *set, const struct toml_item *item, char *list,
		     struct err *err)
{
	if (item->is_element)
		return add_url(set, item->text, list, err);
	if (item->type != TOML_ARRAY)
		return refuse(set, err);
	memset(list, 0, set->sz);
	return 0;
}

int setting__take(const struct setting *set, const struct toml_item *item, void *base,
		  struct err *err)
{
	char *at = (char *)base + set->off;

	if (set->kind == SETTING_URLS)
		return take_urls(set, item, at, err);
	if (set->kind == SETTING_TEXT)
		return take_text(set, item, at, err);
	if (set->kind != SETTING_FLAG)
		return take_number(set, item, (u64 *)(void *)at, err);
	if (item->type != TOML_BOOLEAN)
		return refuse(set, err);
	*(bool *)at = item->yes;
	return 0;
}

int setting_unknown(const struct setting *settings, size_t len, const char *name, struct err *err)
{
	struct spell spell;

	spell__init(&spell, name);
	for (size_t i = 0; i < len; i++)
		spell__offer(&spell, settings[i].name);
	if (spell.best)
		return err__set(err, -EINVAL, "unknown setting '%s'; did you mean '%s'?", name,
				spell.best);
	return err__set(err, -EINVAL, "unknown setting '%s'; `coldspot agent --check` lists them",
			name);
}

static void put_text(const char *text, struct sink *out)
{
	sink__puts(out, "\"");
	for (; *text; text++) {
		if (*text == '\n' || *text == '\t')
			sink__puts(out, *text == '\n' ? "\\n" : "\\t");
		else if (*text == '"' || *text == '\\')
			sink__printf(out, "\\%c", *text);
		else
			sink__put(out, text, 1);
	}
	sink__puts(out, "\"");
}

static void put_urls(const struct setting *set, const char *list, struct sink *out)
{
	sink__puts(out, "[");
	for (size_t i = 0; i < set->sz / SETTING_URL_SZ && *list; i++, list += SETTING_URL_SZ) {
		sink__puts(out, i ? ", " : "");
		put_text(list, out);
	}
	sink__puts(out, "]");
}

void setting__put(const struct setting *set, const void *base, struct sink *out)
{
	const char *at = (const char *)base + set->off;
	char text[32];
	u64 n;

	sink__printf(out, "%s = ", set->name);
	if (set->kind == SETTING_URLS) {
		put_urls(set, at, out);
	} else if (set->kind == SETTING_TEXT) {
		put_text(at, out);
	} else if (set->kind == SETTING_FLAG) {
		sink__puts(out, *(const bool *)at ? "true" : "false");
	} else {
		memcpy(&n, at, sizeof(n));
		format(set, n, text, sizeof(text));
		sink__printf(out, set->kind == SETTING_NUMBER || !n ? "%s" : "\"%s\"", text);
	}
	sink__puts(out, "\n");
}

bool setting__is_equal(const struct setting *set, const void *a, const void *b)
{
	const char *x = (const char *)a + set->off, *y = (const char *)b + set->off;

	if (set->kind == SETTING_TEXT)
		return !strcmp(x, y);
	return !memcmp(x, y, set->sz);
}

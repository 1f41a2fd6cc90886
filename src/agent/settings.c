/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each setting: its name, where it is, how it is written, and its bounds. */
#include "agent/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/spell.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text/toml.h"
#include "base/text/units.h"
#include "push/url.h"

#define MAX_FILE_SZ (256 << 10)
#define MINUTE_NS (60 * NSEC_PER_SEC)

enum kind {
	TEXT,
	TIME,
	PERCENT,
	BYTES,
	NUMBER,
	FLAG,
	URLS,
};

struct setting {
	const char *name;
	enum kind kind;
	size_t off;
	u64 min, max; /* not of 0, if `or_none` */
	bool or_none;
	bool restart; /* a change needs a new recording */
	const char *example; /* for messages */
};

#define AT(field) offsetof(struct agent_settings, field)
static const struct setting settings[] = {
	{ "store", TEXT, AT(store), 1, 0, false, true, "\"/var/lib/coldspot\"" },
	{ "window", TIME, AT(window_ns), NSEC_PER_SEC, 60 * MINUTE_NS, false, true, "\"1m\"" },
	{ "interval", TIME, AT(interval_ns), NSEC_PER_SEC, 60 * MINUTE_NS, true, true, "\"10s\"" },
	{ "max_overhead", PERCENT, AT(overhead_ppm), 100, 500000, false, true, "\"0.5%\"" },
	{ "max_memory", BYTES, AT(memory_bytes), 16 << 20, ~0ULL, true, true, "\"64MiB\"" },
	{ "max_user_memory", BYTES, AT(user_memory_bytes), 48 << 20, ~0ULL, true, true,
	  "\"512MiB\"" },
	{ "wakers", FLAG, AT(wakers), 0, 0, false, true, "false" },
	{ "hooks_only", FLAG, AT(hooks_only), 0, 0, false, true, "false" },
	{ "rules", TEXT, AT(rules), 0, 0, false, true, "\"/etc/coldspot/rules\"" },
	{ "retention_days", NUMBER, AT(retention_days), 1, 36500, true, false, "30" },
	{ "retention_bytes", BYTES, AT(retention_bytes), 1 << 20, ~0ULL, true, false, "\"10GiB\"" },
	{ "push", URLS, AT(push), 0, 0, false, false, "[\"otlp+http://collector:4318\"]" },
};
#undef AT

void agent_settings__init(struct agent_settings *s)
{
	*s = (struct agent_settings){
		.store = "/var/lib/coldspot",
		.window_ns = MINUTE_NS,
		.interval_ns = 10 * NSEC_PER_SEC,
		.overhead_ppm = 5000,
		.retention_days = 30,
		.retention_bytes = 10ULL << 30,
	};
}

struct parsing {
	struct agent_settings s;
	bool seen[ARRAY_LEN(settings)];
};

static int refuse(const struct setting *set, struct err *err)
{
	return err__set(err, -EINVAL, "%s: write it as %s = %s", set->name, set->name,
			set->example);
}

static int take_text(const struct setting *set, const struct toml_item *item, char *to,
		     struct err *err)
{
	size_t sz = sizeof(((struct agent_settings *)0)->store), len = strlen(item->text);

	if (item->type != TOML_STRING)
		return refuse(set, err);
	if (len < set->min || len >= sz)
		return err__set(err, -EINVAL, "%s: the text must have %llu to %zu bytes", set->name,
				(unsigned long long)set->min, sz - 1);
	memcpy(to, item->text, len + 1);
	return 0;
}

static int parse_number(const struct setting *set, const struct toml_item *item, u64 *ret,
			struct err *err)
{
	if (item->type == TOML_INTEGER && item->number >= 0 &&
	    (set->kind == NUMBER || set->kind == BYTES || !item->number)) {
		*ret = (u64)item->number;
		return 0;
	}
	if (item->type != TOML_STRING || set->kind == NUMBER)
		return refuse(set, err);
	switch (set->kind) {
	case TIME:
		return units_parse_ns(item->text, 0, ret, err);
	case PERCENT:
		return units_parse_percent(item->text, ret, err);
	default:
		return units_parse_bytes(item->text, ret, err);
	}
}

/* As people write it. */
static void format(const struct setting *set, u64 n, char *buf, size_t sz)
{
	if (set->kind == TIME && n && !(n % MINUTE_NS))
		snprintf(buf, sz, "%llum", (unsigned long long)(n / MINUTE_NS));
	else if (set->kind == TIME && n && !(n % NSEC_PER_SEC))
		snprintf(buf, sz, "%llus", (unsigned long long)(n / NSEC_PER_SEC));
	else if (set->kind == TIME && n)
		snprintf(buf, sz, "%lluns", (unsigned long long)n);
	else if (set->kind == PERCENT)
		snprintf(buf, sz, "%g%%", (double)n / 10000);
	else if (set->kind == BYTES && n && !(n % (1 << 20)))
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

typedef char url_list[AGENT_TARGETS_MAX][AGENT_TARGET_SZ];

/* Another one, which must be a target, and not one of those before. */
static int add_url(const struct setting *set, const char *text, url_list *list, struct err *err)
{
	struct push_url url, other;
	size_t i;
	int r = push_url__parse(&url, text, err);

	if (r)
		return err__wrap(err, r, "%s", set->name);
	for (i = 0; i < AGENT_TARGETS_MAX && (*list)[i][0]; i++) {
		if (!push_url__parse(&other, (*list)[i], NULL) && push_url__is_same(&url, &other))
			return err__set(err, -EINVAL, "%s: the target %s is given twice", set->name,
					url.name);
	}
	if (i == AGENT_TARGETS_MAX)
		return err__set(err, -EINVAL, "%s: at most %d targets", set->name,
				AGENT_TARGETS_MAX);
	snprintf((*list)[i], sizeof((*list)[i]), "%s", text);
	return 0;
}

static int take_urls(const struct setting *set, const struct toml_item *item, url_list *list,
		     struct err *err)
{
	if (item->is_element)
		return add_url(set, item->text, list, err);
	if (item->type != TOML_ARRAY)
		return refuse(set, err);
	memset(list, 0, sizeof(*list));
	return 0;
}

static int take(const struct setting *set, const struct toml_item *item, struct agent_settings *s,
		struct err *err)
{
	char *at = (char *)s + set->off;

	if (set->kind == URLS)
		return take_urls(set, item, (url_list *)(void *)at, err);
	if (set->kind == TEXT)
		return take_text(set, item, at, err);
	if (set->kind != FLAG)
		return take_number(set, item, (u64 *)(void *)at, err);
	if (item->type != TOML_BOOLEAN)
		return refuse(set, err);
	*(bool *)at = item->yes;
	return 0;
}

static int unknown(const char *name, struct err *err)
{
	struct spell spell;

	spell__init(&spell, name);
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		spell__offer(&spell, settings[i].name);
	if (spell.best)
		return err__set(err, -EINVAL, "unknown setting '%s'; did you mean '%s'?", name,
				spell.best);
	return err__set(err, -EINVAL, "unknown setting '%s'; `coldspot agent --check` lists them",
			name);
}

static int each(void *arg, const struct toml_item *item, struct err *err)
{
	struct parsing *ps = arg;

	if (item->type == TOML_TABLE)
		return err__set(err, -EINVAL, "unknown table [%s]", item->table);
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		if (strcmp(settings[i].name, item->key))
			continue;
		if (ps->seen[i] && !item->is_element)
			return err__set(err, -EINVAL, "%s is given twice", item->key);
		ps->seen[i] = true;
		return take(&settings[i], item, &ps->s, err);
	}
	return unknown(item->key, err);
}

int agent_settings__parse(struct agent_settings *s, struct view text, struct err *err)
{
	struct parsing ps = { .s = *s };
	int r = toml_read(text, each, &ps, err);

	if (!r && ps.s.interval_ns > ps.s.window_ns)
		ps.s.interval_ns = ps.s.window_ns;
	if (!r)
		*s = ps.s;
	return r;
}

int agent_settings__read(struct agent_settings *s, const char *path, struct err *err)
{
	char *data;
	size_t sz;
	int r = file_read(path, MAX_FILE_SZ, &data, &sz, err);

	if (r)
		return r;
	r = agent_settings__parse(s, view__of(data, sz), err);
	mem_free(data);
	return r ? err__wrap(err, r, "%s", path) : 0;
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

static void put_urls(const char *list, struct sink *out)
{
	sink__puts(out, "[");
	for (size_t i = 0; i < AGENT_TARGETS_MAX && *list; i++, list += AGENT_TARGET_SZ) {
		sink__puts(out, i ? ", " : "");
		put_text(list, out);
	}
	sink__puts(out, "]");
}

static void put(const struct setting *set, const struct agent_settings *s, struct sink *out)
{
	const char *at = (const char *)s + set->off;
	char text[32];
	u64 n;

	sink__printf(out, "%s = ", set->name);
	if (set->kind == URLS) {
		put_urls(at, out);
	} else if (set->kind == TEXT) {
		put_text(at, out);
	} else if (set->kind == FLAG) {
		sink__puts(out, *(const bool *)at ? "true" : "false");
	} else {
		memcpy(&n, at, sizeof(n));
		format(set, n, text, sizeof(text));
		sink__printf(out, set->kind == NUMBER || !n ? "%s" : "\"%s\"", text);
	}
	sink__puts(out, "\n");
}

void agent_settings__put(const struct agent_settings *s, struct sink *out)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		put(&settings[i], s, out);
}

bool agent_settings__need_restart(const struct agent_settings *from,
				  const struct agent_settings *to)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		const struct setting *set = &settings[i];
		const char *a = (const char *)from + set->off, *b = (const char *)to + set->off;

		if (set->restart &&
		    (set->kind == TEXT ? strcmp(a, b) : memcmp(a, b, set->kind == FLAG ? 1 : 8)))
			return true;
	}
	return false;
}

bool agent_settings__push_otherwise(const struct agent_settings *from,
				    const struct agent_settings *to)
{
	return memcmp(from->push, to->push, sizeof(from->push)) || strcmp(from->store, to->store) ||
	       strcmp(from->rules, to->rules);
}

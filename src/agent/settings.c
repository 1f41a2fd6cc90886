/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each setting, and for each of a [[watch]]. */
#include "agent/settings.h"

#include <errno.h>
#include <string.h>

#include "agent/setting.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#define MAX_FILE_SZ (256 << 10)
#define MINUTE_NS (60 * NSEC_PER_SEC)

#define AT(field)                                                                                  \
	offsetof(struct agent_settings, field), sizeof(((struct agent_settings *)0)->field)
static const struct setting settings[] = {
	{ "store", SETTING_TEXT, AT(store), 1, 0, false, true, "\"/var/lib/coldspot\"" },
	{ "window", SETTING_TIME, AT(window_ns), NSEC_PER_SEC, 60 * MINUTE_NS, false, true,
	  "\"1m\"" },
	{ "interval", SETTING_TIME, AT(interval_ns), NSEC_PER_SEC, 60 * MINUTE_NS, true, true,
	  "\"10s\"" },
	{ "max_overhead", SETTING_PERCENT, AT(overhead_ppm), 100, 500000, false, true, "\"0.5%\"" },
	{ "max_memory", SETTING_BYTES, AT(memory_bytes), 16 << 20, ~0ULL, true, true, "\"64MiB\"" },
	{ "max_user_memory", SETTING_BYTES, AT(user_memory_bytes), 48 << 20, ~0ULL, true, true,
	  "\"512MiB\"" },
	{ "wakers", SETTING_FLAG, AT(wakers), 0, 0, false, true, "false" },
	{ "hooks_only", SETTING_FLAG, AT(hooks_only), 0, 0, false, true, "false" },
	{ "keep_short_threads", SETTING_FLAG, AT(keep_short_threads), 0, 0, false, false, "false" },
	{ "rules", SETTING_TEXT, AT(rules), 0, 0, false, true, "\"/etc/coldspot/rules\"" },
	{ "retention_days", SETTING_NUMBER, AT(retention_days), 1, 36500, true, false, "30" },
	{ "rollup_months", SETTING_NUMBER, AT(rollup_months), 1, 1200, true, false, "13" },
	{ "retention_bytes", SETTING_BYTES, AT(retention_bytes), 1 << 20, ~0ULL, true, false,
	  "\"10GiB\"" },
	{ "metrics_file", SETTING_TEXT, AT(metrics_file), 0, 0, false, false,
	  "\"/var/lib/prometheus/node-exporter/coldspot.prom\"" },
	{ "push", SETTING_URLS, AT(push), 0, 0, false, false, "[\"otlp+http://collector:4318\"]" },
};
#undef AT

#define AT(field) offsetof(struct watch_rule, field), sizeof(((struct watch_rule *)0)->field)
static const struct setting watch_settings[] = {
	{ "name", SETTING_TEXT, AT(name), 1, 0, false, false, "\"slow commits\"" },
	{ "cause", SETTING_TEXT, AT(cause), 0, 0, false, false, "\"disk-sync\"" },
	{ "process", SETTING_TEXT, AT(process), 0, 0, false, false, "\"postgres*\"" },
	{ "cgroup", SETTING_TEXT, AT(cgroup), 0, 0, false, false, "\"nginx.service\"" },
	{ "share", SETTING_PERCENT, AT(share_ppm), 1, 1000000, true, false, "\"20%\"" },
	{ "rate", SETTING_TIME, AT(rate_ns), 1, ~0ULL, true, false, "\"500ms\"" },
	{ "longest", SETTING_TIME, AT(longest_ns), 1, ~0ULL, true, false, "\"2s\"" },
	{ "windows", SETTING_NUMBER, AT(windows), 1, 100000, false, false, "3" },
	{ "run", SETTING_TEXT, AT(run), 0, 0, false, false, "\"/usr/local/bin/page-me\"" },
	{ "limit", SETTING_TIME, AT(limit_ns), NSEC_PER_MSEC, 60 * MINUTE_NS, false, false,
	  "\"10s\"" },
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
		.rollup_months = 13,
		.retention_bytes = 10ULL << 30,
	};
}

struct parsing {
	struct agent_settings s;
	bool seen[ARRAY_LEN(settings)];
	bool watch_seen[ARRAY_LEN(watch_settings)];
	bool in_watch;
};

/* The table at hand is over. */
static int end_watch(struct parsing *ps, struct err *err)
{
	const struct watch_rule *rule = &ps->s.watches[ps->s.watches_len];

	if (!ps->in_watch)
		return 0;
	for (u32 i = 0; i < ps->s.watches_len; i++) {
		if (!strcmp(ps->s.watches[i].name, rule->name))
			return err__set(err, -EINVAL, "there are two watches '%s'", rule->name);
	}
	ps->s.watches_len++;
	ps->in_watch = false;
	return watch_rule__check(rule, err);
}

static int begin_table(struct parsing *ps, const struct toml_item *item, struct err *err)
{
	int r = end_watch(ps, err);

	if (r)
		return r;
	if (strcmp(item->table, "watch") || !item->is_list)
		return err__set(err, -EINVAL, "unknown table [%s]; there is [[watch]]",
				item->table);
	if (ps->s.watches_len == WATCH_RULES_MAX)
		return err__set(err, -EINVAL, "there are more than %d watches", WATCH_RULES_MAX);
	memset(&ps->s.watches[ps->s.watches_len], 0, sizeof(ps->s.watches[0]));
	ps->s.watches[ps->s.watches_len].windows = 1;
	ps->s.watches[ps->s.watches_len].limit_ns = 10 * NSEC_PER_SEC;
	memset(ps->watch_seen, 0, sizeof(ps->watch_seen));
	ps->in_watch = true;
	return 0;
}

static int take(const struct setting *rows, size_t len, bool *seen, const struct toml_item *item,
		void *base, struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		if (strcmp(rows[i].name, item->key))
			continue;
		if (seen[i] && !item->is_element)
			return err__set(err, -EINVAL, "%s is given twice", item->key);
		seen[i] = true;
		return setting__take(&rows[i], item, base, err);
	}
	return setting_unknown(rows, len, item->key, err);
}

static int each(void *arg, const struct toml_item *item, struct err *err)
{
	struct parsing *ps = arg;

	if (item->type == TOML_TABLE)
		return begin_table(ps, item, err);
	if (ps->in_watch)
		return take(watch_settings, ARRAY_LEN(watch_settings), ps->watch_seen, item,
			    &ps->s.watches[ps->s.watches_len], err);
	return take(settings, ARRAY_LEN(settings), ps->seen, item, &ps->s, err);
}

/* The collector looks at no others, and passes over them without a word. */
static int check_metrics_file(const char *path, struct err *err)
{
	size_t len = strlen(path);

	if (!len || (path[0] == '/' && len > 6 && !strcmp(path + len - 5, ".prom")))
		return 0;
	return err__set(err, -EINVAL, "metrics_file: '%s' must begin with '/' and end with .prom",
			path);
}

int agent_settings__parse(struct agent_settings *s, struct view text, struct err *err)
{
	struct parsing ps = { .s = *s };
	int r;

	ps.s.watches_len = 0;
	r = toml_read(text, each, &ps, err);
	if (!r)
		r = end_watch(&ps, err);
	if (!r)
		r = check_metrics_file(ps.s.metrics_file, err);
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

/* What nobody set is not worth a line. */
static bool is_default(const struct setting *set, const struct watch_rule *rule)
{
	static const struct watch_rule none;

	return setting__is_equal(set, rule, &none);
}

void agent_settings__put(const struct agent_settings *s, struct sink *out)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		setting__put(&settings[i], s, out);
	for (u32 i = 0; i < s->watches_len; i++) {
		sink__puts(out, "\n[[watch]]\n");
		for (size_t k = 0; k < ARRAY_LEN(watch_settings); k++) {
			if (!is_default(&watch_settings[k], &s->watches[i]))
				setting__put(&watch_settings[k], &s->watches[i], out);
		}
	}
}

bool agent_settings__need_restart(const struct agent_settings *from,
				  const struct agent_settings *to)
{
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		if (settings[i].restart && !setting__is_equal(&settings[i], from, to))
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

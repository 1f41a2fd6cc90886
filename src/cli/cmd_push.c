/* SPDX-License-Identifier: Apache-2.0 */
/* push: sends what a store has to servers. The agent starts it for its own targets. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/loaded_rules.h"
#include "app/run.h"
#include "app/time_range.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "capture/feature/privilege.h"
#include "cli/rules_opts.h"
#include "push/push.h"
#include "push/target.h"
#include "store/store.h"

#define DEFAULT_STORE "/var/lib/coldspot"

struct push_values {
	const char *store;
	const char *state;
	struct time_point since;
	struct rules_options rules;
	bool follow;
	bool clickhouse_schema;
	struct vec urls;
};

static const struct push_values defaults = { .store = DEFAULT_STORE };

#define V struct push_values
static const struct opt table[] = {
	{ 0, "store", OPT_STRING(V, store), "DIRECTORY", "The store. Default: " DEFAULT_STORE ".",
	  .flags = OPT_FILE },
	{ 0, "state", OPT_STRING(V, state), "DIRECTORY",
	  "Where to remember what each target has had. Default: the store.", .flags = OPT_FILE },
	{ 0, "since", OPT_CUSTOM(V, since), "TIME",
	  "A target that has had nothing begins with the first window that ends after this time, "
	  "written as for `report`. Default: with the first one in the store; with --follow, with "
	  "the next one that is written.",
	  .parse = time_point_parse },
	{ 0, "follow", OPT_FLAG(V, follow), NULL,
	  "Go on with windows that are written later, until a signal." },
	RULES_OPTS(V, rules),
	{ 0, "clickhouse-schema", OPT_FLAG(V, clickhouse_schema), NULL,
	  "Only print the statements that make the tables for ClickHouse." },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_STRINGS(V, urls), "URL",
	  "Targets: NAME+http://HOST[:PORT] or NAME+https://..., where NAME is otlp, pyroscope, "
	  "parca or clickhouse." },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot push otlp+http://collector:4318", "Send what the collector has not had." },
	{ "coldspot push --since -1h 'pyroscope+https://p.example/?header-file=/etc/token'",
	  "The last hour, with a header from a file." },
	{ "coldspot push --clickhouse-schema | clickhouse-client", "Make the tables." },
	{ NULL, NULL },
};

const struct opt_command push_opts = {
	.name = "push",
	.summary = "send windows of a store to servers of profiles",
	.description =
		"Sends the windows of a store that a target has not had, each at least once, and "
		"ends. The status is 0 if the targets took all of them. What each target has had "
		"is kept beside the store.\n\n"
		"docs/push.md describes the targets.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct push_values),
	.defaults = &defaults,
};

static void say(void *arg, enum push_level level, const char *sentence)
{
	char clean[1600];

	(void)arg;
	(void)level;
	fprintf(stderr, "coldspot push: %s\n", utf8_copy_harmless(sentence, clean, sizeof(clean)));
}

/* *ret: as push_options.since_wall_ns. */
static int find_since(const struct push_values *v, u64 *ret, struct err *err)
{
	const struct time_range range = { .from = v->since };
	struct store *s = NULL;
	struct time_span span;
	u64 first_ns, last_ns;
	int r;

	*ret = v->follow ? ~0ULL : 0;
	if (v->since.kind == TIME_POINT_NONE)
		return 0;
	r = store__open(v->store, &s, err);
	if (!r)
		r = store__span(s, &first_ns, &last_ns, err);
	if (!r)
		r = time_range__span(&range, first_ns, last_ns, &span, err);
	store__close(s);
	if (!r)
		*ret = span.from_ns;
	return r;
}

static int push(const struct push_values *v, struct push_result *ret, struct err *err)
{
	struct loaded_rules rules = { 0 };
	struct push_options opt = {
		.store = v->store,
		.state = v->state,
		.urls = v->urls.data,
		.urls_len = v->urls.len,
		.follow = v->follow,
		.stop = run_is_over,
		.say = say,
	};
	/* what servers answer is parsed here */
	int r = privilege__drop(0, err);

	if (!r)
		r = loaded_rules__init(&rules, &v->rules, err);
	opt.rules = rules.set;
	if (!r)
		r = find_since(v, &opt.since_wall_ns, err);
	if (!r) {
		run_catch_signals();
		r = push_run(&opt, ret, err);
	}
	loaded_rules__done(&rules);
	return r;
}

static int report(const struct push_result *result)
{
	char bytes[32];

	units_format_bytes(result->bytes, bytes, sizeof(bytes));
	printf("%llu window%s pushed, %s", result->taken, units_plural(result->taken), bytes);
	if (result->refused)
		printf("; %llu refused", result->refused);
	if (result->lost)
		printf("; %llu lost", result->lost);
	if (result->behind)
		printf("; %u target%s behind", result->behind, units_plural(result->behind));
	printf("\n");
	return result->refused || result->lost || result->behind ? STATUS_FAILED : STATUS_OK;
}

int cmd_push(int argc, char **argv)
{
	struct push_result result = { 0 };
	struct push_values v;
	struct err err = { 0 };
	int status;

	if (!command_begin(&push_opts, argc, argv, &v, &status))
		return status;
	if (v.clickhouse_schema) {
		fputs(push_clickhouse.schema, stdout);
		status = STATUS_OK;
	} else if (!v.urls.len) {
		status = command_usage(&push_opts, "name a target, such as otlp+http://HOST:4318");
	} else {
		status = push(&v, &result, &err) ? command_fail(&push_opts, &err) : report(&result);
	}
	opt_release(&push_opts, &v);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* push: sends what a store has to servers. The agent starts it for its own targets. */
#include "cli/commands.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/settings.h"
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

#define LEVEL_STATUS 7

struct push_values {
	const char *store; /* NULL: the default */
	const char *state;
	const char *config; /* the agent's settings; NULL: none */
	struct time_point since;
	struct rules_options rules;
	bool follow;
	bool clickhouse_schema;
	bool log_levels;
	struct vec urls;
};

#define V struct push_values
static const struct opt table[] = {
	{ 0, "store", OPT_STRING(V, store), "DIRECTORY", "The store. Default: /var/lib/coldspot.",
	  .flags = OPT_FILE },
	{ 0, "state", OPT_STRING(V, state), "DIRECTORY",
	  "Where to remember what each target has had. Default: the store.", .flags = OPT_FILE },
	{ 0, "config", OPT_STRING(V, config), "FILE",
	  "Take targets, store and rules from these settings of an agent, unless they are given.",
	  .flags = OPT_FILE },
	{ 0, "since", OPT_CUSTOM(V, since), "TIME",
	  "A target that has had nothing begins with the first window that ends after this time, "
	  "written as for `report`. Default: with the first one in the store; with --follow, with "
	  "the next one that is written.",
	  .parse = time_point_parse },
	{ 0, "follow", OPT_FLAG(V, follow), NULL,
	  "Go on with windows that are written later, until a signal." },
	{ 0, "log-levels", OPT_FLAG(V, log_levels), NULL,
	  "Begin each message with its level, <3> to <7>, as journald reads it, and end when "
	  "standard output is closed. <7> is a line about all targets." },
	RULES_OPTS(V, rules),
	{ 0, "clickhouse-schema", OPT_FLAG(V, clickhouse_schema), NULL,
	  "Only print the statements that make the tables for ClickHouse." },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_STRINGS(V, urls), "URL",
	  "Targets: NAME+http://HOST[:PORT] or NAME+https://..., where NAME is otlp, pyroscope, "
	  "parca or clickhouse; for days that are over dir:/DIRECTORY or s3+https://HOST/BUCKET." },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot push otlp+http://collector:4318", "Send what the collector has not had." },
	{ "coldspot push --since -1h 'pyroscope+https://HOST/?header-file=/etc/token'",
	  "The last hour, with a header from a file." },
	{ "coldspot push dir:/mnt/archive", "Copy the days that are over to another disk." },
	{ "coldspot push --clickhouse-schema | clickhouse-client", "Make the tables." },
	{ NULL, NULL },
};

const struct opt_command push_opts = {
	.name = "push",
	.summary = "send windows of a store to servers of profiles",
	.description =
		"Sends the windows of a store that a target has not had, each at least once, and "
		"ends. The status is 0 if the targets took all of them. What each target has had "
		"is kept beside the store. `coldspot agent` does this by itself, for the targets "
		"in its setting `push`.\n\n"
		"docs/push.md describes the targets.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct push_values),
};

static void say(void *arg, enum push_level level, const char *sentence)
{
	const struct push_values *v = arg;
	char clean[1600];

	utf8_copy_harmless(sentence, clean, sizeof(clean));
	if (v->log_levels)
		fprintf(stderr, "<%d>%s\n", level, clean);
	else
		fprintf(stderr, "coldspot push: %s\n", clean);
}

static void tell_status(void *arg, const char *text)
{
	say(arg, (enum push_level)LEVEL_STATUS, text);
}

/* Whoever started it reads no more. */
static bool is_left(void)
{
	struct pollfd fd = { .fd = STDOUT_FILENO };

	return run_is_over() || (poll(&fd, 1, 0) > 0 && fd.revents & (POLLERR | POLLNVAL));
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

/* What the settings say, where the command line says nothing. Strings stay in `s`. */
static int take_settings(struct push_values *v, struct agent_settings *s, struct err *err)
{
	int r = 0;

	agent_settings__init(s);
	if (v->config)
		r = agent_settings__read(s, v->config, err);
	if (r)
		return r;
	if (!v->store)
		v->store = s->store;
	if (!v->rules.file && *s->rules)
		v->rules.file = s->rules;
	if (v->urls.len)
		return 0;
	vec__init(&v->urls, sizeof(const char *));
	for (size_t i = 0; i < AGENT_TARGETS_MAX && *s->push[i]; i++) {
		const char **slot = vec__push(&v->urls);

		if (!slot)
			return err__nomem(err);
		*slot = s->push[i];
	}
	return v->urls.len ?
		       0 :
		       err__set(err, -EINVAL, "'%s' names no target: push = [\"URL\"]", v->config);
}

static int push(struct push_values *v, struct push_result *ret, struct err *err)
{
	struct loaded_rules rules = { 0 };
	struct push_options opt = {
		.store = v->store,
		.state = v->state,
		.urls = v->urls.data,
		.urls_len = v->urls.len,
		.follow = v->follow,
		.stop = v->log_levels ? is_left : run_is_over,
		.say = say,
		.status = v->log_levels ? tell_status : NULL,
		.arg = v,
	};
	/* what servers answer is parsed here */
	int r = privilege__drop(0, err);

	if (!r)
		r = loaded_rules__init(&rules, &v->rules, err);
	opt.rules = rules.set;
	if (!r)
		r = find_since(v, &opt.since_wall_ns, err);
	/* the recording goes first */
	if (!r && v->log_levels)
		(void)!nice(5);
	if (!r) {
		run_catch_signals();
		r = push_run(&opt, ret, err);
	}
	loaded_rules__done(&rules);
	return r;
}

static int report(const struct push_result *result)
{
	char bytes[32], name[STORE_NAME_SZ];

	units_format_bytes(result->bytes, bytes, sizeof(bytes));
	if (result->takes_windows)
		printf("%llu window%s", result->taken, units_plural(result->taken));
	if (result->takes_days)
		printf("%s%llu day file%s", result->takes_windows ? " and " : "", result->days,
		       units_plural(result->days));
	printf(" pushed, %s", bytes);
	if (result->growing.part) {
		store_day_name(&result->growing, name);
		printf("; %s waits for the end of its day", name);
	}
	if (result->refused)
		printf("; %llu refused", result->refused);
	if (result->lost)
		printf("; %llu lost", result->lost);
	if (result->behind)
		printf("; %u target%s behind", result->behind, units_plural(result->behind));
	printf("%s\n", run_is_over() ? "; interrupted" : "");
	return result->refused || result->lost || result->behind ? STATUS_FAILED : STATUS_OK;
}

static int run(struct push_values *v)
{
	struct push_result result = { 0 };
	struct agent_settings settings;
	struct err err = { 0 };
	int r;

	if (!v->urls.len && !v->config)
		return command_usage(&push_opts, "name a target, such as otlp+http://HOST:4318");
	r = take_settings(v, &settings, &err);
	if (!r)
		r = push(v, &result, &err);
	if (r && v->log_levels)
		say(v, PUSH_ERROR, err.msg);
	else if (r)
		return command_fail(&push_opts, &err);
	return r ? STATUS_FAILED : v->follow ? STATUS_OK : report(&result);
}

int cmd_push(int argc, char **argv)
{
	struct push_values v;
	int status;

	if (!command_begin(&push_opts, argc, argv, &v, &status))
		return status;
	if (v.clickhouse_schema) {
		fputs(push_clickhouse.schema, stdout);
		status = STATUS_OK;
	} else {
		status = run(&v);
	}
	opt_release(&push_opts, &v);
	return status;
}

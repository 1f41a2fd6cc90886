/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve: a recording that goes on, one that was written, a directory of them, a store, or a fleet,
 * for browsers. The thread that records hands each window over and goes on; everything that
 * viewers want happens in the threads of the server, which have no privileges.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "capture/feature/privilege.h"
#include "cli/commands.h"
#include "cli/live/live_opts.h"
#include "cli/live/live_recording.h"
#include "cli/live/serve_fleet.h"
#include "cli/live/store_time.h"
#include "cli/record_opts.h"
#include "cli/recordings_opts.h"
#include "cli/rules_opts.h"
#include "cli/live/target_post.h"
#include "cli/whom_opts.h"
#include "fleet/fleet_url.h"
#include "gen/version.h"
#include "web/http/server.h"

#define TURN_MS 100
#define INTERVAL_NS (100 * NSEC_PER_MSEC)
#define INTERVAL_UNSET ~0ULL
/* In a window, which is sent to each browser when it is over: a page of a megabyte. */
#define DEFAULT_EVENTS 100000

/* The first member makes the rows of other commands usable here. */
struct serve_values {
	struct record_values record;
	struct vec paths;
	struct server_options server;
	struct time_range range; /* of a store or a fleet */
	struct vec hosts; /* of a fleet */
	struct vec services;
	u64 keep_ns;
	u64 interval_ns; /* or INTERVAL_UNSET */
};

static const struct serve_values defaults = {
	.record = LIVE_DEFAULTS,
	.keep_ns = 600 * NSEC_PER_SEC,
	.interval_ns = INTERVAL_UNSET,
};

#define V struct record_values
#define S struct serve_values
static const struct opt table[] = {
	OPT_HEADING("What to record (default: the whole machine)"),
	WHOM_OPTS(V, ""),
	WHOM_MATCHING_OPTS(V),
	OPT_HEADING("How to record"),
	{ 0, "window", OPT_NS(V, every_ns), "TIME",
	  "Length of a window: how often the page changes.", .bare_ns = NSEC_PER_SEC,
	  .min = RECORD_MIN_WINDOW_NS, .flags = OPT_COMMON },
	{ 0, "keep", OPT_NS(S, keep_ns), "TIME",
	  "Keep the windows of this time in memory, for the page. A file has all of them.",
	  .bare_ns = NSEC_PER_SEC, .min = NSEC_PER_SEC, .flags = OPT_COMMON },
	{ 0, "interval", OPT_NS(S, interval_ns), "TIME",
	  "How often to read intermediate sums, for the heat map of the page. Longer if reading "
	  "would cost more than a 200th of a CPU; 0 means never. Default: 100ms, or with -o every "
	  "second: `diff` takes the intervals of a recording for independent of each other.",
	  .bare_ns = NSEC_PER_SEC },
	{ 0, "wakers", OPT_FLAG(V, wakers), NULL, "Also record who ended each wait.",
	  .flags = OPT_COMMON },
	{ 0, "events", OPT_FLAG(V, events), NULL,
	  "Also record when each listed wait began and ended: the page has a timeline of the "
	  "windows that it shows. Every wait is chosen, also of the whole machine. With --wakers, "
	  "the page draws who ended each wait, and critical paths.",
	  .excludes = "max-overhead", .flags = OPT_COMMON },
	{ 0, "request", OPT_STRINGS(V, requests), "PROBE",
	  "Also record when requests begin and end: the page shows how long they took and what "
	  "they waited for. 'auto' takes the requests of servers from their connections; "
	  "'auto:http', uprobe:PROGRAM:FUNCTION and usdt:PROGRAM:PROVIDER:START,END are as of "
	  "`record`. Includes --events. Repeatable.",
	  .excludes = "max-overhead", .flags = OPT_COMMON },
	{ 0, "max-events", OPT_U64(V, max_events), "N",
	  "With --events or --request: at most this many waits in each window have their "
	  "instants; further ones are counted. Default: 100000.",
	  .min = 1, .max = 100000000 },
	LIVE_OPTS(V),
	OPT_HEADING("Who may look"),
	{ 0, "listen", OPT_STRING(S, server.listen), "HOST:PORT",
	  "Address to listen on. Default: 127.0.0.1 and a free port. An address that other "
	  "machines can reach needs TLS and a password.",
	  .flags = OPT_COMMON },
	{ 0, "password-file", OPT_STRING(S, server.password_file), "FILE",
	  "Ask for the password in the first line of this file, instead of the token in the "
	  "address. The user name does not matter.",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 0, "tls-cert", OPT_STRING(S, server.tls_cert), "FILE",
	  "Certificate, with those that sign it, in PEM: listen with TLS.", .flags = OPT_FILE },
	{ 0, "tls-key", OPT_STRING(S, server.tls_key), "FILE", "Its private key, in PEM.",
	  .flags = OPT_FILE },
	STORE_TIME_OPTS(S, range),
	FLEET_OPTS(S, hosts, services),
	RULES_OPTS(V, rules),
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_STRINGS(S, paths), "FILE|DIRECTORY|URL",
	  "Instead of recording, show this recording (.coldspot), those of a directory, the "
	  "store of an agent, or the hosts that push to clickhouse://HOST/DATABASE.",
	  .flags = OPT_FILE },
	{ 0, NULL, OPT_REST(V, cmd), "-- COMMAND", "Run this command and record it." },
	OPT_END,
};
#undef S
#undef V

static const struct opt_example examples[] = {
	{ "coldspot serve", "Why the threads of this machine wait, in a browser." },
	{ "coldspot serve -p 4121 -o db.coldspot", "Process 4121, recorded at the same time." },
	{ "coldspot serve -p 4121 --request auto --wakers",
	  "The requests that this server answers, and what each of them waits for." },
	{ "coldspot serve db.coldspot", "A recording." },
	{ "coldspot serve --listen 127.0.0.1:8080",
	  "For your own machine: run `ssh -L 8080:127.0.0.1:8080 HOST` there, and open the address "
	  "that is printed." },
	{ "coldspot serve /var/lib/coldspot --at 2026-11-02T14:32:18",
	  "That time, in the store of the agent." },
	{ "coldspot serve clickhouse://ch.example/waits --since -1h", "A fleet: all its hosts." },
	{ NULL, NULL },
};

const struct opt_command serve_opts = {
	.name = "serve",
	.summary = "show where threads wait, in a browser",
	.description =
		"Records like `coldspot record`, in windows that follow each other without a gap, "
		"and shows them in a browser: prints the address, with a token, on standard "
		"output. Also answers curl, `go tool pprof` (/debug/pprof/offcpu) and Prometheus "
		"(/metrics); /api/v1/openapi.json describes all of it. Ctrl-C ends it.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct serve_values),
	.defaults = &defaults,
};

struct serving {
	struct serve_values *v;
	struct live_recording recording;
	struct target_post post;
	struct web web;
	struct server *server;
	struct push_url url; /* of a fleet */
	char target[256]; /* at the beginning: that of the recording changes while others read */
	struct err err; /* of the thread that starts the server */
};

static const char *first_path(const struct serve_values *v)
{
	return *(const char **)vec__at(&v->paths, 0);
}

static bool is_fleet(const struct serve_values *v)
{
	return v->paths.len && fleet_url_is(first_path(v));
}

/* 0, or the exit status after the message. */
static int check(const struct serve_values *v)
{
	if (v->paths.len > 1)
		return command_usage(&serve_opts, "serve shows one recording, or one directory");
	if (v->paths.len && live_recording_is_wanted(&v->record))
		return command_usage(&serve_opts,
				     "a recording that is shown cannot be combined with what to "
				     "record");
	if (!v->paths.len && !past_range_is_empty(&v->range))
		return command_usage(&serve_opts, "--since, --until, --at and --on need a store");
	if (!is_fleet(v) && (v->hosts.len || v->services.len))
		return command_usage(&serve_opts,
				     "--host and --service select rows of ClickHouse: name its "
				     "URL, as in clickhouse://HOST/DATABASE");
	if (!v->server.tls_cert != !v->server.tls_key)
		return command_usage(&serve_opts, "--tls-cert and --tls-key go together");
	if (v->record.max_events && !record_wants_events(&v->record))
		return command_usage(&serve_opts, "--max-events needs --events or --request");
	if (v->interval_ns && v->interval_ns < RECORD_MIN_INTERVAL_NS)
		return command_usage(&serve_opts, "--interval: the minimum is 10 ms");
	return live_recording_check(&v->record, &serve_opts);
}

static void set_interval(struct serve_values *v)
{
	if (v->interval_ns != INTERVAL_UNSET)
		v->record.interval_ns = v->interval_ns;
	else if (!v->record.outputs.len)
		v->record.interval_ns = INTERVAL_NS;
}

static void say_where(const struct serving *sv)
{
	printf("%s\n", server__url(sv->server));
	fflush(stdout);
}

static void wait_for_end(void)
{
	while (!run_is_over())
		poll(NULL, 0, TURN_MS);
}

static int start(struct serving *sv, struct err *err)
{
	int r = server__run(sv->server, err);

	if (!r)
		say_where(sv);
	return r;
}

/* Threads have the privileges of the one that makes them. */
static void *start_bare(void *arg)
{
	struct serving *sv = arg;

	if (!privilege__drop(0, &sv->err))
		server__run(sv->server, &sv->err);
	return NULL;
}

static int start_without_privileges(struct serving *sv, struct err *err)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, start_bare, sv))
		return err__set(err, -EAGAIN, "cannot start a thread");
	pthread_join(thread, NULL);
	if (sv->err.code) {
		*err = sv->err;
		return sv->err.code;
	}
	say_where(sv);
	return 0;
}

static void turn(void *arg, u64 since_ns)
{
	struct serving *sv = arg;

	(void)since_ns;
	target_post__serve(&sv->post, &sv->recording.targets);
}

static int add_window(void *arg, struct profile *p, struct err *err)
{
	struct serving *sv = arg;

	int r = web__add(&sv->web, p, err);

	if (r != -ENOMEM)
		return r;
	/* what viewers take must not end a recording: the file has the window */
	totals__skip(&sv->web.totals);
	return 0;
}

/* What was recorded can be looked at after its threads have ended. */
static void look_on(struct serving *sv)
{
	char fate[128];

	live_recording__fate(&sv->recording, fate, sizeof(fate));
	web__end(&sv->web, fate);
	fprintf(stderr, "coldspot: %s; still serving what was recorded; Ctrl-C stops the server\n",
		fate);
	wait_for_end();
}

static int record(struct serving *sv, struct err *err)
{
	const struct run_watcher watcher = { .goes_on = turn, .arg = sv };
	const struct live_watch watch = {
		.watcher = &watcher,
		.each = add_window,
		.each_arg = sv,
		.wait_all = sv->v->record.pids.len,
	};
	int r = live_recording__open(&sv->recording, err);

	if (!r)
		r = start_without_privileges(sv, err);
	if (r)
		return r;
	fprintf(stderr, "coldspot: recording %s; Ctrl-C ends it\n", sv->recording.target);
	r = live_recording__run(&sv->recording, &watch, err);
	target_post__close(&sv->post);
	if (!r && !run_is_over())
		look_on(sv);
	if (!r)
		live_recording__say_end(&sv->recording);
	return r;
}

static int serve_live(struct serving *sv, int argc, char **argv, struct err *err)
{
	struct record_values *v = &sv->v->record;
	struct live_recording *lr = &sv->recording;
	struct web_options opt = {
		.mode = WEB_LIVE,
		.version = COLDSPOT_VERSION,
		.window_ns = v->every_ns,
		.keep_ns = sv->v->keep_ns,
		.wakers = v->wakers,
		.requests = v->requests.len,
	};
	int r = live_recording__prepare(lr, v, argc, argv, err);

	if (r)
		return r;
	lr->options.capture.interval_ns = v->interval_ns;
	if (record_wants_events(v) && !v->max_events)
		lr->options.capture.max_moments = DEFAULT_EVENTS;
	opt.path = lr->file;
	memcpy(sv->target, lr->target, sizeof(sv->target));
	opt.target = sv->target;
	opt.rules = lr->rules.set;
	opt.targets = v->pids.data;
	opt.targets_len = v->pids.len;
	if (live_targets_are_cgroups(&lr->options.capture))
		opt.cgroup = lr->options.capture.cgroup;
	if (v->pids.len || opt.cgroup) {
		opt.change_target = target_post__change;
		opt.change_arg = &sv->post;
	}
	r = web__init(&sv->web, &opt, err);
	if (!r)
		r = server__open(&sv->web, &sv->v->server, &sv->server, err);
	if (!r)
		r = record(sv, err);
	server__free(sv->server);
	web__done(&sv->web);
	return r;
}

/* What there is to see at a path, as options. */
static int look_at(struct serving *sv, struct web_options *opt, struct err *err)
{
	const struct time_range *range = &sv->v->range;
	bool has_time = !past_range_is_empty(range);
	struct store_time time;
	struct stat st;
	int r;

	if (is_fleet(sv->v)) {
		opt->url = opt->path;
		opt->path = NULL;
		opt->range = *range;
		opt->hosts = &sv->v->hosts;
		opt->services = &sv->v->services;
		return serve_fleet__init(opt, &sv->url, err);
	}
	if (stat(opt->path, &st))
		return err__set(err, -errno, "cannot read '%s': %s", opt->path, err_str(errno));
	opt->mode = S_ISDIR(st.st_mode) ? WEB_DIRECTORY : WEB_RECORDING;
	if (opt->mode == WEB_RECORDING && has_time)
		return err__set(err, -EINVAL,
				"--since, --until, --at and --on need a store, '%s' is a file",
				opt->path);
	if (opt->mode == WEB_RECORDING || (!has_time && !past_is_store(opt->path)))
		return 0;
	opt->mode = WEB_STORE;
	r = store_time__init(&time, opt->path, range, err);
	opt->range = time.range;
	opt->at_ns = time.at_ns;
	return r;
}

static int serve_files(struct serving *sv, struct err *err)
{
	struct web_options opt = {
		.version = COLDSPOT_VERSION,
		.path = first_path(sv->v),
	};
	int r = look_at(sv, &opt, err);

	if (!r)
		r = loaded_rules__init(&sv->recording.rules, &sv->v->record.rules, err);
	opt.rules = sv->recording.rules.set;
	if (r)
		return r;
	run_catch_signals();
	r = web__init(&sv->web, &opt, err);
	if (!r)
		r = server__open(&sv->web, &sv->v->server, &sv->server, err);
	if (!r)
		r = privilege__drop(PRIVILEGE_DAC_READ_SEARCH, err);
	if (!r)
		r = start(sv, err);
	if (!r && opt.mode == WEB_RECORDING)
		r = web__read_recording(&sv->web, run_is_over, err);
	if (!r)
		wait_for_end();
	else if (r == -ECANCELED)
		r = 0;
	server__free(sv->server);
	web__done(&sv->web);
	return r;
}

int cmd_serve(int argc, char **argv)
{
	struct serving sv = { 0 };
	struct serve_values v;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&serve_opts, argc, argv, &v, &status))
		return status;
	sv.v = &v;
	target_post__init(&sv.post);
	status = check(&v);
	if (!status) {
		set_interval(&v);
		r = v.paths.len ? serve_files(&sv, &err) : serve_live(&sv, argc, argv, &err);
		status = r ? command_fail(&serve_opts, &err) : STATUS_OK;
		live_recording__done(&sv.recording);
	}
	target_post__done(&sv.post);
	opt_release(&serve_opts, &v);
	return status;
}

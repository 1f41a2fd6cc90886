/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: a recording that goes on, in windows, on the terminal. The terminal has its turn between two
 * polls of the session, and a window is drained, and in the file, before it is drawn.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "app/recording_file.h"
#include "app/series.h"
#include "app/user_memory.h"
#include "capture/feature/privilege.h"
#include "cli/commands.h"
#include "cli/output_opts.h"
#include "cli/record_opts.h"
#include "cli/record_whom.h"
#include "cli/rules_opts.h"
#include "cli/terminal.h"
#include "cli/top_host.h"
#include "cli/whom_opts.h"
#include "gen/version.h"
#include "recording/writer.h"
#include "tui/tui.h"

/* After the end, how often another size of the terminal is looked for. */
#define TURN_MS 100
#define OUTPUT_CHUNK 65536
#define OUTPUT_CHUNKS 16

static const struct record_values defaults = {
	.states = { .any = true },
	.period_ns = ~0ULL,
	.max_ns = ~0ULL,
	.every_ns = NSEC_PER_SEC,
	.interval_ns = NSEC_PER_SEC,
	.names.demangle = true,
};

#define V struct record_values
static const struct opt table[] = {
	OPT_HEADING("What to show (default: the whole machine)"),
	WHOM_OPTS(V, ""),
	WHOM_MATCHING_OPTS(V),
	OPT_HEADING("How"),
	{ 0, "window", OPT_NS(V, every_ns), "TIME",
	  "Length of a window: how often the picture changes.", .bare_ns = NSEC_PER_SEC,
	  .min = RECORD_MIN_WINDOW_NS, .flags = OPT_COMMON },
	{ 0, "wakers", OPT_FLAG(V, wakers), NULL,
	  "Also record who ended each wait, and show them in a tab.", .flags = OPT_COMMON },
	{ 0, "max-overhead", OPT_CUSTOM(V, overhead_ppm), "PERCENT",
	  "Limit the cost to this share of the machine's CPU time by sampling waits, as `record` "
	  "does. Default: 1% for the whole machine; otherwise every wait is chosen.",
	  .parse = record_parse_overhead, .flags = OPT_COMMON },
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Also write each window to this recording (.coldspot), which must be new.",
	  .flags = OPT_COMMON | OPT_FILE },
	NAMES_OPTS(V, names),
	RULES_OPTS(V, rules),
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_REST(V, cmd), "-- COMMAND",
	  "Run this command and show it. What it writes is in a tab; its input is /dev/null." },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot top", "Why the threads of this machine wait, second by second." },
	{ "coldspot top -p 4121 -o db.coldspot", "Process 4121, recorded at the same time." },
	{ NULL, NULL },
};

const struct opt_command top_opts = {
	.name = "top",
	.summary = "show where threads wait, as it happens",
	.description =
		"Records like `coldspot record`, in windows that follow each other without a gap, "
		"and shows the last one, or all of them, on the terminal. Press ? for the keys.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct record_values),
	.defaults = &defaults,
};

struct live_view {
	const struct record_values *v;
	const struct target *whom;
	struct session_options session;
	struct recorder *recorder; /* NULL: no file */
	const char *file; /* its path */
	struct loaded_rules rules;
	struct child child;
	struct run_watcher watcher;
	struct run_options run;
	struct top_host host;
	struct tui tui;
	struct err err; /* of the terminal's turn */
	char command[1024];
	char target[256];
	char cgroup[PATH_MAX]; /* of a unit or a container */
};

static int check(const struct record_values *v)
{
	const char *file = v->outputs.len ? *(const char **)vec__at(&v->outputs, 0) : NULL;
	bool named = v->pids.len || v->tids.len;

	if (v->cmd.argv && !v->cmd.argc)
		return command_usage(&top_opts, "no command after '--'");
	if (v->cmd.argv && (named || v->program))
		return command_usage(&top_opts,
				     "a command cannot be combined with -p, -t or --name");
	if (v->tree && !v->pids.len)
		return command_usage(&top_opts, "--tree needs -p");
	if (v->outputs.len > 1 || (file && !recording_file_is(file)))
		return command_usage(&top_opts, "-o takes one recording, FILE.coldspot; `report` "
						"makes other formats of it");
	return record_values__check_names(v, &top_opts);
}

/* At most so much at a time, because the recording waits meanwhile. */
static int take_output(struct live_view *lv, struct err *err)
{
	char buf[OUTPUT_CHUNK];
	size_t n, i;
	int r = 0;

	for (i = 0; i < OUTPUT_CHUNKS && !r; i++) {
		n = child__read(&lv->child, buf, sizeof(buf));
		if (!n)
			break;
		r = tui__output(&lv->tui, buf, n, err);
	}
	return r;
}

static void turn(void *arg, u64 since_ns)
{
	struct live_view *lv = arg;

	(void)since_ns;
	if (lv->err.code || take_output(lv, &lv->err) || tui__turn(&lv->tui, &lv->err) ||
	    tui__is_over(&lv->tui))
		run_end();
}

static int add_window(void *arg, struct profile *p, struct err *err)
{
	struct live_view *lv = arg;

	return tui__add(&lv->tui, p, err);
}

/* What was recorded can be looked at after its threads have ended. */
static int look_on(struct live_view *lv, struct err *err)
{
	char fate[128], why[160];
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int r;

	if (!child__fate(&lv->child, fate, sizeof(fate)))
		snprintf(fate, sizeof(fate),
			 lv->child.pid ? "the command has ended" : "all processes have ended");
	snprintf(why, sizeof(why), "Over: %s.", fate);
	r = tui__end(&lv->tui, why, err);
	while (!r && !run_is_over() && !tui__is_over(&lv->tui)) {
		poll(&in, 1, TURN_MS);
		r = take_output(lv, err);
		if (!r)
			r = tui__turn(&lv->tui, err);
	}
	return r;
}

static int show(struct live_view *lv, struct session *s, struct err *err)
{
	const struct series series = {
		.every_ns = lv->v->every_ns,
		.recorder = lv->recorder,
		.rules = lv->rules.set,
		.apart = true,
		.each = add_window,
		.each_arg = lv,
	};
	struct profile *none;
	int r = series_record(&series, s, &lv->run, &none, err);

	if (!r && lv->err.code) {
		*err = lv->err;
		r = lv->err.code;
	}
	return r || run_is_over() ? r : look_on(lv, err);
}

/* How long it goes on, and what can be changed meanwhile. */
static int prepare(struct live_view *lv, struct session *s, struct err *err)
{
	int r;

	lv->watcher = (struct run_watcher){ .goes_on = turn, .arg = lv };
	lv->run = (struct run_options){
		.ids = lv->session.capture.ids,
		.ids_len = lv->session.capture.ids_len,
		.child = lv->child.pid ? &lv->child : NULL,
		.watcher = &lv->watcher,
		.keys = true,
	};
	r = top_host__init(&lv->host, s, &lv->session.capture, &lv->run, err);
	lv->host.target = lv->target;
	lv->host.target_sz = sizeof(lv->target);
	lv->host.file = lv->file;
	return r;
}

/* The messages come when the terminal is as it was. */
static void say_end(struct live_view *lv, const struct session *s)
{
	char fate[128];

	if (child__fate(&lv->child, fate, sizeof(fate)))
		fprintf(stderr, "coldspot: %s\n", fate);
	for (size_t i = 0; session__notice(s, i); i++)
		fprintf(stderr, "coldspot: %s\n", session__notice(s, i));
	if (lv->file)
		output_say_written(lv->file);
}

static int run(struct live_view *lv, struct session *s, struct err *err)
{
	const struct viewer_options view = {
		.target = lv->target,
		.file = lv->file,
		.rules = lv->rules.set,
		.host = &lv->host.asked,
		.output = lv->child.pid,
		.wakers = lv->v->wakers,
	};
	const struct terminal_options terminal = {
		.color = terminal_color(),
		.ascii = terminal_ascii(),
	};
	char none[256];
	int r = 0;

	if (!lv->child.pid && !session__threads(s)) {
		target_describe_none(lv->whom, none, sizeof(none));
		return err__set(err, -ESRCH, "%s", none);
	}
	r = privilege__drop(PRIVILEGE_WHILE_TRACING, err);
	if (!r && lv->child.pid)
		r = session__expect_target(s, (u32)lv->child.pid, err);
	if (!r)
		r = prepare(lv, s, err);
	if (r)
		return r;
	r = tui__init(&lv->tui, &view, &terminal, err);
	if (!r)
		r = show(lv, s, err);
	tui__done(&lv->tui);
	if (!r)
		say_end(lv, s);
	return r;
}

static int record(struct live_view *lv, struct err *err)
{
	const struct record_values *v = lv->v;
	struct session *s = NULL;
	struct features f;
	int r;

	r = features__probe(&f, 0, err);
	if (!r)
		r = features__verdict(&f, err);
	if (!r && lv->file)
		r = recorder__create(lv->file, &lv->recorder, err);
	lv->child.silent = true;
	lv->child.captured = true;
	if (!r && v->cmd.argv)
		r = child__start(&lv->child, v->cmd.argv, err);
	run_catch_signals();
	if (!r)
		r = user_memory_limit(0, err);
	if (!r)
		r = session__open(&lv->session, &f, &s, err);
	if (!r)
		r = run(lv, s, err);
	session__free(s);
	recorder__free(lv->recorder);
	features__done(&f);
	return r;
}

static void fill_session(struct live_view *lv, int argc, char **argv)
{
	const struct record_values *v = lv->v;

	target_describe(lv->whom, lv->target, sizeof(lv->target));
	record_join_command(argc, argv, lv->command, sizeof(lv->command));
	record_fill_capture(&lv->session.capture, v);
	/* for the tab Diff, which tests differences with them */
	lv->session.capture.interval_ns = v->interval_ns;
	lv->session.command = lv->command;
	lv->session.target = lv->target;
	lv->session.version = COLDSPOT_VERSION;
	lv->session.debug_dir = v->names.debug_dir;
	lv->session.debuginfod = v->names.debuginfod;
	lv->session.demangle = v->names.demangle;
	lv->session.strip_suffixes = v->names.strip_suffixes;
	if (v->outputs.len)
		lv->file = *(const char **)vec__at(&v->outputs, 0);
}

int cmd_top(int argc, char **argv)
{
	struct live_view lv = { 0 };
	struct record_values v;
	struct target target;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&top_opts, argc, argv, &v, &status))
		return status;
	status = check(&v);
	if (!status)
		status = names_values__check(&v.names, &top_opts);
	if (status)
		goto out;
	lv.v = &v;
	lv.whom = &target;
	r = terminal_check(&err);
	if (!r)
		r = record_find_cgroup(&v, lv.cgroup, sizeof(lv.cgroup), &err);
	target = record_target(&v);
	if (!r)
		r = command_check_target(&target, &err);
	if (!r)
		r = loaded_rules__init(&lv.rules, &v.rules, &err);
	if (!r) {
		fill_session(&lv, argc, argv);
		r = record(&lv, &err);
	}
	status = r ? command_fail(&top_opts, &err) : STATUS_OK;
	child__done(&lv.child);
	top_host__done(&lv.host);
	loaded_rules__done(&lv.rules);
out:
	opt_release(&top_opts, &v);
	return status;
}

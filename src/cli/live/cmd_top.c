/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: a recording that goes on, in windows, on the terminal; or the windows of a store. Of a
 * recording, one thread records and one shows: a window is in the file before it is handed over.
 */
#include <poll.h>

#include "cli/commands.h"
#include "cli/live/live_opts.h"
#include "cli/live/live_recording.h"
#include "cli/live/store_time.h"
#include "cli/live/target_post.h"
#include "cli/live/top_host.h"
#include "cli/live/top_screen.h"
#include "cli/live/top_store.h"
#include "cli/record_opts.h"
#include "cli/rules_opts.h"
#include "cli/terminal.h"
#include "cli/whom_opts.h"

/* After the end, how often signals are looked for. */
#define TURN_MS 100

/* The first member makes the rows of other commands usable here. */
struct top_values {
	struct record_values record;
	struct vec stores;
	struct time_range range; /* of the store */
};

static const struct top_values defaults = { .record = LIVE_DEFAULTS };

#define V struct record_values
#define S struct top_values
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
	LIVE_OPTS(V),
	STORE_TIME_OPTS(S, range),
	RULES_OPTS(V, rules),
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_STRINGS(S, stores), "STORE",
	  "Instead of recording, show the windows of the store of an agent.", .flags = OPT_FILE },
	{ 0, NULL, OPT_REST(V, cmd), "-- COMMAND",
	  "Run this command and show it. What it writes is in a tab; its input is /dev/null." },
	OPT_END,
};
#undef S
#undef V

static const struct opt_example examples[] = {
	{ "coldspot top", "Why the threads of this machine wait, second by second." },
	{ "coldspot top -p 4121 -o db.coldspot", "Process 4121, recorded at the same time." },
	{ "coldspot top --at 14:32:18 /var/lib/coldspot",
	  "That time, in the store of the agent; [ and ] go on from there." },
	{ NULL, NULL },
};

const struct opt_command top_opts = {
	.name = "top",
	.summary = "show where threads wait, as it happens",
	.description =
		"Records like `coldspot record`, in windows that follow each other without a gap, "
		"and shows the last one, or all of them, on the terminal. With STORE, it shows "
		"what an agent recorded. Press ? for the keys.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct top_values),
	.defaults = &defaults,
};

struct live_view {
	struct live_recording recording;
	struct top_host host;
	struct target_post post;
	struct top_screen screen;
};

static void turn(void *arg, u64 since_ns)
{
	struct live_view *lv = arg;

	(void)since_ns;
	target_post__serve(&lv->post, &lv->recording.targets);
	if (top_screen__has_left(&lv->screen))
		run_end();
}

static int add_window(void *arg, struct profile *p, struct err *err)
{
	struct live_view *lv = arg;

	return top_screen__add(&lv->screen, p, err);
}

/* What was recorded can be looked at after its threads have ended. */
static void look_on(struct live_view *lv)
{
	struct pollfd left = { .fd = lv->screen.left_fd, .events = POLLIN };
	char fate[128];

	live_recording__fate(&lv->recording, fate, sizeof(fate));
	top_screen__say_over(&lv->screen, fate);
	while (!run_is_over() && !top_screen__has_left(&lv->screen))
		poll(&left, 1, TURN_MS);
}

static int record(struct live_view *lv, struct err *err)
{
	const struct run_watcher watcher = { .goes_on = turn, .arg = lv };
	const struct live_watch watch = {
		.watcher = &watcher,
		.each = add_window,
		.each_arg = lv,
		.wake_fd = lv->screen.left_fd,
		.wait_all = lv->recording.v->pids.len,
	};
	int r = live_recording__run(&lv->recording, &watch, err), stopped;

	/* the other thread may wait for a change of targets */
	target_post__close(&lv->post);
	if (!r && !run_is_over())
		look_on(lv);
	stopped = top_screen__stop(&lv->screen, r ? NULL : err);
	return r ? r : stopped;
}

static struct terminal_options terminal_as_it_is(void)
{
	return (struct terminal_options){ .color = terminal_color(), .ascii = terminal_ascii() };
}

static int open_screen(struct live_view *lv, struct err *err)
{
	struct live_recording *lr = &lv->recording;
	const struct viewer_options view = {
		.target = lr->target,
		.file = lr->file,
		.rules = lr->rules.set,
		.host = &lv->host.asked,
		.output = lr->v->cmd.argv != NULL,
		.wakers = lr->v->wakers,
	};
	const struct terminal_options terminal = terminal_as_it_is();
	int r;

	lv->host.post = &lv->post;
	lv->host.file = lr->file;
	top_host__init(&lv->host, &lr->targets);
	r = top_screen__open(&lv->screen, &view, &terminal, &lr->child, err);
	lv->post.wake_fd = lv->screen.left_fd;
	return r ? r : top_screen__start(&lv->screen, err);
}

/* The messages come when the terminal is as it was. */
static int run(struct live_view *lv, struct err *err)
{
	struct live_recording *lr = &lv->recording;
	int r;

	lr->child.silent = true;
	lr->child.captured = true;
	r = live_recording__open(lr, err);
	if (r)
		return r;
	r = open_screen(lv, err);
	if (!r)
		r = record(lv, err);
	top_screen__done(&lv->screen);
	if (!r)
		live_recording__say_end(lr);
	return r;
}

static int show_store(const struct top_values *v, struct err *err)
{
	const char *dir = *(const char **)vec__at(&v->stores, 0);
	const struct terminal_options terminal = terminal_as_it_is();
	struct loaded_rules rules = { 0 };
	int r = loaded_rules__init(&rules, &v->record.rules, err);

	if (!r)
		r = top_store_run(dir, &v->range, rules.set, &terminal, err);
	loaded_rules__done(&rules);
	return r;
}

static int show_recording(struct live_view *lv, struct record_values *v, int argc, char **argv,
			  struct err *err)
{
	int r = live_recording__prepare(&lv->recording, v, argc, argv, err);

	/* for the tab Diff, which tests differences with them */
	lv->recording.options.capture.interval_ns = v->interval_ns;
	return r ? r : run(lv, err);
}

/* 0, or the exit status after the message. */
static int check(const struct top_values *v)
{
	if (v->stores.len > 1)
		return command_usage(&top_opts, "top shows one store");
	if (v->stores.len && live_recording_is_wanted(&v->record))
		return command_usage(&top_opts, "a store cannot be combined with what to record");
	if (!v->stores.len && !past_range_is_empty(&v->range))
		return command_usage(&top_opts, "--since, --until, --at and --on need a store");
	return live_recording_check(&v->record, &top_opts);
}

int cmd_top(int argc, char **argv)
{
	struct live_view lv = { 0 };
	struct top_values v;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&top_opts, argc, argv, &v, &status))
		return status;
	target_post__init(&lv.post);
	status = check(&v);
	if (!status) {
		r = terminal_check(&err);
		if (!r)
			r = v.stores.len ? show_store(&v, &err) :
					   show_recording(&lv, &v.record, argc, argv, &err);
		status = r ? command_fail(&top_opts, &err) : STATUS_OK;
		live_recording__done(&lv.recording);
	}
	target_post__done(&lv.post);
	opt_release(&top_opts, &v);
	return status;
}

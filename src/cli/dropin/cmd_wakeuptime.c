/* SPDX-License-Identifier: Apache-2.0 */

/*
 * wakeuptime: for scripts that use bcc's tool. Same flags, same output. It needs no user stacks,
 * and of kernel stacks only those of wakers.
 */
#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/dropin/bcc_tool.h"
#include "render/text/wake_text.h"

struct wakeuptime_values {
	struct bcc_values bcc;
	bool verbose;
};

static const struct wakeuptime_values defaults = { .bcc = BCC_DEFAULTS };

#define V struct wakeuptime_values
static const struct opt table[] = {
	{ 'u', "useronly", OPT_FLAG(V, bcc.user_threads), NULL,
	  "Trace user threads only, not kernel threads." },
	{ 'p', "pid", OPT_IDS(V, bcc.pids), "PID,...", "Trace these processes only.",
	  .flags = OPT_PROCESS, .min = 1, .excludes = "useronly" },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL,
	  "Also show offsets into functions; not with -f." },
	BCC_FOLDED_OPT(V, bcc),
	BCC_STORAGE_OPT(V, bcc),
	BCC_TIME_OPTS(V, bcc),
	OPT_END,
};

static const struct opt args[] = {
	BCC_ARGS(V, bcc),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot wakeuptime 5", "Trace for 5 seconds." },
	{ "coldspot wakeuptime -f 5 | flamegraph.pl --color=wakeup > x.svg",
	  "A graph of wakeups." },
	{ "coldspot wakeuptime -p 185 10", "Process 185 for 10 seconds." },
	{ NULL, NULL },
};

const struct opt_command wakeuptime_opts = {
	.name = "wakeuptime",
	.summary = "blocked time by waker's kernel stack, with bcc's flags and output",
	.description =

		"Takes the flags of bcc's wakeuptime and prints the same output: what woke "
		"threads, its kernel stack, and the microseconds from the block to the wakeup. "
		"Unlike the original, it names interrupts instead of the threads that they "
		"interrupted. The limits of -m and -M are for the whole wait, until the thread "
		"runs.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct wakeuptime_values),
	.defaults = &defaults,
};

static void put_header(const void *values)
{
	const struct wakeuptime_values *v = values;

	printf("Tracing blocked time (us) by kernel stack");
	bcc_put_duration(&v->bcc);
}

static int print(const struct profile *p, const void *values, struct err *err)
{
	const struct wakeuptime_values *v = values;
	const struct wakeup_text_options opt = {
		.folded = v->bcc.folded,
		.offsets = v->verbose,
	};
	struct sink sink;
	int r, end;

	sink__init_fd(&sink, STDOUT_FILENO);
	r = wakeup_text_put(p, &opt, &sink, err);
	if (!r && !opt.folded)
		sink__puts(&sink, "Detaching...\n");
	end = sink__finish(&sink, r ? NULL : err);
	sink__done(&sink);
	return r ? r : end;
}

int cmd_wakeuptime(int argc, char **argv)
{
	static const struct bcc_tool tool = {
		.cmd = &wakeuptime_opts,
		.wakers = true,
		.header = put_header,
		.print = print,
	};
	struct wakeuptime_values v;
	int status;

	if (!command_begin(&wakeuptime_opts, argc, argv, &v, &status))
		return status;
	v.bcc.kernel_stacks = true;
	status = bcc_tool_run(&tool, &v.bcc, &v);
	opt_release(&wakeuptime_opts, &v);
	return status;
}

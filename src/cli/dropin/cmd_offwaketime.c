/* SPDX-License-Identifier: Apache-2.0 */

/*
 * offwaketime: for scripts that use bcc's tool. Same flags, same output. bcc's own attributes the
 * stack of the thread before to the target, and the stack of an interrupted thread to the waker.
 */
#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "analysis/view/wake_view.h"
#include "app/outputs.h"
#include "cli/dropin/bcc_tool.h"
#include "render/text/wake_text.h"

struct offwaketime_values {
	struct bcc_values bcc;
};

static const struct offwaketime_values defaults = { .bcc = BCC_DEFAULTS };

#define V struct offwaketime_values
static const struct opt table[] = {
	BCC_THREAD_OPTS(V, bcc), BCC_STACK_OPTS(V, bcc),
	BCC_FOLDED_OPT(V, bcc),	 BCC_STORAGE_OPT(V, bcc),
	BCC_UNWIND_OPTS(V, bcc), BCC_TIME_OPTS(V, bcc),
	BCC_STATE_OPT(V, bcc),	 OPT_END,
};

static const struct opt args[] = {
	BCC_ARGS(V, bcc),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot offwaketime -f 5 | flamegraph.pl --color=chain > x.svg",
	  "A graph of all threads for 5 seconds, with wakers in a second colour." },
	{ "coldspot offwaketime -p 185 10", "Process 185 for 10 seconds." },
	{ "coldspot offwaketime -m 1000 -K", "Waits of 1 ms or longer, kernel stacks only." },
	{ NULL, NULL },
};

const struct opt_command offwaketime_opts = {
	.name = "offwaketime",
	.summary = "off-CPU time by stack and waker's stack, with bcc's flags and output",
	.description =

		"Takes the flags of bcc's offwaketime and prints the same output: stacks of "
		"threads that were off the CPU, the stack of what woke them, and the "
		"microseconds. Unlike the original, it names interrupts instead of the threads "
		"that they interrupted, counts waits that cross the start or end of the trace, "
		"and says where no waker is known.\n\n"
		"`record --wakers` with `--off-wake` or `--chains` shows the same in any format.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct offwaketime_values),
	.defaults = &defaults,
};

static void put_header(const void *values)
{
	const struct bcc_values *v = values;

	printf("Tracing blocked time (us) by %s off-CPU and waker stack", bcc_stack_words(v));
	bcc_put_duration(v);
}

static int put_text(const struct profile *p, const struct render_options *opt, struct err *err)
{
	struct sink sink;
	int r, end;

	sink__init_fd(&sink, STDOUT_FILENO);
	r = offwake_text_put(p, opt, &sink, err);
	end = sink__finish(&sink, r ? NULL : err);
	sink__done(&sink);
	return r ? r : end;
}

static int print(const struct profile *p, const void *values, struct err *err)
{
	const struct bcc_values *v = values;
	const struct render_options render = {
		.delimiter = v->delimited,
		.no_truncated = true,
		.interpreter = true,
		.wakers = WAKERS_ONE,
	};

	return v->folded ? output_put(STDOUT_FILENO, render_find("folded"), p, &render, err) :
			   put_text(p, &render, err);
}

int cmd_offwaketime(int argc, char **argv)
{
	static const struct bcc_tool tool = {
		.cmd = &offwaketime_opts,
		.wakers = true,
		.header = put_header,
		.print = print,
	};
	struct offwaketime_values v;
	int status;

	if (!command_begin(&offwaketime_opts, argc, argv, &v, &status))
		return status;
	status = bcc_tool_run(&tool, &v.bcc, &v.bcc);
	opt_release(&offwaketime_opts, &v);
	return status;
}

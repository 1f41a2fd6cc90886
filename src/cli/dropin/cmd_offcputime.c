/* SPDX-License-Identifier: Apache-2.0 */

/*
 * offcputime: for scripts that use bcc's tool. Same flags, same output, but our numbers: waits that
 * began before the trace or are open at its end are included with the part inside.
 */
#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "app/outputs.h"
#include "cli/dropin/bcc_tool.h"

struct offcputime_values {
	struct bcc_values bcc;
	bool offsets;
	bool verbose;
};

static const struct offcputime_values defaults = { .bcc = BCC_DEFAULTS };

#define V struct offcputime_values
static const struct opt table[] = {
	BCC_THREAD_OPTS(V, bcc),
	BCC_STACK_OPTS(V, bcc),
	BCC_FOLDED_OPT(V, bcc),
	{ 's', "offset", OPT_FLAG(V, offsets), NULL, "Show offsets into functions; not with -f." },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL,
	  "Show number, address, offset and module of each frame; not with -f." },
	BCC_STORAGE_OPT(V, bcc),
	BCC_UNWIND_OPTS(V, bcc),
	BCC_TIME_OPTS(V, bcc),
	BCC_STATE_OPT(V, bcc),
	OPT_END,
};

static const struct opt args[] = {
	BCC_ARGS(V, bcc),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot offcputime 5", "Trace for 5 seconds." },
	{ "coldspot offcputime -p 185 -f 10", "Process 185, folded, for 10 seconds." },
	{ "coldspot offcputime -m 1000 -K", "Waits of 1 ms or longer, kernel stacks only." },
	{ NULL, NULL },
};

const struct opt_command offcputime_opts = {
	.name = "offcputime",
	.summary = "off-CPU time by stack, with bcc's flags and output",
	.description =

		"Takes the flags of bcc's offcputime and prints the same output: stacks, "
		"and the microseconds that threads were off the CPU there. Unlike the "
		"original, it also counts waits that cross the start or end of the trace, "
		"with the part inside.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct offcputime_values),
	.defaults = &defaults,
};

static void put_header(const void *values)
{
	const struct bcc_values *v = &((const struct offcputime_values *)values)->bcc;
	char who[256];

	bcc_describe_threads(v, who, sizeof(who));
	printf("Tracing off-CPU time (us) of %s by %s stack", who, bcc_stack_words(v));
	bcc_put_duration(v);
}

static int print(const struct profile *p, const void *values, struct err *err)
{
	const struct offcputime_values *v = values;
	const struct render_options render = {
		.delimiter = v->bcc.delimited,
		.offsets = v->offsets,
		.verbose = v->verbose,
		/* bcc has no words for the one and no reason to hide the other */
		.no_truncated = true,
		.interpreter = true,
	};

	return output_put(STDOUT_FILENO, render_find(v->bcc.folded ? "folded" : "txt"), p, &render,
			  err);
}

int cmd_offcputime(int argc, char **argv)
{
	static const struct bcc_tool tool = {
		.cmd = &offcputime_opts,
		.header = put_header,
		.print = print,
	};
	struct offcputime_values v;
	int status;

	if (!command_begin(&offcputime_opts, argc, argv, &v, &status))
		return status;
	status = bcc_tool_run(&tool, &v.bcc, &v);
	opt_release(&offcputime_opts, &v);
	return status;
}

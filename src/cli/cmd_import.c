/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import: files of other tools become a profile, and everything after that is as for a recording of
 * our own. Needs no privilege.
 */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/cause/syscall_name.h"
#include "app/imports.h"
#include "app/outputs.h"
#include "cli/output_opts.h"
#include "cli/record_whom.h"
#include "gen/version.h"
#include "render/formats.h"

#define COMMAND_SZ 4096

struct import_values {
	struct vec files;
	struct vec outputs;
	const char *sample_type;
	u32 from; /* in the order of from_choices */
	u32 unit; /* in the order of unit_choices */
	u64 period_ns;
	u64 window_ns;
	bool quiet;
};

/* In the order of enum import_unit, whose first is that none was given. */
static const char *const unit_choices[] = { "auto", "us", "ns", "ms", "samples", NULL };

#define X(ID, name) name,
static const char *const from_choices[] = { "auto", IMPORT_FORMATS(X) NULL };
#undef X

#define V struct import_values
static const struct opt import_table[] = {
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a recording (.coldspot), or a file in the format of its extension, as `report` "
	  "does. Repeatable. Without it, print the summary.",
	  .flags = OPT_FILE },
	{ 0, "from", OPT_CHOICE(V, from), "FORMAT", "The format. auto: by content.",
	  .choices = from_choices },
	{ 0, "unit", OPT_CHOICE(V, unit), "UNIT",
	  "The unit of values in a file that does not tell it: us (offcputime -f), ns, ms, or "
	  "samples, which need --period.",
	  .choices = unit_choices },
	{ 0, "period", OPT_NS(V, period_ns), "TIME",
	  "The time for which each sample stands: 10ms for py-spy's 100 Hz.", .min = 1 },
	{ 0, "window", OPT_NS(V, window_ns), "TIME",
	  "How long was recorded, if the file does not tell it; `diff` compares times per second.",
	  .min = 1 },
	{ 0, "sample-type", OPT_STRING(V, sample_type), "NAME",
	  "Which values of a pprof file to import. Default: off_cpu, delay, or the only time." },
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL, "Do not say which files were written." },
	OPT_END,
};

static const struct opt import_args[] = {
	{ 0, NULL, OPT_STRINGS(V, files), "FILE...",
	  "Files of other tools; - is standard input. Several are merged.",
	  .flags = OPT_FILE | OPT_REQUIRED },
	OPT_END,
};
#undef V

static const struct opt_example import_examples[] = {
	{ "coldspot import perf.data -o sched.coldspot",
	  "Convert what `perf sched record -g` recorded." },
	{ "coldspot import --unit us out.folded", "Print the summary of bcc's `offcputime -f`." },
	{ "zcat day.gz | coldspot import - -o x.coldspot", "Convert on the way." },
	{ NULL, NULL },
};

const struct opt_command import_opts = {
	.name = "import",
	.summary = "convert files of other tools to recordings",
	.description =

		"Reads perf.data files and the text of perf script, traces of Perfetto and wprof, "
		"the text of offcputime of bcc and libbpf-tools, folded stacks, speedscope and "
		"pprof files, which are recognized by their content. The other commands then work "
		"on the recording.\n\n"
		"What a source does not tell is unknown, not zero: every output lists it and "
		"leaves it blank. docs/import.md has a table of what each tells.\n\n"
		"A perf.data file is read through `perf script`, so perf must be installed.",
	.opts = import_table,
	.args = import_args,
	.examples = import_examples,
	.values_sz = sizeof(struct import_values),
};

/* 0, or the exit status after the message. */
static int check_usage(const struct import_values *v)
{
	struct err err = { 0 };
	size_t i;

	for (i = 0; i < v->outputs.len; i++) {
		if (output_check(*(const char **)vec__at(&v->outputs, i), &err))
			return command_usage(&import_opts, "%s", err.msg);
	}
	return 0;
}

static int print(const struct profile *p, struct cause_memo *memo, struct err *err)
{
	struct render_options opt = { .memo = memo };

	output_fit_terminal(&render_summary, &opt);
	return output_put(STDOUT_FILENO, &render_summary, p, &opt, err);
}

static int convert(const struct import_values *v, const char *command, struct outputs *outputs,
		   struct err *err)
{
	const struct import_options opt = {
		.version = COLDSPOT_VERSION,
		.command = command,
		.format = v->from ? from_choices[v->from] : NULL,
		.unit = (enum import_unit)v->unit,
		.period_ns = v->period_ns,
		.window_ns = v->window_ns,
		.sample_type = v->sample_type,
		.arch = syscall_arch(),
		.syscall_number = syscall_number,
	};
	struct cause_memo memo = { 0 };
	struct render_options render = { .memo = &memo };
	struct profile *p = NULL;
	int r = imports_load(&v->files, &opt, &p, err);

	memo.p = p;
	if (!r && v->outputs.len)
		r = outputs__write(outputs, p, &render, err);
	else if (!r)
		r = print(p, &memo, err);
	cause_memo__done(&memo);
	profile__free(p);
	return r;
}

static int open_outputs(const struct import_values *v, struct outputs *outputs, struct err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < v->outputs.len && !r; i++)
		r = outputs__add(outputs, *(const char **)vec__at(&v->outputs, i), err);
	for (i = 0; i < v->files.len && !r; i++)
		r = outputs__spare(outputs, *(const char **)vec__at(&v->files, i), err);
	return r;
}

int cmd_import(int argc, char **argv)
{
	char command[COMMAND_SZ];
	struct outputs outputs;
	struct import_values v;
	struct err err = { 0 };
	int status, r = 0;

	record_join_command(argc, argv, command, sizeof(command));
	if (!command_begin(&import_opts, argc, argv, &v, &status))
		return status;
	outputs__init(&outputs);
	status = check_usage(&v);
	if (!status)
		r = open_outputs(&v, &outputs, &err);
	if (!status && !r)
		r = convert(&v, command, &outputs, &err);
	if (!status && !r && !v.quiet)
		outputs_say_written(&v.outputs);
	if (r)
		status = command_fail(&import_opts, &err);
	outputs__done(&outputs);
	opt_release(&import_opts, &v);
	return status;
}

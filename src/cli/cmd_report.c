/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cause_memo.h"
#include "base/units.h"
#include "cli/output_opts.h"
#include "cli/outputs.h"
#include "cli/recordings.h"
#include "cli/rules_opts.h"
#include "cli/selection.h"
#include "render/explain.h"
#include "render/scope_text.h"
#include "symbol/rename.h"

/*
 * report, export and hist: recordings, and a part of them, in any format. All go the same way:
 * load, choose, render. Export is the short form of one format for a pipe, hist of histograms.
 */

struct report_values {
	struct vec files;
	struct vec outputs;
	const char *format;
	bool quiet;
	struct time_range range;
	struct selection_values select;
	struct view_values view;
	struct names_values names;
	struct graph_values graph;
	struct rules_values rules;
	const char *explain; /* report */
	bool json; /* hist, as the next two */
	u32 of; /* enum render_of */
	u64 steps;
};

/* In the order of enum render_of. */
static const char *const of_choices[] = { "off", "on", "runq", "blocked", NULL };

#define V struct report_values
static const struct opt report_table[] = {
	OPT_HEADING("Which windows"),
	RECORDINGS_OPTS(V, range),
	OPT_HEADING("Which threads, with all of their time"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Which of their waits (the budget stays that of the threads)"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("How to look at it"),
	VIEW_OPTS(V, view),
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file, in the format of its ending: " OUTPUT_ENDINGS ". Several are possible.",
	  .flags = OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME",
	  "What goes to standard output: " OUTPUT_FORMATS "; summary if not given.",
	  .flags = OPT_FORMAT },
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL, "Nothing on standard output but --explain." },
	OPT_HEADING("What a wait is called"),
	RULES_OPTS(V, rules),
	{ 0, "explain", OPT_STRING(V, explain), "WAIT",
	  "Print which rule gave waits their kind and class, and why, instead of a report: of the "
	  "row with this number in the summary's last table, or of all with this text in a frame, "
	  "or as their kind or thread." },
	OPT_HEADING("Names for frames that have none (with --debug-dir or --debuginfod)"),
	NAMES_OPTS(V, names),
	OPT_HEADING("The flame graph (.svg)"),
	GRAPH_OPTS(V, graph),
	OPT_END,
};

static const struct report_values defaults = { .names.demangle = true };

static const struct opt report_args[] = {
	RECORDINGS_ARGS(V, files),
	OPT_END,
};

static const struct opt export_table[] = {
	OPT_HEADING("Which windows"),
	RECORDINGS_OPTS(V, range),
	OPT_HEADING("Which threads, with all of their time"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Which of their waits"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("How to look at it"),
	VIEW_OPTS(V, view),
	OPT_HEADING("What a wait is called"),
	RULES_OPTS(V, rules),
	OPT_HEADING("Names for frames that have none (with --debug-dir or --debuginfod)"),
	NAMES_OPTS(V, names),
	OPT_HEADING("The flame graph (svg)"),
	GRAPH_OPTS(V, graph),
	OPT_END,
};

static const struct opt export_args[] = {
	{ 0, NULL, OPT_STRING(V, format), "FORMAT",
	  "One of the formats of `report -f`: " OUTPUT_FORMATS ".",
	  .flags = OPT_REQUIRED | OPT_FORMAT },
	RECORDINGS_ARGS(V, files),
	OPT_END,
};

static const struct opt hist_table[] = {
	OPT_HEADING("Which windows"),
	RECORDINGS_OPTS(V, range),
	OPT_HEADING("Which threads"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Which of their waits"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("Output"),
	{ 0, "by", OPT_CHOICE(V, view.by), "WHAT", "One for each, longest sum first.",
	  .choices = hist_by_choices },
	{ 0, "of", OPT_CHOICE(V, of), "WHAT",
	  "off: time off the CPU, if not given; on: on it; runq: waiting for it; blocked. All but "
	  "off need a recording with --hist.",
	  .choices = of_choices },
	{ 0, "steps", OPT_U64(V, steps), "N",
	  "1, 2 or 4 rows for each power of two; 2 and 4 need a recording with --hist.", .min = 1,
	  .max = 4 },
	{ 0, "top", OPT_U64(V, view.top), "N", "As many of them.", .min = 1, .max = 100000 },
	{ 0, "json", OPT_FLAG(V, json), NULL, "As JSON." },
	OPT_HEADING("What a wait is called"),
	RULES_OPTS(V, rules),
	OPT_END,
};
#undef V

static const struct opt_example report_examples[] = {
	{ "coldspot report db.coldspot", "The summary, as `record` printed it." },
	{ "coldspot report --cause lock --by thread db.coldspot",
	  "Which threads waited for locks?" },
	{ "coldspot report --invert --not-under 'epoll_wait' db.coldspot",
	  "From the functions that waited to those that called them, without the event loop." },
	{ "coldspot report --from -5m --under PQexec -o pq.svg day1.coldspot",
	  "The last five minutes under one function, as a flame graph." },
	{ NULL, NULL },
};

const struct opt_command report_opts = {
	.name = "report",
	.summary = "show recordings, or a part of them, in any format",
	.description =
		"Reads what `record -o x.coldspot` wrote. Windows and files become one, with every "
		"sum added up; threads go on from one window to the next.\n\n"
		"A filter of threads leaves other threads out with all of their time. A filter of "
		"waits chooses among the waits of these threads: the budget still says where all "
		"of their time went. Every output says how much was selected, of how much.\n\n"
		"What a damaged file still has is shown, and what is lost is said; the exit status "
		"is 1 then.",
	.opts = report_table,
	.args = report_args,
	.examples = report_examples,
	.values_sz = sizeof(struct report_values),
	.defaults = &defaults,
};

static const struct opt_example export_examples[] = {
	{ "coldspot export folded db.coldspot | flamegraph.pl > db.svg", "For another tool." },
	{ "coldspot export json --pid 4121 db.coldspot | jq .budget", "For a script." },
	{ "coldspot export pprof db.coldspot > db.pb.gz", "For `go tool pprof`." },
	{ NULL, NULL },
};

const struct opt_command export_opts = {
	.name = "export",
	.summary = "write recordings in one format to standard output",
	.description = "The same as `report -f FORMAT`, with the format first. Filters and times "
		       "are those of `report`.",
	.opts = export_table,
	.args = export_args,
	.examples = export_examples,
	.values_sz = sizeof(struct report_values),
	.defaults = &defaults,
};

static const struct opt_example hist_examples[] = {
	{ "coldspot hist db.coldspot", "How long were the waits?" },
	{ "coldspot hist --cause disk-sync --by thread db.coldspot",
	  "How long did which thread wait for the disk?" },
	{ "coldspot hist --state R db.coldspot", "How long were threads kept from a CPU?" },
	{ "coldspot hist --of runq --by thread --steps 4 db.coldspot",
	  "How long did each thread wait for a CPU (with a recording with --hist)?" },
	{ NULL, NULL },
};

const struct opt_command hist_opts = {
	.name = "hist",
	.summary = "show how long waits and slices of recordings were, as histograms",
	.description =
		"A histogram of the time off the CPU, blocked and waiting for a CPU together, "
		"of all waits or of each thread, process, cause or stack. Waits in state R are "
		"nothing but waiting for a CPU. Buckets are powers of two of 1.024 us.\n\n"
		"With `record --hist` a recording has histograms of each thread: of the time off "
		"the CPU, on it, waiting for it and blocked, exact, of every wait and slice that "
		"began and ended in the window. They are shown wherever all of the waits of "
		"threads are asked for. Causes and stacks are known of listed waits, and filters "
		"of waits choose among these, so then it is these that are counted.\n\n"
		"`report -f hist` is the same; `report -o x.hist.json` writes it to a file.",
	.opts = hist_table,
	.args = report_args,
	.examples = hist_examples,
	.values_sz = sizeof(struct report_values),
};

/* 0, or the exit status after the sentence. */
static int check_usage(const struct opt_command *cmd, const struct report_values *v)
{
	const char *name = cmd == &export_opts ? "FORMAT" : "--format";
	struct err err = { 0 };
	int status;
	size_t i;

	if (output_format_check(name, v->format, &err))
		return command_usage(cmd, "%s", err.msg);
	for (i = 0; i < v->outputs.len; i++) {
		if (output_check(*(const char **)vec__at(&v->outputs, i), &err))
			return command_usage(cmd, "%s", err.msg);
	}
	if (v->steps == 3)
		return command_usage(cmd, "--steps: 1, 2 or 4");
	status = graph_values__check(&v->graph, cmd);
	return status ? status : names_values__check(&v->names, cmd);
}

static const struct render_ops *format_of(const struct opt_command *cmd,
					  const struct report_values *v)
{
	if (cmd == &hist_opts)
		return render_find(v->json ? "hist-json" : "hist");
	if (v->format)
		return render_find(v->format);
	return render_find(v->view.invert ? "tree" : "summary");
}

static bool wants_print(const struct report_values *v)
{
	return v->explain || (!v->quiet && (v->format || !v->view.invert || !v->outputs.len));
}

/* What a format has no place for is said beside it. */
static void say_scope(const struct opt_command *cmd, const struct profile *p)
{
	char text[SCOPE_TEXT_SZ];

	if (scope_windows_text(p, text, sizeof(text)))
		fprintf(stderr, "coldspot %s: %s\n", cmd->name, text);
	if (scope_selection_text(p, text, sizeof(text)))
		fprintf(stderr, "coldspot %s: %s\n", cmd->name, text);
}

static int print_explained(const struct profile *p, const struct render_options *opt,
			   const char *what, struct err *err)
{
	struct sink sink;
	int r, end;

	sink__init_fd(&sink, STDOUT_FILENO);
	r = explain_put(p, opt, what, &sink, err);
	end = sink__finish(&sink, r ? NULL : err);
	sink__done(&sink);
	return r ? r : end;
}

static int print(const struct opt_command *cmd, const struct report_values *v,
		 const struct profile *p, struct cause_memo *memo, struct err *err)
{
	struct render_options opt = view_values__options(&v->view);
	const struct render_ops *format = format_of(cmd, v);
	int r;

	opt.of = v->of;
	opt.steps = (u32)v->steps;
	opt.memo = memo;
	if (v->explain)
		return print_explained(p, &opt, v->explain, err);
	graph_values__apply(&v->graph, format->name, &opt);
	output_fit_terminal(format, &opt);
	r = output_print(format, p, &opt, err);
	if (!r && format->bare)
		say_scope(cmd, p);
	return r;
}

/* What was recorded without names may get them from debug files of the same builds. */
static int name(const struct opt_command *cmd, const struct report_values *v, struct profile *p,
		struct err *err)
{
	const struct resolver_options opt = {
		.debug_dir = v->names.debug_dir,
		.debuginfod = v->names.debuginfod,
		.demangle = v->names.demangle,
		.strip_suffixes = v->names.strip_suffixes,
	};
	u32 named;
	int r;

	if (!opt.debug_dir && !opt.debuginfod)
		return 0;
	r = rename_profile(p, &opt, &named, err);
	if (!r)
		fprintf(stderr, "coldspot %s: %u frame%s got a name\n", cmd->name, named,
			units_plural(named));
	return r;
}

/* What is shown: names, then the part that is asked for. */
static int load(const struct opt_command *cmd, const struct report_values *v,
		const struct ruleset *rules, struct profile **p, bool *damaged, struct err *err)
{
	struct selection_values select = v->select;
	int r = recordings_load(cmd, &v->files, &v->range, p, damaged, err);

	if (!r)
		r = name(cmd, v, *p, err);
	select.no_idle = v->view.idle == VIEW_IDLE_HIDE;
	if (!r)
		r = selection__apply(&select, rules, p, err);
	return r ? r : output_view_check(v->view.time, *p, err);
}

static void say_unused_by(const struct opt_command *cmd, const struct report_values *v,
			  const struct render_ops *format)
{
	if (v->view.by && !format->takes_root)
		fprintf(stderr, "coldspot %s: %s has no use for --by\n", cmd->name, format->name);
	if (v->view.invert && !format->takes_invert)
		fprintf(stderr, "coldspot %s: %s has no use for --invert\n", cmd->name,
			format->name);
}

/* Who gave an option does not look for what became of it. A recording takes all of a selection. */
static void say_unused(const struct opt_command *cmd, const struct report_values *v)
{
	const struct render_ops *format;

	for (size_t i = 0; i < v->outputs.len; i++) {
		format = render_find_by_path(*(const char **)vec__at(&v->outputs, i));
		if (format)
			say_unused_by(cmd, v, format);
	}
	if (wants_print(v) && !v->explain)
		say_unused_by(cmd, v, format_of(cmd, v));
}

static int write_all(const struct opt_command *cmd, const struct report_values *v,
		     struct outputs *outputs, struct err *err)
{
	struct render_options opt = view_values__options(&v->view);
	struct loaded_rules rules;
	struct cause_memo memo = { 0 };
	struct profile *p = NULL;
	bool damaged = false;
	int r = loaded_rules__init(&rules, &v->rules, err);

	if (!r)
		r = load(cmd, v, rules.set, &p, &damaged, err);
	graph_values__apply(&v->graph, NULL, &opt);
	memo.p = p;
	memo.rules = rules.set;
	opt.memo = &memo;
	if (!r)
		r = outputs__write(outputs, p, &opt, err);
	if (!r && wants_print(v))
		r = print(cmd, v, p, &memo, err);
	cause_memo__done(&memo);
	profile__free(p);
	loaded_rules__done(&rules);
	if (!r && damaged)
		r = err__set(err, -EBADMSG, "a part of the recording is lost");
	return r;
}

static int report(const struct opt_command *cmd, int argc, char **argv)
{
	struct outputs outputs;
	struct report_values v;
	struct err err = { 0 };
	int status, r = 0;
	size_t i;

	if (!command_begin(cmd, argc, argv, &v, &status))
		return status;
	status = check_usage(cmd, &v);
	if (!status)
		say_unused(cmd, &v);
	outputs__init(&outputs);
	for (i = 0; !status && i < v.outputs.len && !r; i++)
		r = outputs__add(&outputs, *(const char **)vec__at(&v.outputs, i), &err);
	for (i = 0; !status && i < v.files.len && !r; i++)
		r = outputs__spare(&outputs, *(const char **)vec__at(&v.files, i), &err);
	if (!status && !r)
		r = write_all(cmd, &v, &outputs, &err);
	if (r)
		status = command_fail(cmd, &err);
	outputs__done(&outputs);
	opt_release(cmd, &v);
	return status;
}

int cmd_report(int argc, char **argv)
{
	return report(&report_opts, argc, argv);
}

int cmd_export(int argc, char **argv)
{
	return report(&export_opts, argc, argv);
}

int cmd_hist(int argc, char **argv)
{
	return report(&hist_opts, argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The option tables of report, export and hist. */
#include "cli/report/report_opts.h"

#include "app/outputs.h"
#include "cli/commands.h"
#include "cli/recordings_opts.h"
#include "cli/report/windows_load.h"
#include "cli/rules_opts.h"
#include "cli/selection_opts.h"

/* In the order of enum render_of. */
static const char *const of_choices[] = { "off", "on", "runq", "blocked", NULL };

#define V struct report_values
static const struct opt report_table[] = {
	OPT_HEADING("Windows"),
	RECORDINGS_OPTS(V, range),
	FLEET_OPTS(V, hosts, services),
	OPT_HEADING("Threads, with all of their time"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Waits of these threads (the budget still covers all of their time)"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("View"),
	VIEW_OPTS(V, view),
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file in the format of its extension: " OUTPUT_ENDINGS ". Repeatable.",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME",
	  "Format on standard output: " OUTPUT_FORMATS ". Default: summary.",
	  .flags = OPT_COMMON | OPT_FORMAT },
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL,
	  "Print no summary. -f and --explain still print." },
	OPT_HEADING("Rules for causes and classes"),
	RULES_OPTS(V, rules),
	{ 0, "explain", OPT_STRING(V, explain), "WAIT",
	  "Print which rules decided cause and class of a wait, and why, instead of a report. "
	  "WAIT is the number of a row in the summary's last table, or text in a frame, cause or "
	  "thread name.",
	  .flags = OPT_COMMON },
	OPT_HEADING("Instead of a report, from instants (recorded with --events)"),
	{ 0, "narrative", OPT_IDS(V, narrative), "TID,...",
	  "Print what these threads did, in the order of time. -f narrative does the same for "
	  "all that is selected.",
	  .excludes = "format tid explain", .min = 1 },
	{ 0, "critical-path", OPT_FLAG(V, critical_path), NULL,
	  "Print what the time of one thread went to, also in the threads that it waited for. "
	  "Needs --wakers in the recording too. --tid names the thread; the default is the first "
	  "one of a recorded command. --since and --until are then exact. Formats: summary, json, "
	  "folded, wide and svg; with -o, .txt is the summary.",
	  .excludes = "quiet explain narrative by invert view off-wake chains pid comm cgroup "
		      "user-threads kernel-threads cause class state under not-under module object "
		      "owner waker min max idle" },
	{ 0, "trace", OPT_STRING(V, trace), "ID",
	  "Print the request with this W3C trace id, or its first digits (record --request "
	  "auto:http, or published by threads): its waits in order and, with --wakers in the "
	  "recording, its critical path. As text or JSON.",
	  .excludes =
		  "quiet explain narrative requests by invert view off-wake chains tid pid comm "
		  "cgroup unit container pod user-threads kernel-threads cause class state under "
		  "not-under module object owner waker min max idle" },
	OPT_HEADING("Instead of a report, from ClickHouse"),
	{ 0, "by-host", OPT_FLAG(V, by_host), NULL,
	  "Print a table of hosts, with their largest causes. --host, --service, the range and "
	  "--top select.",
	  .excludes = "output format quiet explain narrative critical-path by invert view off-wake "
		      "chains pid tid comm cgroup unit container pod user-threads kernel-threads "
		      "cause class state under not-under module object owner waker regex min max "
		      "idle rules no-idle-rules" },
	OPT_HEADING("Names for unresolved frames (with --debug-dir or --debuginfod)"),
	NAMES_OPTS(V, names),
	OPT_HEADING("The flame graph (.svg)"),
	GRAPH_OPTS(V, graph),
	OPT_END,
};

static const struct report_values defaults = { .names.demangle = true, .view.fold_kernel = true };

static const struct opt report_args[] = {
	WINDOWS_ARGS(V, files),
	OPT_END,
};

static const struct opt export_table[] = {
	OPT_HEADING("Windows"),
	RECORDINGS_OPTS(V, range),
	FLEET_OPTS(V, hosts, services),
	OPT_HEADING("Threads, with all of their time"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Waits of these threads"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("View"),
	VIEW_OPTS(V, view),
	OPT_HEADING("Rules for causes and classes"),
	RULES_OPTS(V, rules),
	OPT_HEADING("Names for unresolved frames (with --debug-dir or --debuginfod)"),
	NAMES_OPTS(V, names),
	OPT_HEADING("The flame graph (svg)"),
	GRAPH_OPTS(V, graph),
	OPT_END,
};

static const struct opt export_args[] = {
	{ 0, NULL, OPT_STRING(V, format), "FORMAT",
	  "One of the formats of `report -f`: " OUTPUT_FORMATS ".",
	  .flags = OPT_REQUIRED | OPT_FORMAT },
	WINDOWS_ARGS(V, files),
	OPT_END,
};

static const struct opt hist_table[] = {
	OPT_HEADING("Windows"),
	RECORDINGS_OPTS(V, range),
	FLEET_OPTS(V, hosts, services),
	OPT_HEADING("Threads"),
	SELECTION_THREAD_OPTS(V, select),
	OPT_HEADING("Waits of these threads"),
	SELECTION_WAIT_OPTS(V, select),
	OPT_HEADING("Output"),
	{ 0, "by", OPT_CHOICE(V, view.by), "WHAT",
	  "Print a histogram for each of these, largest sum first.", .choices = hist_by_choices,
	  .flags = OPT_COMMON },
	{ 0, "of", OPT_CHOICE(V, of), "WHAT",
	  "What to measure: off, time off the CPU (default); on, time on a CPU; runq, time "
	  "waiting for a CPU; blocked. All except off need a recording made with --hist.",
	  .choices = of_choices, .flags = OPT_COMMON },
	{ 0, "steps", OPT_U64(V, steps), "N",
	  "Rows per power of two: 1, 2 or 4. 2 and 4 need a recording made with --hist.", .min = 1,
	  .max = 4, .flags = OPT_COMMON },
	{ 0, "top", OPT_U64(V, view.top), "N", "Maximum number of histograms.", .min = 1,
	  .max = 100000, .flags = OPT_COMMON },
	{ 0, "json", OPT_FLAG(V, json), NULL, "Print JSON.", .flags = OPT_COMMON },
	OPT_HEADING("Rules for causes and classes"),
	RULES_OPTS(V, rules),
	OPT_END,
};
#undef V

static const struct opt_example report_examples[] = {
	{ "coldspot report db.coldspot", "Print the summary, as `record` did." },
	{ "coldspot report --cause lock --by thread db.coldspot",
	  "Show which threads waited for locks." },
	{ "coldspot report --critical-path build.coldspot",
	  "Show what the time of a recorded command went to." },
	{ "coldspot report --since -5m --under PQexec -o pq.svg day1.coldspot",
	  "Draw a flame graph of the last five minutes under one function." },
	{ NULL, NULL },
};

const struct opt_command report_opts = {
	.name = "report",
	.summary = "show recordings, or part of them, in any format",
	.description =

		"Reads recordings written by `record -o x.coldspot`. Windows and files are "
		"merged and their sums added up; threads continue from one window to the "
		"next.\n\n"
		"A filter by thread removes other threads with all of their time. A filter "
		"by wait selects waits of these threads: the budget still shows all of "
		"their time. Every output states how much was selected, and of how "
		"much.\n\n"
		"Of a damaged file, report shows what is intact and states what is lost; "
		"the exit status is then 1.",
	.opts = report_table,
	.args = report_args,
	.examples = report_examples,
	.values_sz = sizeof(struct report_values),
	.defaults = &defaults,
};

static const struct opt_example export_examples[] = {
	{ "coldspot export folded db.coldspot | flamegraph.pl > db.svg", "For other tools." },
	{ "coldspot export json --pid 4121 db.coldspot | jq .budget", "For scripts." },
	{ "coldspot export pprof db.coldspot > db.pb.gz", "For `go tool pprof`." },
	{ NULL, NULL },
};

const struct opt_command export_opts = {
	.name = "export",
	.summary = "write recordings in one format to standard output",
	.description = "Like `report -f FORMAT`, with the format first. Filters and time ranges "
		       "are those of `report`.",
	.opts = export_table,
	.args = export_args,
	.examples = export_examples,
	.values_sz = sizeof(struct report_values),
	.defaults = &defaults,
};

static const struct opt_example hist_examples[] = {
	{ "coldspot hist db.coldspot", "Show how long waits were." },
	{ "coldspot hist --cause disk-sync --by thread db.coldspot",
	  "Show how long each thread waited for the disk." },
	{ "coldspot hist --state R db.coldspot",
	  "Show how long runnable threads waited for a CPU." },
	{ "coldspot hist --of runq --by thread --steps 4 db.coldspot",
	  "Show how long each thread waited for a CPU (recorded with --hist)." },
	{ NULL, NULL },
};

const struct opt_command hist_opts = {
	.name = "hist",
	.summary = "show histograms of the lengths of waits and slices",
	.description =

		"Prints a histogram of time off the CPU, blocked plus waiting for a CPU, "
		"over all waits or for each thread, process, cause or stack. Waits in state "
		"R consist of waiting for a CPU only. Buckets are powers of two of 1.024 "
		"µs.\n\n"
		"A recording made with `record --hist` has exact histograms of each thread: "
		"time off the CPU, on it, waiting for it and blocked, over every wait and "
		"slice that began and ended in the window. They are shown unless the "
		"selection depends on the waits. Causes and stacks are known only for "
		"listed waits, and filters by wait select among these, so in that case the "
		"listed waits are counted.\n\n"
		"`report -f hist` is the same; `report -o x.hist.json` writes it to a file.",
	.opts = hist_table,
	.args = report_args,
	.examples = hist_examples,
	.values_sz = sizeof(struct report_values),
};

int report_values__check(const struct report_values *v, const struct opt_command *cmd)
{
	const struct windows_from from = { &v->files, &v->range, &v->hosts, &v->services };
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
	status = windows_from__check(&from, cmd);
	if (status)
		return status;
	if (v->steps == 3)
		return command_usage(cmd, "--steps: 1, 2 or 4");
	status = graph_values__check(&v->graph, cmd);
	return status ? status : names_values__check(&v->names, cmd);
}

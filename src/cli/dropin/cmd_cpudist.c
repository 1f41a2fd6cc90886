/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cpudist: for scripts that use bcc's tool. Same flags, same output: how long threads were on a
 * CPU, or with -O off it, from switch to switch. Unlike the tool of libbpf-tools, it also counts
 * slices that end because the thread blocks.
 */
#include "cli/commands.h"

#include "base/log.h"
#include "cli/dropin/dist.h"
#include "app/target.h"

struct cpudist_values {
	struct vec pids;
	const char *cgroup;
	bool off_cpu;
	bool timestamp;
	bool milliseconds;
	bool by_pid;
	bool by_tid;
	bool extension;
	bool verbose;
	u64 interval_ns;
	u64 count;
};

#define V struct cpudist_values
static const struct opt table[] = {
	{ 'O', "offcpu", OPT_FLAG(V, off_cpu), NULL, "Measure time off the CPU." },
	{ 'T', "timestamp", OPT_FLAG(V, timestamp), NULL, "Print the time of day." },
	{ 'm', "milliseconds", OPT_FLAG(V, milliseconds), NULL, "Use milliseconds for rows." },
	{ 'P', "pids", OPT_FLAG(V, by_pid), NULL, "Print a histogram for each process.",
	  .excludes = "tids" },
	{ 'L', "tids", OPT_FLAG(V, by_tid), NULL, "Print a histogram for each thread." },
	DIST_WHOM_OPTS(V),
	{ 'e', "extension", OPT_FLAG(V, extension), NULL,
	  "Print average, total and count below the histograms." },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL, "Log progress to standard error." },
	OPT_END,
};

static const struct opt args[] = {
	DIST_ARGS(V),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot cpudist 5 1", "How long threads run at a time, for five seconds." },
	{ "coldspot cpudist -O -P -p 185", "How long process 185 is off the CPU, until Ctrl-C." },
	{ NULL, NULL },
};

const struct opt_command cpudist_opts = {
	.name = "cpudist",
	.summary = "time on or off the CPU as histograms, with bcc's flags and output",
	.description =

		"Takes the flags of bcc's cpudist and prints the same output: how long "
		"threads ran on a CPU at a time, or with -O were off it. Every slice and "
		"every wait counts with its full length, in the interval in which it ends. "
		"Those that began before the trace or are still open at its end are not "
		"counted. The first wait of a new thread is off-CPU time. Idle CPU time is "
		"not counted. The last row includes everything longer.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct cpudist_values),
};

int cmd_cpudist(int argc, char **argv)
{
	struct cpudist_values v;
	struct target target = { .pids = &v.pids, .tids = &(struct vec){ 0 } };
	struct dist_options opt;
	struct err err = { 0 };
	int status;

	if (!command_begin(&cpudist_opts, argc, argv, &v, &status))
		return status;
	log_enable(v.verbose);
	opt = (struct dist_options){
		.command = cpudist_opts.name,
		.what = v.off_cpu ? "off-CPU time" : "on-CPU time",
		.kind = v.off_cpu ? HIST_OFF : HIST_ON,
		.by = v.by_pid ? DIST_BY_PROCESS :
		      v.by_tid ? DIST_BY_THREAD :
				 DIST_BY_NOTHING,
		.pids = &v.pids,
		.cgroup = v.cgroup,
		.timestamp = v.timestamp,
		.milliseconds = v.milliseconds,
		.extension = v.extension,
		.interval_ns = v.interval_ns,
		.count = v.interval_ns ? v.count : 1,
	};
	status = command_check_target(&target, &err) || dist_run(&opt, &err) ?
			 command_fail(&cpudist_opts, &err) :
			 STATUS_OK;
	opt_release(&cpudist_opts, &v);
	return status;
}

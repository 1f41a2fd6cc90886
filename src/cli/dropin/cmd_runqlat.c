/* SPDX-License-Identifier: Apache-2.0 */

/*
 * runqlat: for scripts that use bcc's tool. Same flags, same output: how long runnable threads
 * waited for a CPU, after a wakeup, after birth or when preempted.
 */
#include "cli/commands.h"

#include "base/log.h"
#include "cli/dropin/dist.h"
#include "app/target.h"

struct runqlat_values {
	struct vec pids;
	const char *cgroup;
	bool timestamp;
	bool milliseconds;
	bool by_pid;
	bool by_tid;
	bool by_pidns;
	bool verbose;
	u64 interval_ns;
	u64 count;
};

#define V struct runqlat_values
static const struct opt table[] = {
	{ 'T', "timestamp", OPT_FLAG(V, timestamp), NULL, "Print the time of day." },
	{ 'm', "milliseconds", OPT_FLAG(V, milliseconds), NULL, "Use milliseconds for rows." },
	{ 'P', "pids", OPT_FLAG(V, by_pid), NULL, "Print a histogram for each process.",
	  .excludes = "tids pidnss" },
	{ 0, "pidnss", OPT_FLAG(V, by_pidns), NULL, "Print a histogram for each PID namespace.",
	  .excludes = "tids" },
	{ 'L', "tids", OPT_FLAG(V, by_tid), NULL, "Print a histogram for each thread." },
	DIST_WHOM_OPTS(V),
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL, "Log progress to standard error." },
	OPT_END,
};

static const struct opt args[] = {
	DIST_ARGS(V),
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot runqlat 1 10", "How long threads wait for a CPU: each second, ten times." },
	{ "coldspot runqlat -m -P -p 185", "Process 185 in milliseconds, until Ctrl-C." },
	{ NULL, NULL },
};

const struct opt_command runqlat_opts = {
	.name = "runqlat",
	.summary = "time waiting for a CPU as histograms, with bcc's flags and output",
	.description =

		"Takes the flags of bcc's runqlat and prints the same output: how long "
		"runnable threads waited for a CPU, after a wakeup, after birth or after "
		"being preempted. Each wait counts with its full length, in the interval in "
		"which it ends. Waits that began before the trace or are still open at its "
		"end are not counted.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct runqlat_values),
};

int cmd_runqlat(int argc, char **argv)
{
	struct runqlat_values v;
	struct target target = { .pids = &v.pids, .tids = &(struct vec){ 0 } };
	struct dist_options opt;
	struct err err = { 0 };
	int status;

	if (!command_begin(&runqlat_opts, argc, argv, &v, &status))
		return status;
	log_enable(v.verbose);
	opt = (struct dist_options){
		.command = runqlat_opts.name,
		.what = "run queue latency",
		.kind = HIST_RUNQ,
		.by = v.by_pid	 ? DIST_BY_PROCESS :
		      v.by_tid	 ? DIST_BY_THREAD :
		      v.by_pidns ? DIST_BY_PIDNS :
				   DIST_BY_NOTHING,
		.pids = &v.pids,
		.cgroup = v.cgroup,
		.timestamp = v.timestamp,
		.milliseconds = v.milliseconds,
		.interval_ns = v.interval_ns,
		.count = v.interval_ns ? v.count : 1,
	};
	status = command_check_target(&target, &err) || dist_run(&opt, &err) ?
			 command_fail(&runqlat_opts, &err) :
			 STATUS_OK;
	opt_release(&runqlat_opts, &v);
	return status;
}

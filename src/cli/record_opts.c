/* SPDX-License-Identifier: Apache-2.0 */
/* The option table of record, and which options can be combined. */
#include "cli/record_opts.h"

#include <errno.h>
#include <string.h>

#include "abi/program_glob.h"
#include "abi/wait.h"
#include "analysis/view/time_view.h"
#include "app/outputs.h"
#include "app/recording_file.h"
#include "app/user_memory.h"
#include "base/text/units.h"
#include "cli/commands.h"
#include "cli/rules_opts.h"
#include "cli/whom_opts.h"
#include "profile/state.h"
#include "visit/visits.h"

/* TASK_COMM_LEN without its NUL. */
#define COMM_MAX 15
/* The bounds of --max-overhead, in millionths of the machine's CPU time. */
#define MIN_OVERHEAD_PPM 100
#define MAX_OVERHEAD_PPM 500000

/* In the order of enum capture_resume and enum capture_split. */
static const char *const resume_names[] = { "auto", "sched_exit", "kprobe", "switch", NULL };
static const char *const split_names[] = { "auto", "waking", "sched_info", NULL };
static const char *const unwind_names[] = { "tables", "fp", NULL };
static const char *const mappings_names[] = { "auto", "proc", NULL };

static int parse_states(const char *text, void *value, struct err *err)
{
	struct record_states *st = value;

	return state_mask_parse(text, &st->mask, &st->runnable, &st->any, err);
}

int record_parse_overhead(const char *text, void *value, struct err *err)
{
	u64 ppm;
	int r = units_parse_percent(text, &ppm, err);

	if (r)
		return r;
	if (ppm < MIN_OVERHEAD_PPM || ppm > MAX_OVERHEAD_PPM)
		return err__set(err, -EINVAL, "'%s' is not between 0.01%% and 50%%", text);
	*(u64 *)value = ppm;
	return 0;
}

static const struct record_values defaults = {
	.states = { .any = true },
	.period_ns = ~0ULL,
	.max_ns = ~0ULL,
	.duration_ns = ~0ULL,
	.interval_ns = NSEC_PER_SEC,
	.hold_off_ns = ~0ULL,
	.names.demangle = true,
	.fold_kernel = true,
};

#define V struct record_values
static const struct opt table[] = {
	OPT_HEADING("What to record"),
	WHOM_OPTS(V, " all"),
	{ 'a', "all", OPT_FLAG(V, all), NULL, "Record all threads of the machine.",
	  .flags = OPT_COMMON },
	{ 0, "follow", OPT_FLAG(V, follow), NULL, "The same as --tree. Always on for a command." },
	{ 0, "no-follow", OPT_FLAG(V, no_follow), NULL,
	  "Record only the command itself, not its children.", .excludes = "follow" },
	WHOM_MATCHING_OPTS(V),
	{ 'u', "user-threads", OPT_FLAG(V, user_threads), NULL, "Exclude kernel threads.",
	  .excludes = "kernel-threads" },
	{ 'k', "kernel-threads", OPT_FLAG(V, kernel_threads), NULL, "Only kernel threads." },
	OPT_HEADING("Which waits to list (totals include all waits)"),
	{ 'm', "min", OPT_NS(V, min_ns), "TIME",
	  "List waits of at least this length; a bare number is in µs.", .bare_ns = NSEC_PER_USEC,
	  .flags = OPT_COMMON },
	{ 'M', "max", OPT_NS(V, max_ns), "TIME",
	  "List waits of at most this length; a bare number is in µs.", .bare_ns = NSEC_PER_USEC },
	{ 0, "state", OPT_CUSTOM(V, states), "STATES",
	  "List waits in these states: letters of RSDTtXZPI and K (killable), as in S,D; or a "
	  "kernel bitmask, where 0 is runnable.",
	  .parse = parse_states },
	OPT_HEADING("What to record of each wait"),
	{ 'U', "user-stacks", OPT_FLAG(V, user_stacks), NULL, "Record user stacks only.",
	  .excludes = "kernel-stacks" },
	{ 'K', "kernel-stacks", OPT_FLAG(V, kernel_stacks), NULL, "Record kernel stacks only." },
	{ 0, "no-objects", OPT_FLAG(V, no_objects), NULL,
	  "Do not record objects and owners of waits: file paths, peer addresses and "
	  "processes, locks, children." },
	{ 0, "wakers", OPT_FLAG(V, wakers), NULL,
	  "Also record who ended each wait, and what the waker did meanwhile. Includes the "
	  "waker's stacks, and who woke the waker.",
	  .flags = OPT_COMMON },
	{ 0, "events", OPT_FLAG(V, events), NULL,
	  "Also record when each listed wait began and ended, and who ended it: `report "
	  "--narrative` tells what a thread did, and `-f perfetto` draws it. Every wait is chosen. "
	  "With --every, each window is written as it ends.",
	  .excludes = "period max-overhead" },
	{ 0, "max-events", OPT_U64(V, max_events), "N",
	  "With --events: at most this many waits in each window have their instants; further "
	  "ones are counted. Default: 1000000, about 40 MB of memory.",
	  .min = 1, .max = 100000000 },
	{ 0, "request", OPT_STRINGS(V, requests), "PROBE",
	  "Also record when requests begin and end: `report --requests` then says what they took "
	  "and what they waited for. 'auto' takes the requests of servers from reads and writes on "
	  "their connections; 'auto:http' also reads the method, path and trace id "
	  "(traceparent) of those of HTTP/1; uprobe:PROGRAM:FUNCTION is a function, from its "
	  "entry to its return; usdt:PROGRAM:PROVIDER:START,END are static probes, and NAME is "
	  "the pair NAME__start and NAME__done. Includes --events. Repeatable.",
	  .excludes = "period max-overhead sample proc" },
	OPT_HEADING("A flight recorder"),
	{ 0, "last", OPT_NS(V, last_ns), "TIME",
	  "Keep only the last TIME in memory, with --events, until something happens: then write "
	  "it to -o NAME.coldspot, as NAME-1.coldspot and so on. `kill -USR1` writes at any time, "
	  "--trigger says when else. Ends like other recordings, but by default at Ctrl-C only, "
	  "and then writes nothing unless `--trigger end` is given.",
	  .bare_ns = NSEC_PER_SEC, .min = RECORD_MIN_LAST_NS, .max = RECORD_MAX_LAST_NS,
	  .excludes = "every align interval period max-overhead sample proc format" },
	{ 0, "trigger", OPT_STRINGS(V, triggers), "WHEN",
	  "With --last: write when a wait gets longer than a time, as in 'wait>200ms', waits for "
	  "work excepted; with terms, 'wait>200ms cause=disk-sync comm=pg*', where cause may be "
	  "repeated; when a request of --request takes longer, 'request>1s', with the terms "
	  "class=, comm= and cause=, of waits that are half of it or more; when all recorded "
	  "threads are blocked, and not all for want of work, while CPUs are idle: "
	  "'cpu-idle-and-blocked>500ms'; or at the 'end' of the recording. Repeatable." },
	{ 0, "max-files", OPT_U64(V, max_files), "N",
	  "With --last: end the recording after so many files. Default: 10.", .min = 1,
	  .max = 100000 },
	{ 0, "hold-off", OPT_NS(V, hold_off_ns), "TIME",
	  "With --last: after a file, no trigger writes another for this time, except SIGUSR1 and "
	  "the end. Default: the TIME of --last, so that no two files have the same seconds.",
	  .bare_ns = NSEC_PER_SEC },
	OPT_HEADING("What threads do on a CPU"),
	{ 0, "on-cpu", OPT_FLAG(V, on_cpu), NULL,
	  "Also sample running threads, with the same stacks. Shows what threads did on a CPU, as "
	  "shares of their exact on-CPU time. Flame graphs then show all time of the threads "
	  "(--view). Needs Linux 6.1.",
	  .flags = OPT_COMMON },
	{ 0, "hz", OPT_U64(V, hz), "N",
	  "With --on-cpu: samples per second of each CPU. Default: 99, to avoid lockstep with "
	  "work that runs every 10 ms. With --proc or --tasks: visits per second of each thread "
	  "or task, at random instants. Default: 19; maximum: 1000.",
	  .min = 1, .max = 10000 },
	OPT_HEADING("Overhead (thread totals are always exact)"),
	{ 0, "max-overhead", OPT_CUSTOM(V, overhead_ppm), "PERCENT",
	  "Limit the cost to this share of the machine's CPU time by sampling waits. A short "
	  "wait is chosen with a probability proportional to its length. Sums of sampled "
	  "waits are estimates, printed with their standard error. Default: 1% with -a, or "
	  "with -u or -k alone; otherwise every wait is chosen. While recording, coldspot's "
	  "own process gets half of the share; afterwards it runs at low priority. If the "
	  "hooks of switches alone cost more, a recording of the whole machine goes on without "
	  "them, as with --sample, and says when.",
	  .parse = record_parse_overhead, .excludes = "period exact", .flags = OPT_COMMON },
	{ 0, "period", OPT_NS(V, period_ns), "TIME",
	  "Choose every wait of at least this length, and one shorter wait of a thread each "
	  "time they add up to it. At most 4 s; a bare number is in µs; 0 means every wait.",
	  .bare_ns = NSEC_PER_USEC, .excludes = "exact" },
	{ 0, "exact", OPT_FLAG(V, exact), NULL, "Choose every wait, at any cost." },
	{ 0, "sample", OPT_U64(V, sample_hz), "[HZ]",
	  "Attach no hook to the scheduler: visit each thread this many times a second, at random "
	  "instants. Thread totals stay exact; the time of waits is estimated, and their number "
	  "and lengths are unknown. For more switches than hooks can follow. Default: 19.",
	  .min = 1, .max = 1000, .omitted = "19",
	  .excludes = "exact period max-overhead min max wakers off-wake chains hist resume-hook "
		      "split proc events" },
	{ 0, "hist", OPT_FLAG(V, hist), NULL,
	  "Also keep histograms for each thread, over all its slices on a CPU and all its "
	  "waits, chosen or not: the lengths of time on a CPU, off it, waiting for one, and "
	  "blocked. Takes 2 KiB of kernel memory per thread. `coldspot hist` shows them." },
	{ 0, "max-memory", OPT_BYTES(V, max_memory), "BYTES",
	  "Limit for kernel memory of all tables. A third is for unwind tables. A 16th of the "
	  "rest (an eighth with -a, --cgroup or --comm) is for the state of threads, about "
	  "0.7 KiB each. What does not fit is counted as lost. Default: 192M with -a, "
	  "--cgroup or --comm, otherwise 128M, plus --table-memory; most is allocated only "
	  "when needed.",
	  .min = 1 << 20, .max = 1ULL << 36 },
	{ 0, "max-user-memory", OPT_BYTES(V, max_user_memory), "BYTES",
	  "Limit for coldspot's own memory, excluding mapped files. At the limit, symbols are "
	  "dropped first, then stacks and waits, which are counted as lost; totals are kept. "
	  "Default: 1G, or a quarter of the machine's memory if that is less.",
	  .min = USER_MEMORY_MIN_BYTES, .max = 1ULL << 36 },
	OPT_HEADING("Without BPF"),
	{ 0, "proc", OPT_FLAG(V, proc), NULL,
	  "Visit threads in /proc some times a second, which needs no privileges for processes of "
	  "your own: totals of time on a CPU and waiting for one are exact, waits are estimates "
	  "with a standard error, and their number is not known. The default where BPF is not "
	  "permitted, or the kernel lacks it. With -a: all threads of your user.",
	  .excludes = "wakers on-cpu hist exact period max-overhead min max state cgroup unit "
		      "container events tasks" },
	{ 0, "tasks", OPT_FLAG(V, tasks), NULL,
	  "Record tasks that programs schedule themselves, not threads: goroutines, of Go 1.18 to "
	  "1.26, tasks of asyncio, of CPython 3.8 to 3.13, and of Tokio 1.24 to 1.53, on x86-64. "
	  "Their lists are read from outside at random instants, --hz times a second, and nothing "
	  "is stopped. With --max-overhead (default: 1%) each time a random part. Needs no "
	  "privileges for processes of your own.",
	  .excludes = "proc sample wakers on-cpu hist exact period min max state cgroup unit "
		      "container events last request user-threads kernel-threads comm tid "
		      "kernel-stacks" },
	{ 0, "task-events", OPT_FLAG(V, task_events), NULL,
	  "With --tasks: measure each wait of a goroutine, and who made it runnable, by probes in "
	  "the Go runtime. When their cost, as measured, exceeds half of --max-overhead, they are "
	  "taken off, and the output says so. Needs root, or CAP_BPF and CAP_PERFMON." },
	{ 0, "no-proc", OPT_FLAG(V, no_proc), NULL,
	  "Fail where BPF is not permitted, rather than record from /proc.", .excludes = "proc" },
	OPT_HEADING("How long"),
	{ 'd', "duration", OPT_NS(V, duration_ns), "TIME",
	  "Stop after this time. Default: 10 s, or until the command ends; 0 means until "
	  "Ctrl-C. Recording also stops when all recorded processes have exited.",
	  .bare_ns = NSEC_PER_SEC, .flags = OPT_COMMON },
	{ 0, "every", OPT_NS(V, every_ns), "TIME",
	  "Write a window to the recording (.coldspot) each TIME, with nothing lost between two. "
	  "`report --since --until` shows a part of them. The file must be new; each window is in "
	  "it as soon as it is over. Other outputs and the summary show all of them merged, which "
	  "takes memory for every thread there was; with -q and no other output, memory does not "
	  "grow with time.",
	  .bare_ns = NSEC_PER_SEC, .min = RECORD_MIN_WINDOW_NS, .flags = OPT_COMMON },
	{ 0, "align", OPT_FLAG(V, align), NULL,
	  "With --every: end windows at multiples of that TIME in wall-clock time (UTC), so that "
	  "windows of several machines, or of several recordings, cover the same time. The first "
	  "window is between half as long and half as long again." },
	{ 0, "interval", OPT_NS(V, interval_ns), "TIME",
	  "How often to save intermediate sums to a recording (.coldspot), from which `diff` "
	  "estimates noise. Default: every second; 0 means never. Longer if that suffices, or "
	  "if it would cost more than a 200th of a CPU.",
	  .bare_ns = NSEC_PER_SEC },
	{ 0, "wait-all", OPT_FLAG(V, wait_all), NULL,
	  "Record until all processes have exited, also those that a command left behind." },
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file in the format of its extension: " OUTPUT_ENDINGS ". Repeatable.",
	  .flags = OPT_COMMON | OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME",
	  "Format on standard output: " OUTPUT_FORMATS ". Default: summary.",
	  .flags = OPT_COMMON | OPT_FORMAT },
	{ 0, "json-schema", OPT_FLAG(V, json_schema), NULL,
	  "Print the JSON Schema of json, or with -f ndjson that of each line, and exit." },
	TIME_VIEW_OPT(V, view),
	WAKER_VIEW_OPTS(V, off_wake, chains),
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL, "Print no summary. -f still prints." },
	NAMES_OPTS(V, names),
	{ 0, "lines", OPT_FLAG(V, lines), NULL,
	  "Show the source file and line of each user function, from debug information." },
	{ 0, "inlines", OPT_FLAG(V, inlines), NULL,
	  "Show inlined functions as frames, from debug information." },
	{ 0, "object-frames", OPT_FLAG(V, object_frames), NULL,
	  "Append object and owner to folded stacks as frames." },
	RULES_OPTS(V, rules),
	REQUESTS_OPT(V, requests_milli),
	FOLD_KERNEL_OPT(V, fold_kernel),
	{ 0, "interpreter-frames", OPT_FLAG(V, interpreter), NULL,
	  "Also show the interpreter's own frames, such as _PyEval_EvalFrameDefault, which "
	  "are hidden where interpreted frames replace them. .json always has them." },
	{ 0, "java-symbols", OPT_FLAG(V, java_symbols), NULL,
	  "At the end, ask JVMs for the names of their compiled code, as `jcmd PID "
	  "Compiler.perfmap` does (Java 17 and newer). Stacks with compiled code are whole "
	  "only with -XX:+PreserveFramePointer." },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL,
	  "Log progress to standard error; also show in the summary which hooks were used, and "
	  "how much was seen.",
	  .flags = OPT_COMMON },
	{ 0, "announce", OPT_FLAG(V, announce), NULL,
	  "Print a line to standard error when recording starts, for scripts." },
	OPT_HEADING("The flame graph (.svg)"),
	GRAPH_OPTS(V, graph),
	OPT_HEADING("Advanced"),
	{ 0, "resume-hook", OPT_CHOICE(V, resume), "HOOK",
	  "Where to record stacks: sched_exit and kprobe when the thread resumes, switch when "
	  "it is switched out.",
	  .choices = resume_names },
	{ 0, "split", OPT_CHOICE(V, split), "HOW",
	  "How to separate blocked time from waiting for a CPU: sched_info reads the "
	  "statistics of the scheduler at no cost; waking traces each wakeup. Default: "
	  "sched_info if reliable.",
	  .choices = split_names },
	{ 0, "unwind", OPT_CHOICE(V, unwind), "HOW",
	  "How to unwind user stacks: tables uses unwind tables, and frame pointers where "
	  "there are none; fp uses frame pointers only, as the kernel does.",
	  .choices = unwind_names },
	{ 0, "plain", OPT_FLAG(V, plain), NULL,
	  "Record and unwind every stack in full, without the caches for unchanged stacks." },
	{ 0, "mappings", OPT_CHOICE(V, mappings), "HOW",
	  "How to look up mappings: auto reads the kernel's mapping tree where it has one; "
	  "proc reads /proc/PID/maps, as on kernels before 6.1.",
	  .choices = mappings_names },
	{ 0, "stack-depth", OPT_U64(V, stack_depth), "N",
	  "Maximum depth of a user stack, in frames. Default: 127; maximum: 254.", .min = 1,
	  .max = 254 },
	{ 0, "table-memory", OPT_BYTES(V, table_bytes), "BYTES",
	  "Limit for unwind tables in the kernel; the least recently used are evicted. "
	  "Default: 64M.",
	  .min = 1 << 20, .max = 1 << 30 },
	{ 0, "max-waits", OPT_U64(V, max_waits), "N", "Size of the wait table in the kernel.",
	  .min = 1, .max = 1 << 24 },
	{ 0, "max-stacks", OPT_U64(V, max_stacks), "N",
	  "Size of the stack tables in the kernel; a third each for short, medium and long "
	  "stacks.",
	  .min = 3, .max = 1 << 24 },
	{ 0, "ring-size", OPT_BYTES(V, ring_bytes), "BYTES", "Size of the ring buffer.",
	  .min = 4096, .max = 1 << 30 },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_REST(V, cmd), "-- COMMAND", "Run this command and record it." },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot record -p 4121", "Show where the time of process 4121 goes, for 10 seconds." },
	{ "coldspot record -p 4121 -d 30 -o db.svg", "The same for 30 s, with a flame graph." },
	{ "coldspot record -p 4121 --on-cpu -o db.svg",
	  "All of its time in one flame graph: on a CPU and waiting." },
	{ "coldspot record -o make.svg -- make -j4", "A command and all its children." },
	{ "coldspot record -p 4121 --last 10s --trigger 'wait>200ms' -o slow.coldspot",
	  "Write the last 10 s each time a thread waited for more than 200 ms." },
	{ "coldspot record -a -u --state D -m 10ms", "List disk waits of 10 ms or longer." },
	{ "coldspot record -a --sample",
	  "Record the whole machine without a hook in the scheduler." },
	{ "coldspot record -a -d 60 --max-overhead 0.2%",
	  "Record the whole machine for a minute, at a cost of at most 0.2%." },
	{ NULL, NULL },
};

const struct opt_command record_opts = {
	.name = "record",
	.summary = "record where threads wait, and for how long",
	.description =
		"Records every context switch of the selected threads. Sums up in the kernel where "
		"their time goes: on a CPU, waiting for a CPU, or blocked, by stack.\n\n"
		"Prints a summary. Losses and truncated stacks are counted and printed under it.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct record_values),
	.defaults = &defaults,
};

const char *record_values__needs_bpf(const struct record_values *v)
{
	const struct {
		bool given;
		const char *name;
	} opts[] = {
		{ v->wakers, "--wakers" },
		{ v->last_ns != 0, "--last" },
		{ v->events, "--events" },
		{ v->requests.len, "--request" },
		{ v->on_cpu, "--on-cpu" },
		{ v->hist, "--hist" },
		{ v->exact, "--exact" },
		{ v->sample_hz != 0, "--sample" },
		{ v->period_ns != ~0ULL, "--period" },
		{ v->overhead_ppm != 0, "--max-overhead" },
		{ v->min_ns != 0, "--min" },
		{ v->max_ns != ~0ULL, "--max" },
		{ !v->states.any, "--state" },
		{ v->cgroup != NULL, "--cgroup" },
		{ v->unit != NULL, "--unit" },
		{ v->container != NULL, "--container" },
	};

	for (size_t i = 0; i < ARRAY_LEN(opts); i++)
		if (opts[i].given)
			return opts[i].name;
	return NULL;
}

bool record_wants_events(const struct record_values *v)
{
	return v->events || v->last_ns || v->requests.len;
}

size_t record_values__recordings(const struct record_values *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->outputs.len; i++)
		n += recording_file_is(*(const char **)vec__at(&v->outputs, i));
	return n;
}

/* What is recorded. */
static int check_targets(const struct record_values *v)
{
	bool named = v->pids.len || v->tids.len;

	if (v->cmd.argv && !v->cmd.argc)
		return command_usage(&record_opts, "no command after '--'");
	if (v->cmd.argv && (named || v->all || v->program))
		return command_usage(&record_opts,
				     "a command cannot be combined with -p, -t, -a or --name");
	if (!named && !v->cmd.argv && !v->all && !v->cgroup && !v->unit && !v->container &&
	    !v->comm && !v->program && !v->kernel_threads && !v->user_threads)
		return command_usage(&record_opts,
				     "nothing to record: give -p PID, --name PROGRAM, -t TID, "
				     "--cgroup PATH, --comm GLOB, -- COMMAND, or -a for all "
				     "threads");
	if ((v->tree || v->follow) && !v->pids.len && !v->cmd.argv)
		return command_usage(&record_opts, "--%s needs -p or a command",
				     v->tree ? "tree" : "follow");
	if (v->wait_all && !named && !v->cmd.argv)
		return command_usage(&record_opts, "--wait-all needs -p, -t or a command");
	return 0;
}

int record_values__check_names(const struct record_values *v, const struct opt_command *cmd)
{
	if (v->program && strchr(v->program, '/'))
		return command_usage(cmd,
				     "--name: '%s' is a path; give the name of the program only",
				     v->program);
	if (v->program && strlen(v->program) > CS_PROGRAM_GLOB_MAX)
		return command_usage(cmd,
				     "--name: '%s' is too long: the name of a program may have %d "
				     "bytes",
				     v->program, CS_PROGRAM_GLOB_MAX);
	if (v->comm && strlen(v->comm) > COMM_MAX)
		return command_usage(
			cmd, "--comm: '%s' is too long: a thread's name has at most %d bytes",
			v->comm, COMM_MAX);
	return 0;
}

/* Two visits are at most two periods apart. Where no visit falls, nobody knows what waited. */
static int check_window(const struct record_values *v)
{
	u64 least_ns = v->sample_hz ? 2 * NSEC_PER_SEC / v->sample_hz : 0;
	char least[32];

	if (!v->every_ns || v->every_ns >= least_ns)
		return 0;
	units_format_ns(least_ns, least, sizeof(least));
	return command_usage(&record_opts,
			     "--every: a window must be at least two periods of --sample, %s",
			     least);
}

/* A flight recorder writes recordings, and nothing else. */
static int check_flight(const struct record_values *v)
{
	if (v->last_ns && (v->outputs.len != 1 || !record_values__recordings(v)))
		return command_usage(&record_opts, "--last needs one -o NAME.coldspot");
	if (v->last_ns)
		return 0;
	if (v->triggers.len)
		return command_usage(&record_opts, "--trigger needs --last");
	if (v->max_files)
		return command_usage(&record_opts, "--max-files needs --last");
	if (v->hold_off_ns != ~0ULL)
		return command_usage(&record_opts, "--hold-off needs --last");
	return 0;
}

int record_values__check(const struct record_values *v)
{
	struct err err = { 0 };
	int status = check_targets(v);

	if (!status)
		status = record_values__check_names(v, &record_opts);
	if (status)
		return status;
	if (v->no_follow && !v->cmd.argv)
		return command_usage(&record_opts, "--no-follow needs a command");
	if (v->hz && !v->on_cpu && !v->proc && !v->tasks)
		return command_usage(&record_opts, "--hz needs --on-cpu, --proc or --tasks");
	if ((v->proc || v->tasks) && v->hz > VISITS_HZ_MAX)
		return command_usage(&record_opts, "--hz: with --%s the maximum is %u",
				     v->proc ? "proc" : "tasks", VISITS_HZ_MAX);
	if (v->view >= VIEW_ON && !v->on_cpu)
		return command_usage(&record_opts, "--view %s needs --on-cpu",
				     output_view_choices[v->view]);
	if (v->task_events && !v->tasks)
		return command_usage(&record_opts, "--task-events needs --tasks");
	if ((v->off_wake || v->chains) && !v->wakers)
		return command_usage(&record_opts, "--%s needs --wakers",
				     v->chains ? "chains" : "off-wake");
	if (v->max_events && !record_wants_events(v))
		return command_usage(&record_opts, "--max-events needs --events");
	if (v->min_ns > v->max_ns)
		return command_usage(&record_opts, "--min is longer than --max: no wait matches");
	if (v->period_ns != ~0ULL && v->period_ns > CS_PERIOD_MAX_NS)
		return command_usage(&record_opts, "--period: the maximum is 4 s");
	if (v->every_ns && record_values__recordings(v) != 1)
		return command_usage(&record_opts, "--every goes with one -o FILE.coldspot");
	status = check_window(v);
	if (!status)
		status = check_flight(v);
	if (status)
		return status;
	if (v->align && !v->every_ns)
		return command_usage(&record_opts, "--align needs --every");
	if (v->interval_ns && v->interval_ns < RECORD_MIN_INTERVAL_NS)
		return command_usage(&record_opts, "--interval: the minimum is 10 ms");
	if (output_format_check("--format", v->format, &err))
		return command_usage(&record_opts, "%s", err.msg);
	for (size_t i = 0; i < v->outputs.len; i++) {
		if (output_check(*(const char **)vec__at(&v->outputs, i), &err))
			return command_usage(&record_opts, "%s", err.msg);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * record: one window of some threads, to the summary and to files.
 */
#include "cli/commands.h"

#include <errno.h>
#include <unistd.h>

#include "abi/wait.h"
#include "analysis/cause_memo.h"
#include "analysis/time_view.h"
#include "base/log.h"
#include "base/self_memory.h"
#include "base/units.h"
#include "capture/privilege.h"
#include "cli/child.h"
#include "cli/output_opts.h"
#include "cli/outputs.h"
#include "cli/recording_file.h"
#include "cli/rules_opts.h"
#include "cli/run.h"
#include "cli/target.h"
#include "gen/version.h"
#include "profile/state.h"
#include "session/session.h"

/* TASK_COMM_LEN without its NUL. */
#define COMM_MAX 15
#define DEFAULT_HZ 99
#define DEFAULT_DURATION_NS (10 * NSEC_PER_SEC)
#define MIN_INTERVAL_NS (10 * NSEC_PER_MSEC)
/* Of the machine, in millionths: what a recording of all of it may cost, and least and most. */
#define DEFAULT_OVERHEAD_PPM 10000
#define MIN_OVERHEAD_PPM 100
#define MAX_OVERHEAD_PPM 500000
/* Our own: what the least recording takes with some room to spare, and usual ones never need. */
#define MIN_USER_BYTES (48ULL << 20)
#define DEFAULT_USER_BYTES (1ULL << 30)

struct states {
	u32 mask;
	bool runnable;
	bool any;
};

struct record_values {
	struct vec pids;
	struct vec tids;
	struct vec outputs;
	bool all;
	bool follow;
	bool no_follow;
	const char *cgroup;
	const char *comm;
	bool user_threads;
	bool kernel_threads;
	bool user_stacks;
	bool kernel_stacks;
	bool no_objects;
	struct states states;
	u64 min_ns;
	u64 max_ns;
	u64 period_ns; /* ~0: not given */
	u64 overhead_ppm; /* 0: not given */
	bool exact;
	bool on_cpu;
	u32 view; /* 0: not given, else enum time_view */
	u64 hz; /* 0: not given */
	bool hist;
	u64 duration_ns;
	u64 interval_ns;
	const char *format;
	bool json_schema;
	struct graph_values graph;
	bool quiet;
	bool announce;
	bool verbose;
	struct names_values names;
	bool lines;
	bool inlines;
	bool java_symbols;
	bool interpreter;
	bool object_frames;
	u64 requests_milli;
	struct rules_values rules;
	u32 resume;
	u32 split;
	bool plain;
	u32 unwind;
	u32 mappings;
	u64 stack_depth;
	u64 max_memory;
	u64 max_user_memory; /* 0: not given */
	u64 table_bytes;
	u64 max_waits;
	u64 max_stacks;
	u64 ring_bytes;
	struct opt_rest cmd;
};

/* In the order of enum capture_resume and enum capture_split. */
static const char *const resume_names[] = { "auto", "sched_exit", "kprobe", "switch", NULL };
static const char *const split_names[] = { "auto", "waking", "sched_info", NULL };
static const char *const unwind_names[] = { "tables", "fp", NULL };
static const char *const mappings_names[] = { "auto", "proc", NULL };

static int parse_states(const char *text, void *value, struct err *err)
{
	struct states *st = value;

	return state_mask_parse(text, &st->mask, &st->runnable, &st->any, err);
}

static int parse_overhead(const char *text, void *value, struct err *err)
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
	.names.demangle = true,
};

#define V struct record_values
static const struct opt table[] = {
	OPT_HEADING("What to record"),
	{ 'p', "pid", OPT_IDS(V, pids), "PID,...", "Record these processes, all their threads.",
	  .flags = OPT_PROCESS, .min = 1, .excludes = "tid all" },
	{ 't', "tid", OPT_IDS(V, tids), "TID,...", "Record these threads.", .min = 1,
	  .excludes = "all" },
	{ 'a', "all", OPT_FLAG(V, all), NULL, "Record all threads of the machine." },
	{ 0, "follow", OPT_FLAG(V, follow), NULL,
	  "Record children too that the processes start from now on; for a command this is so "
	  "anyway." },
	{ 0, "no-follow", OPT_FLAG(V, no_follow), NULL,
	  "Record only the command itself, not what it starts.", .excludes = "follow" },
	{ 0, "cgroup", OPT_STRING(V, cgroup), "PATH",
	  "Only threads in this cgroup (v2) and those below it.", .flags = OPT_FILE },
	{ 0, "comm", OPT_STRING(V, comm), "GLOB",
	  "Only threads whose name matches; * is any text, ? one character." },
	{ 'u', "user-threads", OPT_FLAG(V, user_threads), NULL, "No kernel threads.",
	  .excludes = "kernel-threads" },
	{ 'k', "kernel-threads", OPT_FLAG(V, kernel_threads), NULL, "Only kernel threads." },
	OPT_HEADING("Which waits to list (totals hold all of them)"),
	{ 'm', "min", OPT_NS(V, min_ns), "TIME", "Waits at least this long; a bare number is us.",
	  .bare_ns = NSEC_PER_USEC },
	{ 'M', "max", OPT_NS(V, max_ns), "TIME", "Waits at most this long; a bare number is us.",
	  .bare_ns = NSEC_PER_USEC },
	{ 0, "state", OPT_CUSTOM(V, states), "STATES",
	  "Waits in these states: letters of RSDTtXZPI and K (killable), as in S,D; or a bitmask "
	  "of the kernel, where 0 is runnable.",
	  .parse = parse_states },
	{ 'U', "user-stacks", OPT_FLAG(V, user_stacks), NULL, "Take user stacks only.",
	  .excludes = "kernel-stacks" },
	{ 'K', "kernel-stacks", OPT_FLAG(V, kernel_stacks), NULL, "Take kernel stacks only." },
	OPT_HEADING("What threads do on a CPU"),
	{ 0, "on-cpu", OPT_FLAG(V, on_cpu), NULL,
	  "Sample the CPUs too, in the same run and with the same stacks: what threads did while "
	  "they ran, as a share of the exact time that they did. Flame graphs then show all of the "
	  "time of the threads (--view). Linux 6.1 and newer." },
	{ 0, "hz", OPT_U64(V, hz), "N",
	  "Samples of each CPU a second, with --on-cpu; 99 if not given, so that they do not keep "
	  "step with what runs every 10 ms.",
	  .min = 1, .max = 10000 },
	{ 0, "no-objects", OPT_FLAG(V, no_objects), NULL,
	  "Do not look what waits are for and who holds it: paths of files, addresses of peers and "
	  "the processes there, locks, children." },
	OPT_HEADING("What it may cost (totals of threads are always exact)"),
	{ 0, "max-overhead", OPT_CUSTOM(V, overhead_ppm), "PERCENT",
	  "Choose as many waits as can be had for this part of the machine, of the time of all its "
	  "CPUs: a short wait with a probability in proportion to its time. Sums of such waits are "
	  "estimates, and printed with their standard error. The default is 1% with -a, -u "
	  "and -k alone; otherwise every wait is chosen. coldspot itself, but for its programs in "
	  "the kernel, has half of it while it records; afterwards it works at a lower priority.",
	  .parse = parse_overhead, .excludes = "period exact" },
	{ 0, "period", OPT_NS(V, period_ns), "TIME",
	  "Choose every wait of this length and one of the shorter ones of a thread for each TIME "
	  "that they add up to; 4 s at most, a bare number is us, 0 is every wait.",
	  .bare_ns = NSEC_PER_USEC, .excludes = "exact" },
	{ 0, "exact", OPT_FLAG(V, exact), NULL, "Choose every wait, whatever it costs." },
	{ 0, "hist", OPT_FLAG(V, hist), NULL,
	  "Keep histograms of each thread too, of all its slices on a CPU and all its waits, "
	  "chosen or not: how long it was on a CPU at a time, off it, waiting for one, and "
	  "blocked. 2 KiB of kernel memory for each thread; `coldspot hist` shows them." },
	{ 0, "max-memory", OPT_BYTES(V, max_memory), "BYTES",
	  "Kernel memory of all tables at most, those of unwinding included, of which it is a "
	  "third, and the state of threads, about 0.7 KiB each, which have a 16th of the rest "
	  "(an eighth with -a, --cgroup or --comm); what finds no room is counted as lost. If not "
	  "given, 192M with -a, --cgroup or --comm, else 128M, of which most is only taken when it "
	  "is needed, and --table-memory beside that.",
	  .min = 1 << 20, .max = 1ULL << 36 },
	{ 0, "max-user-memory", OPT_BYTES(V, max_user_memory), "BYTES",
	  "Memory of coldspot itself at most, mapped files not included: symbols that find no room "
	  "are left out first, then stacks and waits, which are counted as lost; totals are kept. "
	  "If not given, 1G, or a quarter of the machine's memory if that is less.",
	  .min = MIN_USER_BYTES, .max = 1ULL << 36 },
	OPT_HEADING("How long"),
	{ 'd', "duration", OPT_NS(V, duration_ns), "TIME",
	  "Stop after this time; 10 s if not given, or the end of the command; 0 is until Ctrl-C. "
	  "The end of all recorded processes ends it too.",
	  .bare_ns = NSEC_PER_SEC },
	{ 0, "interval", OPT_NS(V, interval_ns), "TIME",
	  "How often the sums of a recording (.coldspot) are noted on the way, so that `diff` can "
	  "tell a difference from chance: every second if not given, 0 is never. Longer where "
	  "that is enough, or would cost more than a 200th of a CPU.",
	  .bare_ns = NSEC_PER_SEC },
	OPT_HEADING("Output"),
	{ 'o', "output", OPT_STRINGS(V, outputs), "FILE",
	  "Write a file, in the format of its ending: " OUTPUT_ENDINGS ". Several are possible.",
	  .flags = OPT_FILE },
	{ 'f', "format", OPT_STRING(V, format), "NAME",
	  "What goes to standard output: " OUTPUT_FORMATS "; summary if not given.",
	  .flags = OPT_FORMAT },
	{ 0, "json-schema", OPT_FLAG(V, json_schema), NULL,
	  "Print the JSON Schema of json, or with -f ndjson of each of its lines, and end." },
	TIME_VIEW_OPT(V, view),
	{ 'q', "quiet", OPT_FLAG(V, quiet), NULL, "Nothing on standard output." },
	NAMES_OPTS(V, names),
	{ 0, "lines", OPT_FLAG(V, lines), NULL,
	  "Show source file and line of each function of a program, from debug information." },
	{ 0, "inlines", OPT_FLAG(V, inlines), NULL,
	  "Show functions that the compiler inlined as frames of their own, from debug "
	  "information." },
	{ 0, "object-frames", OPT_FLAG(V, object_frames), NULL,
	  "Show what was waited for, and who held it, as the last frames of folded stacks." },
	RULES_OPTS(V, rules),
	REQUESTS_OPT(V, requests_milli),
	{ 0, "interpreter-frames", OPT_FLAG(V, interpreter), NULL,
	  "Show the interpreter's own frames too (_PyEval_EvalFrameDefault and such), which are "
	  "left out where interpreted frames stand for them; .json has them always." },
	{ 0, "java-symbols", OPT_FLAG(V, java_symbols), NULL,
	  "Ask the JVMs for the names of their compiled code when the recording is over, as `jcmd "
	  "PID Compiler.perfmap` does (Java 17 and newer). Stacks with compiled code are whole "
	  "only with -XX:+PreserveFramePointer." },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL, "Say on standard error what is done." },
	{ 0, "announce", OPT_FLAG(V, announce), NULL,
	  "Print a line on standard error when the recording begins, for scripts." },
	OPT_HEADING("The flame graph (.svg)"),
	GRAPH_OPTS(V, graph),
	OPT_HEADING("For experts"),
	{ 0, "resume-hook", OPT_CHOICE(V, resume), "HOOK",
	  "Where stacks are taken: sched_exit and kprobe when a thread comes back, switch when it "
	  "leaves.",
	  .choices = resume_names },
	{ 0, "split", OPT_CHOICE(V, split), "HOW",
	  "What tells blocked from waiting for a CPU: sched_info, the scheduler's own notes, "
	  "which cost nothing; waking, an event for each wakeup. If not given, sched_info where "
	  "its notes are good.",
	  .choices = split_names },
	{ 0, "unwind", OPT_CHOICE(V, unwind), "HOW",
	  "How user stacks are walked: by the unwind tables of the files, and by frame pointer "
	  "where there are none; or 'fp', by frame pointer alone, as the kernel does.",
	  .choices = unwind_names },
	{ 0, "plain", OPT_FLAG(V, plain), NULL,
	  "Read and walk every stack in full, without the short ways that our programs take where "
	  "nothing has changed." },
	{ 0, "mappings", OPT_CHOICE(V, mappings), "HOW",
	  "Where mappings of processes are looked up: in the kernel's own tree by our programs, "
	  "where it has one; or 'proc', read from /proc/PID/maps, as on kernels before 6.1.",
	  .choices = mappings_names },
	{ 0, "stack-depth", OPT_U64(V, stack_depth), "N",
	  "Deepest user stack kept, in frames, 254 at most. The default is 127.", .min = 1,
	  .max = 254 },
	{ 0, "table-memory", OPT_BYTES(V, table_bytes), "BYTES",
	  "Kernel memory for unwind tables at most; those not used for the longest time make room. "
	  "The default is 64M.",
	  .min = 1 << 20, .max = 1 << 30 },
	{ 0, "max-waits", OPT_U64(V, max_waits), "N", "Size of the kernel's table of waits.",
	  .min = 1, .max = 1 << 24 },
	{ 0, "max-stacks", OPT_U64(V, max_stacks), "N",
	  "Size of the kernel's tables of stacks: a third each for short, medium and long ones.",
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
	{ "coldspot record -p 4121", "Where did the time of process 4121 go, for 10 seconds?" },
	{ "coldspot record -p 4121 -d 30 -o db.svg", "The same for 30 s, with a flame graph." },
	{ "coldspot record -p 4121 --on-cpu -o db.svg",
	  "All of its time in one flame graph: what ran, and what waited." },
	{ "coldspot record -o make.svg -- make -j4", "A command and all its children." },
	{ "coldspot record -a -u --state D -m 10ms", "Who waits for disks, 10 ms and longer?" },
	{ "coldspot record -a -d 60 --max-overhead 0.2%",
	  "A minute of the whole machine, for a 500th of it at most." },
	{ NULL, NULL },
};

const struct opt_command record_opts = {
	.name = "record",
	.summary = "record where threads wait, and for how long",
	.description =
		"Records every context switch of the chosen threads and sums up, in the kernel, "
		"where their time goes: on a CPU, waiting for a CPU, or blocked, by stack.\n\n"
		"Prints a summary. What was lost or cut off is counted and printed under it.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct record_values),
	.defaults = &defaults,
};

/* A recording of some threads is for those who want to know; one of all is on everybody's way. */
static u64 overhead_ppm(const struct record_values *v)
{
	bool some = v->pids.len || v->tids.len || v->cmd.argv || v->comm || v->cgroup;

	if (v->exact || v->period_ns != ~0ULL)
		return 0;
	if (v->overhead_ppm)
		return v->overhead_ppm;
	return v->all || !some ? DEFAULT_OVERHEAD_PPM : 0;
}

static bool has_recording(const struct record_values *v)
{
	for (size_t i = 0; i < v->outputs.len; i++)
		if (recording_file_is(*(const char **)vec__at(&v->outputs, i)))
			return true;
	return false;
}

static void fill_capture(struct capture_options *c, const struct record_values *v)
{
	const struct vec *ids = v->tids.len ? &v->tids : &v->pids;

	*c = (struct capture_options){
		.target = v->tids.len		     ? CAPTURE_THREADS :
			  v->pids.len || v->cmd.argv ? CAPTURE_PROCESSES :
						       CAPTURE_ALL,
		.ids = ids->data,
		.ids_len = ids->len,
		.follow = v->cmd.argv ? !v->no_follow : v->follow,
		.user_threads = !v->kernel_threads,
		.kernel_threads = !v->user_threads,
		.comm = v->comm,
		.cgroup = v->cgroup,
		.min_ns = v->min_ns,
		.max_ns = v->max_ns,
		.state_mask = v->states.mask,
		.state_any = v->states.any,
		.state_r = v->states.runnable,
		.user_stacks = !v->kernel_stacks,
		.kernel_stacks = !v->user_stacks,
		.objects = !v->no_objects,
		.cgroup_paths = true,
		.split = v->split,
		.resume = v->resume,
		.command = v->cmd.argv ? v->cmd.argv[0] : NULL,
		.proc_maps = v->mappings,
		.plain = v->plain,
		.fp_only = v->unwind,
		.stack_depth = (u32)v->stack_depth,
		.max_memory = v->max_memory,
		.table_bytes = v->table_bytes,
		.max_waits = (u32)v->max_waits,
		.max_stacks = (u32)v->max_stacks,
		.ring_bytes = v->ring_bytes,
		.on_cpu_hz = !v->on_cpu ? 0 :
			     v->hz	? (u32)v->hz :
					  DEFAULT_HZ,
		.hist_unit_ns = v->hist ? HIST_UNIT_NS : 0,
		.period_ns = v->period_ns != ~0ULL ? v->period_ns : 0,
		.overhead_ppm = overhead_ppm(v),
		.interval_ns = has_recording(v) ? v->interval_ns : 0,
	};
}

/* What only the combination shows to be wrong. 0, or the exit status after the sentence. */
static int check_usage(struct record_values *v)
{
	bool named = v->pids.len || v->tids.len;
	struct err err = { 0 };

	if (v->cmd.argv && !v->cmd.argc)
		return command_usage(&record_opts, "a command must follow '--'");
	if (v->cmd.argv && (named || v->all))
		return command_usage(&record_opts,
				     "a command is recorded alone: leave out -p, -t and -a");
	if (!named && !v->cmd.argv && !v->all && !v->cgroup && !v->comm && !v->kernel_threads &&
	    !v->user_threads)
		return command_usage(&record_opts,
				     "say what to record: -p PID, -t TID, --cgroup PATH, "
				     "--comm GLOB, -- COMMAND, or -a for all threads");
	if (v->follow && !v->pids.len && !v->cmd.argv)
		return command_usage(&record_opts, "--follow goes with -p or a command");
	if (v->no_follow && !v->cmd.argv)
		return command_usage(&record_opts, "--no-follow goes with a command");
	if (v->hz && !v->on_cpu)
		return command_usage(&record_opts, "--hz goes with --on-cpu");
	if (v->view >= VIEW_ON && !v->on_cpu)
		return command_usage(&record_opts, "--view %s goes with --on-cpu",
				     output_view_choices[v->view]);
	if (v->min_ns > v->max_ns)
		return command_usage(&record_opts, "--min is longer than --max: no wait is both");
	if (v->period_ns != ~0ULL && v->period_ns > CS_PERIOD_MAX_NS)
		return command_usage(&record_opts, "--period: 4 s is the longest");
	if (v->interval_ns && v->interval_ns < MIN_INTERVAL_NS)
		return command_usage(&record_opts, "--interval: 10 ms is the shortest");
	if (output_format_check("--format", v->format, &err))
		return command_usage(&record_opts, "%s", err.msg);
	if (v->comm && strlen(v->comm) > COMM_MAX)
		return command_usage(
			&record_opts,
			"--comm: '%s' is too long: a thread's name has at most %d bytes", v->comm,
			COMM_MAX);
	for (size_t i = 0; i < v->outputs.len; i++) {
		if (output_check(*(const char **)vec__at(&v->outputs, i), &err))
			return command_usage(&record_opts, "%s", err.msg);
	}
	return 0;
}

static void join_command(int argc, char **argv, char *buf, size_t sz)
{
	size_t len = 0;

	len += (size_t)snprintf(buf, sz, "coldspot");
	for (int i = 0; i < argc && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, " %s", argv[i]);
}

static u64 duration_of(const struct record_values *v)
{
	if (v->duration_ns != ~0ULL)
		return v->duration_ns;
	return v->cmd.argv ? 0 : DEFAULT_DURATION_NS;
}

struct recording {
	const struct record_values *v;
	struct session_options session;
	struct outputs outputs;
	struct loaded_rules rules;
	struct child child;
	char command[1024];
	char target[256];
};

/* Of standard output in a format, or of files (NULL). */
static struct render_options render_options_of(const struct recording *rec, struct cause_memo *memo,
					       const char *format)
{
	const struct record_values *v = rec->v;
	struct render_options opt = {
		.interpreter = v->interpreter,
		.view = v->view,
		.object_frames = v->object_frames,
		.requests_milli = v->requests_milli,
		.memo = memo,
	};

	graph_values__apply(&v->graph, format, &opt);
	return opt;
}

static int print(const struct recording *rec, const struct profile *p, struct cause_memo *memo,
		 struct err *err)
{
	const struct record_values *v = rec->v;
	const char *name = v->format ? v->format : "summary";
	struct render_options opt = render_options_of(rec, memo, name);
	const struct render_ops *format = render_find(name);

	output_fit_terminal(format, &opt);
	return v->quiet ? 0 : output_print(format, p, &opt, err);
}

static void say_end(struct recording *rec, const struct session *s)
{
	const struct session_times *t = session__times(s);
	char fate[128];

	/* only now: a Ctrl-C goes to the command as well, which needs a moment to end */
	if (child__fate(&rec->child, fate, sizeof(fate)))
		fprintf(stderr, "coldspot: %s\n", fate);
	for (size_t i = 0; session__notice(s, i); i++)
		fprintf(stderr, "coldspot: %s\n", session__notice(s, i));
	if (rec->v->verbose)
		fprintf(stderr,
			"coldspot: opened in %.1f ms, drained in %.1f ms, built in %.1f ms, "
			"named in %.1f ms; %.1f MiB of kernel memory\n",
			(double)t->open_ns / NSEC_PER_MSEC, (double)t->stop_ns / NSEC_PER_MSEC,
			(double)t->build_ns / NSEC_PER_MSEC, (double)t->name_ns / NSEC_PER_MSEC,
			(double)session__kernel_memory_bytes(s) / (1 << 20));
}

static int run(struct recording *rec, struct session *s, struct err *err)
{
	const struct record_values *v = rec->v;
	struct cause_memo memo = { .rules = rec->rules.set };
	struct render_options opt = render_options_of(rec, &memo, NULL);
	struct run_options run = {
		.duration_ns = duration_of(v),
		.ids = rec->session.capture.ids,
		.ids_len = rec->session.capture.ids_len,
		.child = rec->child.pid ? &rec->child : NULL,
		.target = rec->target,
		.announce = v->announce,
		.progress = isatty(STDERR_FILENO) && !v->announce,
	};
	struct profile *p = NULL;
	int r, printed;

	r = privilege__drop(PRIVILEGE_WHILE_TRACING | (v->java_symbols ? PRIVILEGE_OTHER_USERS : 0),
			    err);
	if (!r && rec->child.pid)
		r = session__add_target(s, (u32)rec->child.pid, err);
	if (!r)
		r = run_session(s, &run, err);
	if (!r)
		r = session__finish(s, &p, err);
	if (r)
		return r;
	say_end(rec, s);
	memo.p = p;
	r = outputs__write(&rec->outputs, p, &opt, err);
	printed = print(rec, p, &memo, r ? NULL : err);
	cause_memo__done(&memo);
	profile__free(p);
	return r ? r : printed;
}

/* What will be missing, said before it is missed. */
static void say_missing(const struct recording *rec, const struct features *f)
{
	static const enum feature_id wanted[] = { FEATURE_KALLSYMS, FEATURE_CAP_SYS_PTRACE,
						  FEATURE_ITER_TASK_SLEEPABLE };

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		const struct feature_info *info = &feature_infos[wanted[i]];

		if (wanted[i] == FEATURE_KALLSYMS && !rec->session.capture.kernel_stacks)
			continue;
		if (wanted[i] == FEATURE_CAP_SYS_PTRACE && rec->v->cmd.argv)
			continue; /* our own child */
		if (f->at[wanted[i]].state == FEATURE_NO)
			fprintf(stderr, "coldspot: no %s: %s; `coldspot doctor` says more\n",
				info->name, info->cost);
	}
}

static u64 user_bytes(const struct record_values *v)
{
	u64 machine = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
	u64 bytes = machine / 4 < DEFAULT_USER_BYTES ? machine / 4 : DEFAULT_USER_BYTES;

	if (v->max_user_memory)
		return v->max_user_memory;
	return bytes > MIN_USER_BYTES ? bytes : MIN_USER_BYTES;
}

/* After the command was started, for it is not the command's limit. */
static int limit_memory(const struct record_values *v, struct err *err)
{
	u64 bytes = user_bytes(v);
	int r = self_memory_limit(bytes);

	if (r == -ENOSPC && !v->max_user_memory)
		return 0;
	return r ? err__set(err, r, "cannot limit our own memory to %llu bytes: %s",
			    (unsigned long long)bytes, err_str(r)) :
		   0;
}

static int record(struct recording *rec, struct err *err)
{
	const struct record_values *v = rec->v;
	struct session *s = NULL;
	struct features f;
	int r;

	r = features__probe(&f, v->resume == CAPTURE_RESUME_KPROBE ? FEATURES_RESUME_SYMBOL : 0,
			    err);
	if (!r)
		r = features__verdict(&f, err);
	/* right before signals are caught: whoever is killed by one leaves empty files */
	for (size_t i = 0; !r && i < v->outputs.len; i++)
		r = outputs__add(&rec->outputs, *(const char **)vec__at(&v->outputs, i), err);
	if (!r)
		say_missing(rec, &f);
	if (!r && v->cmd.argv)
		r = child__start(&rec->child, v->cmd.argv, err);
	run_catch_signals();
	if (!r)
		r = limit_memory(v, err);
	if (!r)
		r = session__open(&rec->session, &f, &s, err);
	if (!r)
		r = run(rec, s, err);
	session__free(s);
	features__done(&f);
	return r;
}

/* The exit status. */
static int print_schema(const struct record_values *v)
{
	const struct render_ops *format = render_find(v->format ? v->format : "json");
	struct err err = { 0 };
	struct sink sink;
	int r;

	if (!format || !format->schema)
		return command_usage(&record_opts, "--json-schema: there is none of '%s'",
				     v->format);
	sink__init_fd(&sink, STDOUT_FILENO);
	sink__puts(&sink, format->schema);
	r = sink__finish(&sink, &err);
	sink__done(&sink);
	return r ? command_fail(&record_opts, &err) : STATUS_OK;
}

int cmd_record(int argc, char **argv)
{
	struct recording rec = { 0 };
	struct record_values v;
	struct target target;
	struct err err = { 0 };
	int status, r;

	if (!command_begin(&record_opts, argc, argv, &v, &status))
		return status;
	if (v.json_schema) {
		status = print_schema(&v);
		goto out;
	}
	status = check_usage(&v);
	if (!status)
		status = graph_values__check(&v.graph, &record_opts);
	if (!status)
		status = names_values__check(&v.names, &record_opts);
	if (status)
		goto out;
	if (v.verbose)
		log_enable(true);
	target = (struct target){ .pids = &v.pids,
				  .tids = &v.tids,
				  .command = v.cmd.argv ? v.cmd.argv[0] : NULL,
				  .comm = v.comm,
				  .cgroup = v.cgroup,
				  .user_only = v.user_threads,
				  .kernel_only = v.kernel_threads };
	rec.v = &v;
	outputs__init(&rec.outputs);
	r = target_check(&target, &err);
	if (!r)
		r = loaded_rules__init(&rec.rules, &v.rules, &err);
	if (!r) {
		target_describe(&target, rec.target, sizeof(rec.target));
		join_command(argc, argv, rec.command, sizeof(rec.command));
		fill_capture(&rec.session.capture, &v);
		rec.session.command = rec.command;
		rec.session.target = rec.target;
		rec.session.version = COLDSPOT_VERSION;
		rec.session.debug_dir = v.names.debug_dir;
		rec.session.debuginfod = v.names.debuginfod ? v.names.debuginfod :
							      getenv("DEBUGINFOD_URLS");
		rec.session.demangle = v.names.demangle;
		rec.session.strip_suffixes = v.names.strip_suffixes;
		rec.session.lines = v.lines;
		rec.session.inlines = v.inlines;
		rec.session.java_symbols = v.java_symbols;
		r = record(&rec, &err);
	}
	status = r ? command_fail(&record_opts, &err) : STATUS_OK;
	child__done(&rec.child);
	outputs__done(&rec.outputs);
	loaded_rules__done(&rec.rules);
out:
	opt_release(&record_opts, &v);
	return status;
}

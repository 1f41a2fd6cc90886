/* SPDX-License-Identifier: Apache-2.0 */

/*
 * offcputime: for scripts that use bcc's tool. Same flags, same output, but our numbers: waits that
 * began before the trace or are open at its end are included with the part inside.
 */
#include "cli/commands.h"

#include <errno.h>
#include <unistd.h>

#include "abi/stack.h"
#include "base/log.h"
#include "capture/feature/privilege.h"
#include "app/outputs.h"
#include "app/run.h"
#include "app/target.h"
#include "gen/version.h"
#include "profile/state.h"
#include "session/session.h"

struct states {
	u32 mask;
	bool runnable;
	bool any;
};

struct offcputime_values {
	struct vec pids;
	struct vec tids;
	bool user_threads;
	bool kernel_threads;
	bool user_stacks;
	bool kernel_stacks;
	bool delimited;
	bool folded;
	bool offsets;
	bool verbose;
	u64 min_ns;
	u64 max_ns;
	struct states states;
	u64 stack_storage;
	u64 stack_depth;
	u32 unwind;
	u64 duration_ns;
};

static const char *const unwind_names[] = { "tables", "fp", NULL };

static int parse_states(const char *text, void *value, struct err *err)
{
	struct states *st = value;

	return state_mask_parse(text, &st->mask, &st->runnable, &st->any, err);
}

static const struct offcputime_values defaults = {
	.states = { .any = true },
	.min_ns = NSEC_PER_USEC, /* as in bcc: 1 us */
	.max_ns = ~0ULL,
	.stack_storage = 16384,
	.stack_depth = CS_STACK_DEFAULT,
};

#define V struct offcputime_values
static const struct opt table[] = {
	{ 'p', "pid", OPT_IDS(V, pids), "PID,...", "Trace these processes only.",
	  .flags = OPT_PROCESS, .min = 1, .excludes = "tid user-threads-only kernel-threads-only" },
	{ 't', "tid", OPT_IDS(V, tids), "TID,...", "Trace these threads only.", .min = 1,
	  .excludes = "user-threads-only kernel-threads-only" },
	{ 'u', "user-threads-only", OPT_FLAG(V, user_threads), NULL, "Trace user threads only.",
	  .excludes = "kernel-threads-only" },
	{ 'k', "kernel-threads-only", OPT_FLAG(V, kernel_threads), NULL,
	  "Trace kernel threads only." },
	{ 'U', "user-stacks-only", OPT_FLAG(V, user_stacks), NULL, "Show user stacks only.",
	  .excludes = "kernel-stacks-only" },
	{ 'K', "kernel-stacks-only", OPT_FLAG(V, kernel_stacks), NULL, "Show kernel stacks only." },
	{ 'd', "delimited", OPT_FLAG(V, delimited), NULL,
	  "Insert a delimiter between kernel and user stacks." },
	{ 'f', "folded", OPT_FLAG(V, folded), NULL, "Print folded stacks, one per line." },
	{ 's', "offset", OPT_FLAG(V, offsets), NULL, "Show offsets into functions; not with -f." },
	{ 'v', "verbose", OPT_FLAG(V, verbose), NULL,
	  "Show number, address, offset and module of each frame; not with -f." },
	{ 0, "stack-storage-size", OPT_U64(V, stack_storage), "N",
	  "Number of distinct stacks that can be kept.", .min = 1, .max = 1 << 24 },
	{ 0, "perf-max-stack-depth", OPT_U64(V, stack_depth), "N",
	  "Maximum depth of a user stack, in frames.", .min = 1, .max = CS_STACK_MAX },
	{ 0, "unwind", OPT_CHOICE(V, unwind), "HOW",
	  "How to unwind user stacks: tables uses unwind tables, fp uses frame pointers only, "
	  "as the original does.",
	  .choices = unwind_names },
	{ 'm', "min-block-time", OPT_NS(V, min_ns), "US",
	  "Ignore waits shorter than this; a bare number is in us.", .bare_ns = NSEC_PER_USEC },
	{ 'M', "max-block-time", OPT_NS(V, max_ns), "US",
	  "Ignore waits longer than this; a bare number is in us.", .bare_ns = NSEC_PER_USEC },
	{ 0, "state", OPT_CUSTOM(V, states), "STATE",
	  "Waits in these states: a kernel bitmask (0 is runnable, 1 S, 2 D), or letters.",
	  .parse = parse_states },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_NS(V, duration_ns), "DURATION", "Seconds to trace. Default: until Ctrl-C." },
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

static void describe_ids(const char *what, const struct vec *ids, char *buf, size_t sz)
{
	size_t len = (size_t)snprintf(buf, sz, "%s ", what);

	for (size_t i = 0; i < ids->len && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, "%s%u", i ? "," : "",
					*(const u32 *)vec__at(ids, i));
}

/* bcc's first line, printed before the trace begins. */
static void print_header(const struct offcputime_values *v)
{
	char who[256] = "all threads";

	if (v->pids.len)
		describe_ids(v->pids.len > 1 ? "PIDs" : "PID", &v->pids, who, sizeof(who));
	else if (v->tids.len)
		describe_ids(v->tids.len > 1 ? "TIDs" : "TID", &v->tids, who, sizeof(who));
	else if (v->user_threads)
		snprintf(who, sizeof(who), "user threads");
	else if (v->kernel_threads)
		snprintf(who, sizeof(who), "kernel threads");
	printf("Tracing off-CPU time (us) of %s by %s stack", who,
	       v->user_stacks	? "user" :
	       v->kernel_stacks ? "kernel" :
				  "user + kernel");
	if (v->duration_ns)
		printf(" for %llu secs.\n", v->duration_ns / NSEC_PER_SEC);
	else
		printf("... Hit Ctrl-C to end.\n");
	fflush(stdout);
}

static void fill_options(struct session_options *opt, const struct offcputime_values *v)
{
	const struct vec *ids = v->tids.len ? &v->tids : &v->pids;

	*opt = (struct session_options){
		.capture = {
			.target = v->tids.len ? CAPTURE_THREADS :
				  v->pids.len ? CAPTURE_PROCESSES :
						CAPTURE_ALL,
			.ids = ids->data,
			.ids_len = ids->len,
			.user_threads = !v->kernel_threads,
			.kernel_threads = !v->user_threads,
			.min_ns = v->min_ns,
			.max_ns = v->max_ns,
			.state_mask = v->states.mask,
			.state_any = v->states.any,
			.state_r = v->states.runnable,
			.user_stacks = !v->kernel_stacks,
			.kernel_stacks = !v->user_stacks,
			.max_stacks = (u32)v->stack_storage,
			.stack_depth = (u32)v->stack_depth,
			.fp_only = v->unwind,
		},
		.demangle = true,
		.command = "coldspot offcputime",
		.target = "offcputime",
		.version = COLDSPOT_VERSION,
	};
}

/* bcc's words for dropped stacks, with bcc's advice; and losses that bcc never reports. */
static void say_losses(const struct profile *p)
{
	const struct profile_loss *stacks = &p->losses[LOSS_STACKS_FULL];
	const struct profile_loss *waits = &p->losses[LOSS_WAITS_FULL];

	if (stacks->events)
		fprintf(stderr,
			"WARNING: %llu stack traces lost and could not be displayed. Consider "
			"increasing --stack-storage-size.\n",
			stacks->events);
	if (waits->events)
		fprintf(stderr, "WARNING: %llu waits, %llu us, have no stack: %s.\n", waits->events,
			waits->ns / NSEC_PER_USEC, loss_sentence(LOSS_WAITS_FULL));
}

static int trace(const struct offcputime_values *v, struct session *s, struct profile **ret,
		 struct err *err)
{
	struct run_options run = { .duration_ns = v->duration_ns };
	int r = privilege__drop(PRIVILEGE_WHILE_TRACING, err);

	if (!r)
		r = run_session(s, &run, err);
	return r ? r : session__finish(s, ret, err);
}

static int offcputime(const struct offcputime_values *v, struct err *err)
{
	struct render_options render = {
		.delimiter = v->delimited,
		.offsets = v->offsets,
		.verbose = v->verbose,
		/* bcc has no words for the one and no reason to hide the other */
		.no_truncated = true,
		.interpreter = true,
	};
	struct session_options opt;
	struct profile *p = NULL;
	struct session *s = NULL;
	struct features f;
	int r;

	fill_options(&opt, v);
	r = features__probe(&f, 0, err);
	run_catch_signals();
	if (!r)
		r = session__open(&opt, &f, &s, err);
	features__done(&f);
	if (r)
		return r;
	if (!v->folded)
		print_header(v);
	r = trace(v, s, &p, err);
	if (!r) {
		/* bcc's empty line between header and stacks */
		if (!v->folded)
			printf("\n");
		fflush(stdout);
		r = output_put(STDOUT_FILENO, render_find(v->folded ? "folded" : "txt"), p, &render,
			       err);
		say_losses(p);
	}
	profile__free(p);
	session__free(s);
	return r;
}

int cmd_offcputime(int argc, char **argv)
{
	struct offcputime_values v;
	struct target target = { .pids = &v.pids, .tids = &v.tids };
	struct err err = { 0 };
	int status;

	if (!command_begin(&offcputime_opts, argc, argv, &v, &status))
		return status;
	if (v.min_ns > v.max_ns)
		status = command_usage(&offcputime_opts, "-m is longer than -M: no wait matches");
	else if (command_check_target(&target, &err) || offcputime(&v, &err))
		status = command_fail(&offcputime_opts, &err);
	else
		status = STATUS_OK;
	opt_release(&offcputime_opts, &v);
	return status;
}

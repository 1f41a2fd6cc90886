/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DROPIN_BCC_TOOL_H
#define CLI_DROPIN_BCC_TOOL_H

#include "abi/stack.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "cli/commands.h"
#include "profile/profile.h"

/*
 * What the drop-ins for bcc's offcputime, offwaketime and wakeuptime have in common: whom they
 * trace, which waits, and a trace from start to profile. Each adds its header and its output.
 */

struct bcc_states {
	u32 mask;
	bool runnable;
	bool any;
};

struct bcc_values {
	struct vec pids;
	struct vec tids;
	bool user_threads;
	bool kernel_threads;
	bool user_stacks;
	bool kernel_stacks;
	bool delimited;
	bool folded;
	u64 min_ns;
	u64 max_ns;
	struct bcc_states states;
	u64 stack_storage;
	u64 stack_depth;
	u32 unwind;
	u64 duration_ns;
};

/* bcc's: waits of 1 us and more. */
#define BCC_DEFAULTS                                                                               \
	{                                                                                          \
		.states = { .any = true }, .min_ns = NSEC_PER_USEC, .max_ns = ~0ULL,               \
		.stack_storage = 16384, .stack_depth = CS_STACK_DEFAULT                            \
	}

/* In all of these, `b` is a struct bcc_values of the values `S`. */
/* clang-format off */
#define BCC_THREAD_OPTS(S, b) \
	{ 'p', "pid", OPT_IDS(S, b.pids), "PID,...", "Trace these processes only.", \
	  .flags = OPT_PROCESS, .min = 1, \
	  .excludes = "tid user-threads-only kernel-threads-only" }, \
	{ 't', "tid", OPT_IDS(S, b.tids), "TID,...", "Trace these threads only.", .min = 1, \
	  .excludes = "user-threads-only kernel-threads-only" }, \
	{ 'u', "user-threads-only", OPT_FLAG(S, b.user_threads), NULL, \
	  "Trace user threads only.", .excludes = "kernel-threads-only" }, \
	{ 'k', "kernel-threads-only", OPT_FLAG(S, b.kernel_threads), NULL, \
	  "Trace kernel threads only." }

#define BCC_STACK_OPTS(S, b) \
	{ 'U', "user-stacks-only", OPT_FLAG(S, b.user_stacks), NULL, "Show user stacks only.", \
	  .excludes = "kernel-stacks-only" }, \
	{ 'K', "kernel-stacks-only", OPT_FLAG(S, b.kernel_stacks), NULL, \
	  "Show kernel stacks only." }, \
	{ 'd', "delimited", OPT_FLAG(S, b.delimited), NULL, \
	  "Insert a delimiter between kernel and user stacks." }

#define BCC_FOLDED_OPT(S, b) \
	{ 'f', "folded", OPT_FLAG(S, b.folded), NULL, "Print folded stacks, one per line." }

#define BCC_STORAGE_OPT(S, b) \
	{ 0, "stack-storage-size", OPT_U64(S, b.stack_storage), "N", \
	  "Number of distinct stacks that can be kept.", .min = 1, .max = 1 << 24 }

#define BCC_UNWIND_OPTS(S, b) \
	{ 0, "perf-max-stack-depth", OPT_U64(S, b.stack_depth), "N", \
	  "Maximum depth of a user stack, in frames.", .min = 1, .max = CS_STACK_MAX }, \
	{ 0, "unwind", OPT_CHOICE(S, b.unwind), "HOW", \
	  "How to unwind user stacks: tables uses unwind tables, fp uses frame pointers only, " \
	  "as the original does.", .choices = bcc_unwind_names }

#define BCC_TIME_OPTS(S, b) \
	{ 'm', "min-block-time", OPT_NS(S, b.min_ns), "US", \
	  "Ignore waits shorter than this; a bare number is in µs.", .bare_ns = NSEC_PER_USEC }, \
	{ 'M', "max-block-time", OPT_NS(S, b.max_ns), "US", \
	  "Ignore waits longer than this; a bare number is in µs.", .bare_ns = NSEC_PER_USEC }

#define BCC_STATE_OPT(S, b) \
	{ 0, "state", OPT_CUSTOM(S, b.states), "STATE", \
	  "Waits in these states: a kernel bitmask (0 is runnable, 1 S, 2 D), or letters.", \
	  .parse = bcc_parse_states }

#define BCC_ARGS(S, b) \
	{ 0, NULL, OPT_NS(S, b.duration_ns), "DURATION", \
	  "Seconds to trace. Default: until Ctrl-C." }
/* clang-format on */

extern const char *const bcc_unwind_names[];
int bcc_parse_states(const char *text, void *value, struct err *err);

/* "PIDs 1,2", "user threads", "all threads" */
void bcc_describe_threads(const struct bcc_values *v, char *buf, size_t sz);
/* "user", "kernel", "user + kernel" */
const char *bcc_stack_words(const struct bcc_values *v);
/* The end of bcc's first line, after which the trace begins. */
void bcc_put_duration(const struct bcc_values *v);

struct bcc_tool {
	const struct opt_command *cmd;
	bool wakers;
	void (*header)(const void *values); /* printed once tracing is possible; not folded */
	/* Prints the profile to standard output. */
	int (*print)(const struct profile *p, const void *values, struct err *err);
};

/* Traces and prints. `v` is in `values`, which the functions of the tool get. The exit status. */
int bcc_tool_run(const struct bcc_tool *tool, struct bcc_values *v, const void *values);

#endif

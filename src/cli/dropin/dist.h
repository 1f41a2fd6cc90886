/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DROPIN_DIST_H
#define CLI_DROPIN_DIST_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "cli/opt.h"
#include "cli/dropin/dist_table.h"

/*
 * Shared by cpudist and runqlat: repeated histograms in bcc's format, on standard output. An
 * interval contains the slices and waits that ended in it, with their full length, even if they
 * began earlier; none is lost between two.
 */
struct dist_options {
	const char *command; /* "cpudist" */
	const char *what; /* "off-CPU time": for the first line */
	enum hist_kind kind;
	enum dist_by by;
	const struct vec *pids; /* u32; empty: all */
	const char *cgroup; /* NULL: any */
	bool timestamp;
	bool milliseconds;
	bool extension; /* average, total and count below each output */
	u64 interval_ns; /* 0: until a signal */
	u64 count; /* number of outputs; 0: unlimited */
};

/* Options that both have; `S` is the struct of the command's values. */
/* clang-format off */
#define DIST_WHOM_OPTS(S) \
	{ 'p', "pid", OPT_IDS(S, pids), "PID,...", "Trace these processes only.", \
	  .flags = OPT_PROCESS, .min = 1 }, \
	{ 'c', "cgroup", OPT_STRING(S, cgroup), "PATH", \
	  "Trace only threads in this cgroup (v2) and its descendants.", .flags = OPT_FILE }

#define DIST_ARGS(S) \
	{ 0, NULL, OPT_NS(S, interval_ns), "INTERVAL", \
	  "Seconds between outputs. Default: one output, at Ctrl-C." }, \
	{ 0, NULL, OPT_U64(S, count), "COUNT", "Number of outputs. Default: unlimited.", \
	  .min = 1 }
/* clang-format on */

/* Traces and prints until the last output or a signal; after a signal one more follows. */
int dist_run(const struct dist_options *opt, struct err *err);

#endif

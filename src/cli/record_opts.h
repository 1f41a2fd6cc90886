/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORD_OPTS_H
#define CLI_RECORD_OPTS_H

#include "app/loaded_rules.h"
#include "base/types.h"
#include "base/vec.h"
#include "cli/opt.h"
#include "cli/output_opts.h"

/* For --state; see state_mask_parse(). */
struct record_states {
	u32 mask;
	bool runnable;
	bool any;
};

struct record_values {
	struct vec pids;
	struct vec tids;
	struct vec outputs;
	bool all;
	bool tree;
	bool follow; /* the same */
	bool no_follow;
	bool wait_all;
	const char *program;
	const char *cgroup;
	const char *unit;
	const char *container;
	const char *comm;
	bool user_threads;
	bool kernel_threads;
	bool user_stacks;
	bool kernel_stacks;
	bool no_objects;
	bool wakers;
	bool events;
	u64 max_events; /* 0: the default */
	struct vec requests; /* const char *: probes */
	u64 last_ns; /* 0: no flight recorder */
	struct vec triggers;
	u64 hold_off_ns; /* ~0: as long as last_ns */
	u64 max_files; /* 0: the default */
	bool off_wake;
	bool chains;
	struct record_states states;
	u64 min_ns;
	u64 max_ns;
	u64 period_ns; /* ~0: not given */
	u64 overhead_ppm; /* 0: not given */
	bool exact;
	u64 sample_hz; /* 0: not given */
	bool on_cpu;
	u32 view; /* 0: not given, else enum time_view */
	u64 hz; /* 0: not given; of on_cpu or proc */
	bool hist;
	bool proc;
	bool no_proc;
	bool tasks;
	bool task_events;
	u64 duration_ns;
	u64 every_ns; /* 0: one window */
	bool align;
	u64 interval_ns;
	const char *format;
	bool json_schema;
	struct graph_values graph;
	bool quiet;
	bool announce;
	bool verbose;
	bool fold_kernel; /* true by default */
	struct names_values names;
	bool lines;
	bool inlines;
	bool java_symbols;
	bool interpreter;
	bool object_frames;
	u64 requests_milli;
	struct rules_options rules;
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

/* The shortest window of several. */
#define RECORD_MIN_WINDOW_NS (100 * NSEC_PER_MSEC)
/* Of --last: several windows. */
#define RECORD_MIN_LAST_NS (500 * NSEC_PER_MSEC)
#define RECORD_MAX_LAST_NS (3600 * NSEC_PER_SEC)
#define RECORD_MIN_INTERVAL_NS (10 * NSEC_PER_MSEC)

/* For --max-overhead, with its bounds; the value is a u64. */
int record_parse_overhead(const char *text, void *value, struct err *err);
/* Names of programs and threads that can be matched. 0, or the exit status after the message. */
int record_values__check_names(const struct record_values *v, const struct opt_command *cmd);
/* The first option given that only BPF can do; NULL: none. */
const char *record_values__needs_bpf(const struct record_values *v);
/* Whether instants of waits are recorded: --events, or an option that includes it. */
bool record_wants_events(const struct record_values *v);
/* Number of outputs that are recordings. */
size_t record_values__recordings(const struct record_values *v);
/* Checks for invalid combinations. 0, or the exit status after the message. */
int record_values__check(const struct record_values *v);

#endif

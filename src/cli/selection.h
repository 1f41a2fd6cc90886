/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "analysis/select.h"
#include "base/vec.h"
#include "cli/opt.h"

/* The filters after the fact, as options: their values, their rows, and what they make. */
struct selection_values {
	struct vec comms; /* const char * */
	struct vec tids; /* u32 */
	struct vec pids;
	struct vec cgroups; /* const char * */
	struct vec under;
	struct vec not_under;
	struct vec modules;
	struct vec objects;
	struct vec owners;
	bool user_threads;
	bool kernel_threads;
	bool regex;
	u64 causes; /* bits */
	u32 classes; /* bits by enum wait_class */
	bool no_idle; /* --idle hide: all classes but idle */
	u32 states;
	struct select_bound min;
	struct select_bound max;
};

/* Rows for threads and for waits; `s` is a struct selection_values of the values `S`. */
/* clang-format off */
#define SELECTION_THREAD_OPTS(S, s) \
	{ 'p', "pid", OPT_IDS(S, s.pids), "PID,...", "Threads of these processes.", .min = 1 }, \
	{ 't', "tid", OPT_IDS(S, s.tids), "TID,...", "These threads.", .min = 1 }, \
	{ 0, "comm", OPT_STRINGS(S, s.comms), "GLOB", \
	  "Threads whose name fits; * is any text, ? one character. If given several times, one " \
	  "of them has to." }, \
	{ 0, "cgroup", OPT_STRINGS(S, s.cgroups), "GLOB|ID", \
	  "Threads in this cgroup: its path as --by cgroup shows it ('/system.slice/*'), or the " \
	  "last part of it ('ssh.service'), or its number. Where a recording has no paths: a " \
	  "path of this machine. If given several times, one of them has to fit.", \
	  .flags = OPT_FILE }, \
	{ 'u', "user-threads", OPT_FLAG(S, s.user_threads), NULL, "No kernel threads.", \
	  .excludes = "kernel-threads" }, \
	{ 'k', "kernel-threads", OPT_FLAG(S, s.kernel_threads), NULL, "Only kernel threads." }
#define SELECTION_WAIT_OPTS(S, s) \
	{ 0, "cause", OPT_CUSTOM(S, s.causes), "NAME,...", \
	  "Waits of these causes, as the summary names them: futex, net-recv, disk-sync, ...", \
	  .parse = selection_parse_causes }, \
	{ 0, "class", OPT_CUSTOM(S, s.classes), "NAME,...", \
	  "Waits of these classes: work, idle (a wait for work), bad (held up an event loop), " \
	  "expected (a rule of --rules says so), on-cpu (no waits: what was sampled of CPUs).", \
	  .parse = selection_parse_classes }, \
	{ 0, "state", OPT_CUSTOM(S, s.states), "STATES", \
	  "Waits in these states: letters of RSDTtXZPI and K (killable), as in S,D.", \
	  .parse = selection_parse_states }, \
	{ 0, "under", OPT_STRINGS(S, s.under), "FRAME", \
	  "Waits with such a function in the stack, user or kernel side; the whole name, where * " \
	  "is any text and ? one character. If given several times, with all of them." }, \
	{ 0, "not-under", OPT_STRINGS(S, s.not_under), "FRAME", \
	  "Without such a function, as far as it is known." }, \
	{ 0, "module", OPT_STRINGS(S, s.modules), "FILE", \
	  "With a function of this file in the stack: its path, or the last part, as a glob." }, \
	{ 0, "object", OPT_STRINGS(S, s.objects), "GLOB", \
	  "Waits for such an object, as --by object names it: 'tcp *:5432', 'file /var/*', 'lock " \
	  "*'. If given several times, one of them has to fit." }, \
	{ 0, "owner", OPT_STRINGS(S, s.owners), "TID|GLOB", \
	  "Waits for something that this thread held, by its number or its name." }, \
	{ 0, "regex", OPT_FLAG(S, s.regex), NULL, \
	  "Take --comm, --cgroup, --under, --not-under, --module, --object and --owner for " \
	  "regular expressions (POSIX, extended) that may be found anywhere in a name." }, \
	{ 0, "min", OPT_CUSTOM(S, s.min), "SUM", \
	  "Stacks with at least this time in all: 10ms, or 1% of what is selected.", \
	  .parse = selection_parse_bound }, \
	{ 0, "max", OPT_CUSTOM(S, s.max), "SUM", "Stacks with at most this time in all.", \
	  .parse = selection_parse_bound }
/* clang-format on */

int selection_parse_causes(const char *text, void *value, struct err *err);
int selection_parse_classes(const char *text, void *value, struct err *err);
int selection_parse_states(const char *text, void *value, struct err *err);
int selection_parse_bound(const char *text, void *value, struct err *err);

/*
 * Replaces *p by the part of it that is asked for; nothing happens where nothing is. `rules` are
 * those that name causes and classes. Errors are
 * those of select_profile(), then *p is as it was.
 */
int selection__apply(const struct selection_values *v, const struct ruleset *rules,
		     struct profile **p, struct err *err);
/* The filters as one would type them, "--comm web --cause lock"; free with mem_free(). Or NULL. */
char *selection__words(const struct selection_values *v);

#endif

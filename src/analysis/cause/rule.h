/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_RULE_H
#define ANALYSIS_CAUSE_RULE_H

#include "analysis/cause/cause.h"

/*
 * One line of a table of rules: conditions, and the cause or class they imply. Conditions that are
 * zero always hold; all others must match. Names in a list are separated by spaces. In a name '*'
 * is any text and '?' one character, which also stands for a space in a name.
 *
 * A rule may decide the cause, the class, or both. For each of the two, the first matching rule
 * that decides it wins, so a rule for one does not affect the other.
 *
 * Names that analysis/machinery.h hides must not be in a rule, so that hiding frames never changes
 * a cause.
 */

enum rule_only {
	ONLY_ANY = 0,
	ONLY_KTHREAD,
	ONLY_FAULT, /* a user thread outside of any system call */
	ONLY_SYSCALL,
};

/* States as bits. */
enum rule_state {
	RULE_R = 1 << 0,
	RULE_S = 1 << 1,
	RULE_D = 1 << 2,
	RULE_T = 1 << 3,
	RULE_t = 1 << 4,
	RULE_X = 1 << 5,
	RULE_Z = 1 << 6,
	RULE_P = 1 << 7,
	RULE_I = 1 << 8,
};

#define RULE_LISTS 3

struct rule {
	const char *name; /* stable, "family/what": its name in --explain and in rule files */
	enum cause kind; /* CAUSE_UNKNOWN: does not decide the cause */
	enum wait_class class; /* CLASS_NONE: does not decide the class */
	const char *seen; /* where it was seen: versions and program; or source code, if not seen */
	cause_set kinds; /* for rules of a class: one of these causes; 0: see rule_kinds() */
	u32 states; /* bits, one of these states */
	u32 flags; /* enum profile_wait_flag, all of these */
	u32 futexes; /* bits of enum futex_kind: the object is one of these */
	const char *locks; /* the object is a kernel lock with one of these names */
	enum rule_only only;
	const char *syscalls; /* one of these; a prefix ends with '*' */
	const char *kernel[RULE_LISTS]; /* for each list: one of these in the kernel stack */
	const char *not_kernel; /* none of these in the kernel stack */
	const char *user[RULE_LISTS]; /* the same for the user stack */
	const char *not_user; /* none of these in the user stack */
	const char *caller; /* the lowest user frame outside the C library is one of these */
	const char *caller_file; /* the last part of the path of the file that contains it */
	const char *code; /* the lowest interpreted frame is one of these */
	const char *modules; /* a file in the user stack, by the last part of its path */
	const char *threads; /* name of the thread */
	const char *processes; /* name of the process */
	const char *const *regexes; /* user rules: extended, each anywhere in the user stack */
	const char *const *not_regexes;
	u32 line; /* in the rule file; 0: built in */
};

/* A built-in rule that is disabled. */
struct rule_off {
	const char *name;
	const char *where; /* where it was disabled, "my.rules:3", for messages */
};

#define RULE_KIND(kind) CAUSE_SET(kind)
#define RULE_FUTEX(kind) (1U << FUTEX_KIND_##kind)

/*
 * A family. Functions of two programs may have the same name, so a table for one program lists the
 * files that identify it: the last part of the path of one frame of the user stack, with names and
 * wildcards as in a rule. Rules for code linked into arbitrary programs use only names that begin
 * with that library's own prefix.
 */
struct rule_table {
	const struct rule *rules;
	size_t len;
	const char *files; /* NULL: any program */
};

/* Every table, in the order of evaluation; the last one is empty. */
extern const struct rule_table *const rule_tables[];

/* rule_table.files of the rule's table; NULL: any program, or a user rule. */
const char *rule_files(const struct rule *r);
/* The causes to which a rule of a class applies; for idle, those that can be a wait for work. */
cause_set rule_kinds(const struct rule *r);
/* Is it one of these families? The tables, one for each file. */
extern const struct rule_table rules_goroutine, rules_asyncio, rules_tokio, rules_sched,
	rules_memory, rules_kernel_lock, rules_disk, rules_net, rules_python, rules_java, rules_go,
	rules_rust, rules_node, rules_postgres, rules_mysql, rules_redis, rules_nginx, rules_c,
	rules_user, rules_loop;

#endif

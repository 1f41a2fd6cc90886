/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RULE_H
#define ANALYSIS_RULE_H

#include "analysis/cause.h"

/*
 * One line of a table of rules: what has to be so, and what it is then. Conditions that are zero
 * always hold; all others must. A list of names is separated by spaces; in a name '*' is any text
 * and '?' one character, which is how a name with a space in it is written.
 *
 * A rule may decide the kind, the class, or both. For each of the two the first rule that fits and
 * decides it wins. So a rule can be added for one without thinking of the other.
 *
 * Names that analysis/machinery.h hides must not be in a rule: what is shown and what is hidden
 * has the same cause.
 */

enum rule_only {
	ONLY_ANY = 0,
	ONLY_KTHREAD,
	ONLY_FAULT, /* a user thread outside of any system call */
	ONLY_SYSCALL,
};

/* States by their letter, as bits. */
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
	const char *name; /* stable, "family/what": what --explain and a rule file call it */
	enum cause kind; /* CAUSE_UNKNOWN: it does not decide the kind */
	enum wait_class class; /* CLASS_NONE: it does not decide the class */
	const char *seen; /* on which versions, and in which program; of the source if not seen */
	u64 kinds; /* rules of a class: bits of enum cause, one of these; 0: see rule_kinds() */
	u32 states; /* bits, one of these */
	u32 flags; /* enum profile_wait_flag, all of these */
	u32 futexes; /* bits of enum futex_kind, the object that was waited for is one of these */
	const char *locks; /* what was waited for is a lock of the kernel of these names */
	enum rule_only only;
	const char *syscalls; /* one of these; a name that is a prefix ends with '*' */
	const char *kernel[RULE_LISTS]; /* of each list a function anywhere in the kernel stack */
	const char *not_kernel; /* none of these in the kernel stack */
	const char *user[RULE_LISTS]; /* the same of the user stack */
	const char *not_user; /* none of these in the user stack */
	const char *caller; /* the lowest user frame outside the C library is one of these */
	const char *caller_file; /* the last part of the path of the file that it is in */
	const char *code; /* the lowest interpreted frame is one of these */
	const char *modules; /* a file of the user stack, the last part of its path */
	const char *threads; /* name of the thread */
	const char *processes; /* name of the process */
	const char *const *regexes; /* rules of users: extended, each anywhere in the user stack */
	const char *const *not_regexes;
	u32 line; /* of the file of rules; 0: built in */
};

/* A built-in rule that is not to be asked. */
struct rule_off {
	const char *name;
	const char *where; /* that says so, "my.rules:3", for messages */
};

#define RULE_KIND(kind) (1ULL << (kind))
#define RULE_FUTEX(kind) (1U << FUTEX_KIND_##kind)

struct rule_table {
	const struct rule *rules;
	size_t len;
};

/* Every table, in the order in which they are asked; the last one is empty. */
extern const struct rule_table *const rule_tables[];

/* The kinds that a rule of a class is for; those that can be a wait for work, if it is idle. */
u64 rule_kinds(const struct rule *r);
/* Is it one of these families? The tables, one for each file. */
extern const struct rule_table rules_sched, rules_memory, rules_kernel_lock, rules_disk, rules_net,
	rules_python, rules_java, rules_go, rules_rust, rules_node, rules_database, rules_c,
	rules_user, rules_loop;

#endif

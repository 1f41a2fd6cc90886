/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_CAUSE_H
#define ANALYSIS_CAUSE_CAUSE_H

#include "analysis/cause/causes.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * The cause of a wait, as decided by the first matching rule (rule.h). Rules test the system call,
 * state, flags, futex, the names of its thread and process, and the frames of its two stacks. The
 * rules are tables in rules_*.c; user rules come first. If nothing shows which user-space primitive
 * it was, the cause is `futex`.
 */
enum cause {
#define X(NAME, ...) CAUSE_##NAME,
	CAUSES(X)
#undef X
		CAUSE_CNT
};

enum cause_family {
#define X(NAME, ...) CAUSE_FAMILY_##NAME,
	CAUSE_FAMILIES(X)
#undef X
		CAUSE_FAMILY_CNT
};

/* One row of causes.h. */
struct cause_row {
	const char *name;
	enum cause_family family;
	bool may_idle; /* may be a wait for work if the user frames say so */
	u32 color; /* 0xRRGGBB */
	const char *sentence;
	const char *hint;
};

struct cause_family_row {
	const char *name;
	char letter;
	const char *firefox; /* name of the nearest Firefox colour */
};

/* A set of causes, one bit each. */
typedef unsigned __int128 cause_set;

_Static_assert(CAUSE_CNT <= 8 * sizeof(cause_set), "a cause is a bit of a set");

#define CAUSE_SET(cause) ((cause_set)1 << (cause))

/* The row of `unknown` if there is no such cause. */
const struct cause_row *cause_row(enum cause cause);
const struct cause_family_row *cause_family_row(enum cause_family family);

/* Never NULL. */
const char *cause_name(enum cause cause);
const char *cause_sentence(enum cause cause);
/* By name; CAUSE_CNT if there is none. */
enum cause cause_find(const char *name);
/* What to look at next: one sentence without a full stop, or "" if the name says it all. */
const char *cause_hint(enum cause cause);
/* Likewise, in a recording of tasks (goroutines, asyncio), which are no threads. */
const char *cause_task_hint(enum cause cause);
/*
 * Whether the system call says more of a wait with this cause. A thread is preempted, or faults, in
 * any system call.
 */
bool cause_has_syscall(enum cause cause);

/* Whether a wait mattered. `name` is stable: it is in JSON. Append only. */
#define CLASSES(X)                                                                                 \
	X(NONE, "none", "not decided")                                                             \
	X(WORK, "work", "delayed work")                                                            \
	X(IDLE, "idle", "a wait for work")                                                         \
	X(EXPECTED, "expected", "a user rule says that it is intended")                            \
	X(BAD, "bad", "blocked an event loop and everything it serves")                            \
	X(ON_CPU, "on-cpu", "not a wait: it ran")

enum wait_class {
#define X(NAME, name, sentence) CLASS_##NAME,
	CLASSES(X)
#undef X
		CLASS_CNT
};

/*
 * Graphs have one colour and name for all waits for work. These are the numbers for it: those of
 * enum cause, CAUSE_CNT for none, and this one.
 */
#define CAUSE_SHOWN_IDLE (CAUSE_CNT + 1)
#define CAUSE_SHOWN_CNT (CAUSE_CNT + 2)

/* "idle", the name and sentence of the cause, or "none". */
const char *cause_shown_name(u32 shown);
const char *cause_shown_sentence(u32 shown);

/* Never NULL. */
const char *class_name(enum wait_class class);
const char *class_sentence(enum wait_class class);

struct rule;
struct ruleset;

/* The cause and class of each wait of a profile, and the rules that decided. */
struct causes {
	u8 *of_wait; /* enum cause by wait id */
	u8 *class_of_wait; /* enum wait_class */
	u16 *kind_rule; /* number in `rules`; RULE_NONE: no rule, or no rule is needed */
	u16 *class_rule;
	const struct ruleset *rules;
	struct ruleset *own_rules; /* the same if none were given */
	u32 waits_len;
	u32 rows_len; /* of a view: rows from waits_len on are time on a CPU */
	bool borrowed; /* everything is borrowed: cause_memo.h */
};

/*
 * Frames must be named first. `rules` are borrowed; NULL: the built-in ones. -ENOMEM or 0. Release
 * with causes__done() in either case.
 */
int causes__init(struct causes *c, const struct profile *p, const struct ruleset *rules,
		 struct err *err);
void causes__done(struct causes *c);
enum cause causes__of(const struct causes *c, u32 wait);
/*
 * CLASS_WORK for waits without a matching rule, CLASS_ON_CPU for time on a CPU; never CLASS_NONE.
 */
enum wait_class causes__class(const struct causes *c, u32 wait);
/* CAUSE_SHOWN_IDLE for a wait for work, else its cause. */
u32 causes__shown(const struct causes *c, u32 wait);
/* The rule that decided the cause; NULL: none did. */
const struct rule *causes__kind_rule(const struct causes *c, u32 wait);
const struct rule *causes__class_rule(const struct causes *c, u32 wait);

#endif

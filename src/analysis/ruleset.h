/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RULESET_H
#define ANALYSIS_RULESET_H

#include "analysis/rule.h"
#include "analysis/stack_lists.h"
#include "base/err.h"
#include "base/intern.h"

/* Rules made ready to be asked many times. Immutable; safe from several threads. */
struct ruleset;

/* Number of a rule that does not exist. */
#define RULE_NONE 0xffff
/* Rules in all. */
#define RULES_MAX 4096

struct ruleset_options {
	const struct rule *first; /* asked before those built in; borrowed */
	size_t first_len;
	const struct rule_off *off; /* borrowed */
	size_t off_len;
	bool no_idle; /* no built-in rule that says idle */
};

/*
 * NULL options: those built in, all of them. -EINVAL for a name in `off` that no rule has, for a
 * regular expression that is none, or too many rules, with the file and the line that it is in;
 * -ENOMEM, or 0. Free with ruleset__free().
 */
int ruleset__new(const struct ruleset_options *opt, struct ruleset **ret, struct err *err);
/* NULL is fine. */
void ruleset__free(struct ruleset *rs);
/* NULL for RULE_NONE. */
const struct rule *ruleset__rule(const struct ruleset *rs, u32 number);

/* What is asked of one profile, and the answers there were. */
struct rule_frames {
	struct stack_lists lists;
	struct intern answers; /* by what rules look at */
};

/* -ENOMEM or 0. Release with rule_frames__done() in either case. */
int rule_frames__init(struct rule_frames *f, const struct ruleset *rs, const struct profile *p);
void rule_frames__done(struct rule_frames *f);

struct rule_answer {
	enum cause kind;
	enum wait_class class;
	u16 kind_rule;
	u16 class_rule;
};

/* -ENOMEM or 0. */
int ruleset__ask(const struct ruleset *rs, const struct profile *p, struct rule_frames *f, u32 wait,
		 struct rule_answer *ret);

#endif

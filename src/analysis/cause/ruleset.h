/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_RULESET_H
#define ANALYSIS_CAUSE_RULESET_H

#include "analysis/cause/rule.h"
#include "analysis/cause/stack_lists.h"
#include "base/err.h"
#include "base/intern.h"

/* Rules prepared for many evaluations. Immutable; thread-safe. */
struct ruleset;

/* Number of a rule that does not exist. */
#define RULE_NONE 0xffff
/* Rules in all. */
#define RULES_MAX 4096

struct ruleset_options {
	const struct rule *first; /* evaluated before the built-in ones; borrowed */
	size_t first_len;
	const struct rule_off *off; /* borrowed */
	size_t off_len;
	bool no_idle; /* no built-in rules of the class idle */
};

/*
 * NULL options: all built-in rules. -EINVAL for a name in `off` that no rule has, an invalid
 * regular expression, or too many rules, with file and line; -ENOMEM, or 0. Free with
 * ruleset__free().
 */
int ruleset__new(const struct ruleset_options *opt, struct ruleset **ret, struct err *err);
/* NULL is fine. */
void ruleset__free(struct ruleset *rs);
/* NULL for RULE_NONE. */
const struct rule *ruleset__rule(const struct ruleset *rs, u32 number);

/* The state for evaluating one profile, and the results so far. */
struct rule_frames {
	struct stack_lists lists;
	struct intern answers; /* by what rules test */
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

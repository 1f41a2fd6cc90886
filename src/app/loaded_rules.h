/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_LOADED_RULES_H
#define APP_LOADED_RULES_H

#include "analysis/cause/rule_file.h"
#include "analysis/cause/ruleset.h"
#include "base/err.h"

/* Which rules assign causes and classes. All zero: the built-in ones. */
struct rules_options {
	const char *file; /* tried before the built-in ones; NULL: none */
	bool no_idle; /* no built-in rules of the class idle */
};

/* User rules and the built-in ones, ready for use. */
struct loaded_rules {
	struct rule_file file;
	struct ruleset *set;
};

/*
 * Errors of file_read() and of the rules, with the file and line. Release in either case; all zero
 * may be released, too.
 */
int loaded_rules__init(struct loaded_rules *l, const struct rules_options *opt, struct err *err);
void loaded_rules__done(struct loaded_rules *l);

#endif

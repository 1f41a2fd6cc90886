/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULES_OPTS_H
#define CLI_RULES_OPTS_H

#include "analysis/rule_file.h"
#include "analysis/ruleset.h"
#include "cli/opt.h"

/* Which rules name causes and classes, as options of every command that shows them. */
struct rules_values {
	const char *file;
	bool no_idle;
};

/* `r` is a struct rules_values of the values `S`. */
/* clang-format off */
#define RULES_OPTS(S, r) \
	{ 0, "rules", OPT_STRING(S, r.file), "FILE", \
	  "Rules of your own for the kind and class of waits, asked before those built in; " \
	  "docs/rules.md has their lines.", .flags = OPT_FILE }, \
	{ 0, "no-idle-rules", OPT_FLAG(S, r.no_idle), NULL, \
	  "Take no wait for a wait for work, unless a rule of --rules says so." }
/* clang-format on */

struct loaded_rules {
	struct rule_file file;
	struct ruleset *set;
};

/* Errors of reading and of rules, with the file and line. Release in either case. */
int loaded_rules__init(struct loaded_rules *l, const struct rules_values *v, struct err *err);
void loaded_rules__done(struct loaded_rules *l);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RULES_OPTS_H
#define CLI_RULES_OPTS_H

#include "app/loaded_rules.h"
#include "cli/opt.h"

/* `r` is a struct rules_options of the values `S`. */
/* clang-format off */
#define RULES_OPTS(S, r) \
	{ 0, "rules", OPT_STRING(S, r.file), "FILE", \
	  "Read your own rules for causes and classes from FILE. They are tried before the " \
	  "built-in rules; docs/rules.md describes the syntax.", .flags = OPT_FILE }, \
	{ 0, "no-idle-rules", OPT_FLAG(S, r.no_idle), NULL, \
	  "Do not class any wait as a wait for work, unless a rule of --rules does." }
/* clang-format on */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_RULE_FILE_H
#define ANALYSIS_CAUSE_RULE_FILE_H

#include "analysis/cause/rule.h"
#include "base/arena.h"
#include "base/vec.h"

/*
 * User rules, one per line, as in docs/rules.md:
 *
 *	# why
 *	class=idle if-kind=cond under='*::JobQueue::next*|job_next' comm=worker*
 *	kind=queue under-regex='^app::.*::recv$' not-under=shutdown
 *	off c/mutex
 *
 * A line says what it decides (`kind`, `class`, or both) and when; all of its conditions must hold.
 * In a value, '|' separates alternatives, '*' is any text, '?' one character; quotes of either type
 * keep spaces.
 */
struct rule_file {
	struct arena arena; /* owns what the rules point to */
	struct vec rules; /* struct rule, in line order */
	struct vec off; /* struct rule_off */
};

/*
 * `name` is for messages and names of rules ("my.rules:3"). -EINVAL with file, line and what is
 * wrong; -ENOMEM, or 0. Release with rule_file__done() in either case.
 */
int rule_file__parse(struct rule_file *f, const char *name, const char *text, size_t sz,
		     struct err *err);
void rule_file__done(struct rule_file *f);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_RULE_WORDS_H
#define ANALYSIS_RULE_WORDS_H

#include <regex.h>

#include "base/err.h"
#include "base/strtab.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * The lists of names that rules ask frames for. Each list has a number, equal lists the same one;
 * a name is looked up once and answered with all the lists that it is in.
 */
enum rule_side {
	RULE_SIDE_KERNEL = 0, /* functions without what is behind a dot */
	RULE_SIDE_USER, /* functions, with or without what base/suffix.h takes off */
	RULE_SIDE_MODULE, /* last parts of paths */
	RULE_SIDE_REGEX, /* one regular expression for user frames */
};

/* Most lists; their numbers are 0 .. RULE_LISTS_MAX - 1. */
#define RULE_LISTS_MAX 4096

struct rule_words {
	struct strtab lists; /* side and text */
	struct vec exact; /* struct rule_word, in order once prepared */
	struct vec globs; /* struct rule_word */
	struct vec regexes; /* struct rule_regex */
};

int rule_words__init(struct rule_words *w);
void rule_words__done(struct rule_words *w);
/* -EINVAL for a regular expression that is none, or too many lists; -ENOMEM, or 0. */
int rule_words__add(struct rule_words *w, enum rule_side side, const char *list, u16 *ret_number,
		    struct err *err);
/* After the last list: makes ready to be asked. */
void rule_words__prepare(struct rule_words *w);
u32 rule_words__lists(const struct rule_words *w);
/* Sets the bits of the lists of that side which `name` is in. */
void rule_words__match(const struct rule_words *w, enum rule_side side, const char *name,
		       u64 *bits);

/* Is the name, without suffixes, in a list of that side, no expression? For a rare question. */
bool rule_name_is_in(enum rule_side side, const char *list, const char *name);
/* Is the name as it is in a list? */
bool rule_list_has(const char *list, const char *name);

#endif

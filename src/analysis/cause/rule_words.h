/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_RULE_WORDS_H
#define ANALYSIS_CAUSE_RULE_WORDS_H

#include <regex.h>

#include "base/err.h"
#include "base/strtab.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * The lists of names in rules. Each list has a number; equal lists have the same one. A name is
 * looked up once, and the result is all lists that contain it.
 */
enum rule_side {
	RULE_SIDE_KERNEL = 0, /* functions without suffixes after a dot */
	RULE_SIDE_USER, /* functions, with or without the suffixes in base/text/suffix.h */
	RULE_SIDE_MODULE, /* last parts of paths */
	RULE_SIDE_REGEX, /* one regular expression for user frames */
};

/* Maximum number of lists; they are numbered 0 .. RULE_LISTS_MAX - 1. */
#define RULE_LISTS_MAX 4096

struct rule_words {
	struct strtab lists; /* side and text */
	struct vec exact; /* struct rule_word, sorted once prepared */
	struct vec globs; /* struct rule_word */
	struct vec regexes; /* struct rule_regex */
};

int rule_words__init(struct rule_words *w);
void rule_words__done(struct rule_words *w);
/* -EINVAL for an invalid regular expression or too many lists; -ENOMEM, or 0. */
int rule_words__add(struct rule_words *w, enum rule_side side, const char *list, u16 *ret_number,
		    struct err *err);
/* After the last list: makes the lists ready for lookups. */
void rule_words__prepare(struct rule_words *w);
u32 rule_words__lists(const struct rule_words *w);
/* Sets the bits of the lists of that side that contain `name`. */
void rule_words__match(const struct rule_words *w, enum rule_side side, const char *name,
		       u64 *bits);

/*
 * Whether the name, without suffixes, is in a list of that side; not for regular expressions. Slow.
 */
bool rule_name_is_in(enum rule_side side, const char *list, const char *name);
/* Whether the unchanged name is in a list. */
bool rule_list_has(const char *list, const char *name);

#endif

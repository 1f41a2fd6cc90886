/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SPELL_H
#define APP_SPELL_H

#include "base/types.h"

/* Suggests a name for an unknown word: offer each name, then read `best`. */
struct spell {
	const char *word;
	const char *best; /* NULL: nothing is similar enough */
	u32 best_distance;
};

void spell__init(struct spell *s, const char *word);
/* `name` must live as long as the result. */
void spell__offer(struct spell *s, const char *name);

/*
 * Number of letters to insert, remove, replace or swap with the next; large for words over 31
 * bytes.
 */
u32 spell_distance(const char *a, const char *b);

#endif

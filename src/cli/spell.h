/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SPELL_H
#define CLI_SPELL_H

#include "base/types.h"

/* Finds the name that was meant when a word is none: offer each name, then ask. */
struct spell {
	const char *word;
	const char *best; /* NULL: nothing is near enough to be offered */
	u32 best_distance;
};

void spell__init(struct spell *s, const char *word);
/* `name` must live as long as the answer. */
void spell__offer(struct spell *s, const char *name);

/* Letters to insert, remove, replace or swap with the next; words over 31 bytes are far away. */
u32 spell_distance(const char *a, const char *b);

#endif

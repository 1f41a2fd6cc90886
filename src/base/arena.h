/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/types.h"

/* An arena, freed as a whole: for models and parse results, which live for one pass. */
struct arena {
	struct arena_block *head;
};

void arena__init(struct arena *a);
void arena__done(struct arena *a);
/* Zeroed, aligned to 16 bytes; NULL when out of memory. */
void *arena__alloc(struct arena *a, size_t sz);
void *arena__array(struct arena *a, size_t n, size_t elem_sz);
char *arena__strdup(struct arena *a, const char *s);

#endif

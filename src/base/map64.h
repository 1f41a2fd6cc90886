/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MAP64_H
#define BASE_MAP64_H

#include "base/types.h"

/* A hash table from u64 to u64. Any key is allowed. */
struct map64 {
	struct map64_slot *slots;
	size_t slots_len;
	size_t len;
};

void map64__init(struct map64 *m);
void map64__done(struct map64 *m);
/* Adds or replaces. -ENOMEM or 0; replacing cannot fail. */
int map64__set(struct map64 *m, u64 key, u64 value);
bool map64__get(const struct map64 *m, u64 key, u64 *ret_value);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NOTICES_H
#define BASE_NOTICES_H

#include "base/types.h"
#include "base/vec.h"

/* Sentences that a person should read, each once, in the order in which they came. */
struct notices {
	struct vec texts; /* char * */
};

void notices__init(struct notices *n);
void notices__done(struct notices *n);
/* Copies `text`, unless it is there already. -ENOMEM or 0. */
int notices__add(struct notices *n, const char *text);
size_t notices__len(const struct notices *n);
/* NULL behind the last one. */
const char *notices__at(const struct notices *n, size_t idx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NOTICES_H
#define BASE_NOTICES_H

#include "base/types.h"
#include "base/vec.h"

/* Sentences for the user, each once, in order of arrival. */
struct notices {
	struct vec texts; /* char * */
};

void notices__init(struct notices *n);
void notices__done(struct notices *n);
/* Copies `text`, unless it is already there. -ENOMEM or 0. */
int notices__add(struct notices *n, const char *text);
size_t notices__len(const struct notices *n);
/* NULL after the last one. */
const char *notices__at(const struct notices *n, size_t idx);

#endif

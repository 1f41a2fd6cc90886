/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_STRING_SET_H
#define RECORDING_BLOCK_STRING_SET_H

#include "profile/profile.h"
#include "recording/block/column.h"

/* The strings that a block uses, in the order of their first use. */
struct string_set {
	const struct profile *p;
	u32 *ids; /* in the block, by id in the profile; 0: not used yet */
	u32 len; /* the next new id */
	struct section_out section;
};

/* -ENOMEM or 0. Release with string_set__finish() in either case. */
int string_set__init(struct string_set *set, const struct profile *p);
/* The number of a string of the profile in the block; 0: it is empty. */
u32 string_set__number(struct string_set *set, u32 str);
/* The reference to a string of the profile. */
u64 string_set__ref(struct string_set *set, u32 str);
/*
 * Appends the strings, then the `len` sections that refer to them, unless `r` is an error. Frees
 * everything. `r`, -ENOMEM or 0.
 */
int string_set__finish(struct string_set *set, struct section_out *outs, size_t len, int r,
		       struct vec *sections);

#endif

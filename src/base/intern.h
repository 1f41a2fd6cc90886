/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/types.h"
#include "base/vec.h"

struct intern_slot {
	u32 id; /* 0: free */
	u32 hash;
};

/*
 * A table of distinct fixed-size records with small ids. Equal bytes get the same id. Ids start at
 * 1 in the order of arrival; id 0 means none and its record is all zero. Records must have no
 * padding that is not zeroed. The key may be a prefix of the record: bytes behind `key_sz` belong
 * to the caller and are not compared.
 */
struct intern {
	struct vec items; /* [0] is the zero record */
	size_t key_sz;
	struct intern_slot *slots;
	u32 slots_len; /* power of two, or 0 */
};

int intern__init(struct intern *in, size_t item_sz, size_t key_sz);
void intern__done(struct intern *in);
/* The id of the record equal to `item`, made if there is none. -ENOMEM or 0. */
int intern__add(struct intern *in, const void *item, u32 *ret_id);
/* Bytes that `n` more records would take at once; 0 when there is room. */
u64 intern__growth(const struct intern *in, u32 n);
/* Room for `n` more records, so that adding them takes no memory. -ENOMEM or 0. */
int intern__reserve(struct intern *in, u32 n);
/* The id, or 0 when there is none. Only the first key_sz bytes of `item` are read. */
u32 intern__find(const struct intern *in, const void *item);
void *intern__at(const struct intern *in, u32 id);
/* Number of records, the zero record included. */
u32 intern__len(const struct intern *in);

#endif

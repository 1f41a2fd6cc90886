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
 * 1, in order of arrival; id 0 means none, and its record is all zero. Padding in records must be
 * zeroed. The key may be a prefix of the record: bytes after `key_sz` belong to the caller and are
 * not compared.
 */
struct intern {
	struct vec items; /* [0] is the zero record */
	size_t key_sz;
	struct intern_slot *slots;
	u32 slots_len; /* power of two, or 0 */
};

int intern__init(struct intern *in, size_t item_sz, size_t key_sz);
void intern__done(struct intern *in);
/* The id of the record equal to `item`, which is added if missing. -ENOMEM or 0. */
int intern__add(struct intern *in, const void *item, u32 *ret_id);
/* Bytes that adding `n` records would allocate; 0 if there is room. */
u64 intern__growth(const struct intern *in, u32 n);
/* Makes room for `n` more records, so that adding them allocates nothing. -ENOMEM or 0. */
int intern__reserve(struct intern *in, u32 n);
/* The id, or 0 when there is none. Only the first key_sz bytes of `item` are read. */
u32 intern__find(const struct intern *in, const void *item);
/*
 * Keeps the records for which `keep` is true, in their order, with new ids without gaps. Of the
 * others the caller has released what they own by then. The memory stays.
 */
void intern__retain(struct intern *in, bool (*keep)(void *arg, void *item), void *arg);
void *intern__at(const struct intern *in, u32 id);
/* Number of records, including the zero record. */
u32 intern__len(const struct intern *in);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are in one array in order of arrival, which a frozen profile takes over. The hash table
 * holds only ids, with open addressing, and part of each hash: most lookups never touch a record of
 * another key, which would be a cache miss, and growing touches none. Records are removed
 * only by building the slots anew, so there are no tombstones. The table grows at three quarters,
 * before the record is added, so that a failure changes nothing.
 */
#include "base/intern.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define FIRST_SLOTS 64

int intern__init(struct intern *in, size_t item_sz, size_t key_sz)
{
	*in = (struct intern){ .key_sz = key_sz };
	vec__init(&in->items, item_sz);
	return vec__push(&in->items) ? 0 : -ENOMEM;
}

void intern__done(struct intern *in)
{
	if (!in)
		return;
	vec__done(&in->items);
	mem_free(in->slots);
	in->slots = NULL;
	in->slots_len = 0;
}

static u32 hash_of(const struct intern *in, const void *key)
{
	return (u32)hash_bytes(key, in->key_sz);
}

/* The slot that holds the key, or the empty one where it belongs; slots_len is not 0. */
static struct intern_slot *slot_of(const struct intern *in, const void *key, u32 hash)
{
	u32 mask = in->slots_len - 1, s = hash & mask;

	while (in->slots[s].id && (in->slots[s].hash != hash ||
				   memcmp(intern__at(in, in->slots[s].id), key, in->key_sz) != 0))
		s = (s + 1) & mask;
	return &in->slots[s];
}

/* The slot for an entry of the smaller table. */
static struct intern_slot *free_slot(const struct intern *in, u32 hash)
{
	u32 mask = in->slots_len - 1, s = hash & mask;

	while (in->slots[s].id)
		s = (s + 1) & mask;
	return &in->slots[s];
}

/* Number of slots for `len` records. */
static u32 slots_for(const struct intern *in, size_t len)
{
	u32 slots = in->slots_len;

	while (len > slots / 4 * 3 && slots <= UINT32_MAX / 2)
		slots = slots ? slots * 2 : FIRST_SLOTS;
	return slots;
}

/* To `len` slots, more than before. */
static int grow(struct intern *in, u32 len)
{
	struct intern_slot *slots, *old = in->slots;
	u32 old_len = in->slots_len;

	slots = mem_array(len, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	in->slots = slots;
	in->slots_len = len;
	for (u32 i = 0; i < old_len; i++)
		if (old[i].id)
			*free_slot(in, old[i].hash) = old[i];
	mem_free(old);
	return 0;
}

/* At least enough slots for `len` records. */
static int grow_for(struct intern *in, size_t len)
{
	u32 slots = slots_for(in, len);

	if (len > slots / 4 * 3)
		return -ENOMEM;
	return slots > in->slots_len ? grow(in, slots) : 0;
}

u64 intern__growth(const struct intern *in, u32 n)
{
	u32 slots = slots_for(in, in->items.len + n);

	return vec__growth(&in->items, n) +
	       (slots > in->slots_len ? (u64)slots * sizeof(*in->slots) : 0);
}

int intern__reserve(struct intern *in, u32 n)
{
	return vec__reserve(&in->items, n) ? grow_for(in, in->items.len + n) : -ENOMEM;
}

int intern__add(struct intern *in, const void *item, u32 *ret_id)
{
	u32 hash = hash_of(in, item);
	struct intern_slot *slot = in->slots_len ? slot_of(in, item, hash) : NULL;
	void *copy;
	int r;

	*ret_id = slot ? slot->id : 0;
	if (*ret_id)
		return 0;
	if (in->items.len >= UINT32_MAX)
		return -ENOMEM;
	if (in->items.len >= in->slots_len / 4 * 3) {
		r = grow_for(in, in->items.len + 1);
		if (r)
			return r;
		slot = free_slot(in, hash);
	}
	copy = vec__push(&in->items);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, item, in->items.elem_sz);
	*slot = (struct intern_slot){ .id = (u32)in->items.len - 1, .hash = hash };
	*ret_id = slot->id;
	return 0;
}

u32 intern__find(const struct intern *in, const void *item)
{
	return in->slots_len ? slot_of(in, item, hash_of(in, item))->id : 0;
}

void intern__retain(struct intern *in, bool (*keep)(void *arg, void *item), void *arg)
{
	size_t len = in->items.len, n = 1;

	if (in->slots)
		memset(in->slots, 0, in->slots_len * sizeof(*in->slots));
	for (size_t i = 1; i < len; i++) {
		void *item = vec__at(&in->items, i), *to = vec__at(&in->items, n);
		u32 hash = hash_of(in, item);

		if (!keep(arg, item))
			continue;
		memmove(to, item, in->items.elem_sz);
		*free_slot(in, hash) = (struct intern_slot){ .id = (u32)n++, .hash = hash };
	}
	in->items.len = n;
}

void *intern__at(const struct intern *in, u32 id)
{
	return vec__at(&in->items, id);
}

u32 intern__len(const struct intern *in)
{
	return (u32)in->items.len;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing, at most three quarters full. Every u64 is a valid key (an
 * address, an inode, a hash), so each slot has a separate field that says whether it is used.
 * Nothing is removed: the tables live for one pass.
 */
#include "base/map64.h"

#include <errno.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/mem.h"

#define FIRST_SLOTS 64

struct map64_slot {
	u64 key;
	u64 value;
	bool used;
};

void map64__init(struct map64 *m)
{
	*m = (struct map64){ 0 };
}

void map64__done(struct map64 *m)
{
	if (!m)
		return;
	mem_free(m->slots);
	map64__init(m);
}

/* The slot that holds the key, or the free one where it belongs; slots_len is not 0. */
static struct map64_slot *slot_of(const struct map64 *m, u64 key)
{
	size_t mask = m->slots_len - 1;
	size_t s = hash_u64(key) & mask;

	while (m->slots[s].used && m->slots[s].key != key)
		s = (s + 1) & mask;
	return &m->slots[s];
}

static int grow(struct map64 *m)
{
	struct map64 bigger = { .len = m->len };
	size_t i;

	if (m->slots_len > SIZE_MAX / 2)
		return -ENOMEM;
	bigger.slots_len = m->slots_len ? m->slots_len * 2 : FIRST_SLOTS;
	bigger.slots = mem_array(bigger.slots_len, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (i = 0; i < m->slots_len; i++) {
		if (m->slots[i].used)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	}
	mem_free(m->slots);
	*m = bigger;
	return 0;
}

int map64__set(struct map64 *m, u64 key, u64 value)
{
	struct map64_slot *slot = m->slots_len ? slot_of(m, key) : NULL;
	int r;

	if (slot && slot->used) {
		slot->value = value;
		return 0;
	}
	if (m->len >= m->slots_len / 4 * 3) {
		r = grow(m);
		if (r)
			return r;
		slot = slot_of(m, key);
	}
	*slot = (struct map64_slot){ .key = key, .value = value, .used = true };
	m->len++;
	return 0;
}

bool map64__get(const struct map64 *m, u64 key, u64 *ret_value)
{
	const struct map64_slot *slot;

	if (!m->slots_len)
		return false;
	slot = slot_of(m, key);
	if (!slot->used)
		return false;
	*ret_value = slot->value;
	return true;
}

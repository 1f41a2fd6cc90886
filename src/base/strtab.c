/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All bytes are in one array, with a NUL after each string, and one offset per id. A string costs
 * its bytes plus nine, and the whole table moves to another owner as three pointers. The next
 * offset shows where a string ends, so lengths are not stored.
 */
#include "base/strtab.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define FIRST_SLOTS 64

int strtab__init(struct strtab *st)
{
	*st = (struct strtab){ 0 };
	vec__init(&st->bytes, 1);
	vec__init(&st->offs, sizeof(u32));
	/* the empty string: one zero byte at offset 0 */
	return vec__push(&st->bytes) && vec__push(&st->offs) ? 0 : -ENOMEM;
}

void strtab__done(struct strtab *st)
{
	if (!st)
		return;
	vec__done(&st->bytes);
	vec__done(&st->offs);
	mem_free(st->slots);
	st->slots = NULL;
	st->slots_len = 0;
}

static u32 off_of(const struct strtab *st, u32 id)
{
	return *(const u32 *)vec__at(&st->offs, id);
}

static size_t len_of(const struct strtab *st, u32 id)
{
	size_t next = id + 1 < st->offs.len ? off_of(st, id + 1) : st->bytes.len;

	return next - off_of(st, id) - 1;
}

/* The slot that holds the string, or the empty one where it belongs; slots_len is not 0. */
static u32 slot_of(const struct strtab *st, const char *s, size_t len)
{
	u32 mask = st->slots_len - 1;
	u32 slot = (u32)hash_bytes(s, len) & mask;
	u32 id;

	while ((id = st->slots[slot]) != 0) {
		if (len_of(st, id) == len && memcmp(strtab__get(st, id), s, len) == 0)
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

static int grow(struct strtab *st)
{
	u32 old_len = st->slots_len, len = old_len ? old_len * 2 : FIRST_SLOTS;
	u32 *slots, *old = st->slots;
	u32 id;

	if (len < old_len)
		return -ENOMEM;
	slots = mem_array(len, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	st->slots = slots;
	st->slots_len = len;
	for (id = 1; id < st->offs.len; id++)
		st->slots[slot_of(st, strtab__get(st, id), len_of(st, id))] = id;
	mem_free(old);
	return 0;
}

/* Appends the bytes and the offset of a new string; changes nothing on failure. */
static int append(struct strtab *st, const char *s, size_t len)
{
	size_t off = st->bytes.len;
	const char *base = st->bytes.data;
	/* `s` may be in this table and move with it, for example the tail of a path */
	size_t inside = s >= base && s < base + off ? (size_t)(s - base) : SIZE_MAX;
	char *copy;
	u32 *slot;

	if (st->offs.len >= UINT32_MAX || len >= UINT32_MAX - off)
		return -ENOMEM;
	copy = vec__push_n(&st->bytes, len + 1);
	if (!copy)
		return -ENOMEM;
	slot = vec__push(&st->offs);
	if (!slot) {
		st->bytes.len = off;
		return -ENOMEM;
	}
	memcpy(copy, inside == SIZE_MAX ? s : (const char *)st->bytes.data + inside, len);
	*slot = (u32)off;
	return 0;
}

int strtab__add(struct strtab *st, const char *s, u32 *ret_id)
{
	return strtab__add_len(st, s, strlen(s), ret_id);
}

int strtab__add_len(struct strtab *st, const char *s, size_t len, u32 *ret_id)
{
	u32 slot = 0, id;
	int r;

	*ret_id = 0;
	len = len ? strnlen(s, len) : 0;
	if (!len)
		return 0;
	if (st->slots_len) {
		slot = slot_of(st, s, len);
		*ret_id = st->slots[slot];
		if (*ret_id)
			return 0;
	}
	if (st->offs.len >= st->slots_len / 4 * 3) {
		r = grow(st);
		if (r)
			return r;
		slot = slot_of(st, s, len);
	}
	id = (u32)st->offs.len;
	r = append(st, s, len);
	if (r)
		return r;
	st->slots[slot] = id;
	*ret_id = id;
	return 0;
}

const char *strtab__get(const struct strtab *st, u32 id)
{
	if (id >= st->offs.len)
		return "";
	return (const char *)st->bytes.data + off_of(st, id);
}

u32 strtab__len(const struct strtab *st)
{
	return (u32)st->offs.len;
}

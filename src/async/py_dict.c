/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries are read in the order in which they were added, without the hash table in front of them:
 * the dicts of modules have some hundreds, and each is searched once. A dict changes while it is
 * read; what comes of that is checked by whoever uses the value.
 */
#include "async/py_dict.h"

#include "async/py_types.h"

/* PyDictObject. */
#define DICT_KEYS 32
#define DICT_VALUES 40
#define DICT_SZ 48
/* PyDictKeysObject to 3.10, and from 3.11 on. */
#define OLD_SIZE 8
#define OLD_ENTRIES 32
#define OLD_INDICES 40
#define NEW_LOG_INDICES 9
#define NEW_KIND 10
#define NEW_ENTRIES 24
#define NEW_INDICES 32
#define KEYS_SZ 40
#define ENTRY_SZ 24 /* hash, key, value */
#define ENTRY_UNICODE_SZ 16 /* key, value */
#define ENTRIES_MAX (1U << 16)
#define LOG_INDICES_MAX 24
#define KEY_SZ 96 /* of a string with its head */
#define BATCH TASK_MEMORY_PIECES
#define STATE_COMPACT_ASCII 0x60

struct table {
	u64 entries; /* address */
	u64 len;
	u64 values; /* of a split one; 0: they are in the entries */
	u32 sz; /* of an entry */
	u32 key; /* offset in it */
};

/* Bytes of indices before the entries, to 3.10: dk_size decides how wide they are. */
static u64 old_indices(u64 size)
{
	return size <= 0xff ? size : size <= 0xffff ? 2 * size : 4 * size;
}

static bool find_table(struct task_memory *mem, const struct cs_python *layout, u64 dict,
		       struct table *ret)
{
	u8 head[DICT_SZ], keys[KEYS_SZ];
	u64 at;

	if (!task_memory__read(mem, dict, head, sizeof(head)))
		return false;
	at = py_word(head, DICT_KEYS);
	if (!task_memory__read(mem, at, keys, sizeof(keys)))
		return false;
	*ret = (struct table){ .values = py_word(head, DICT_VALUES), .sz = ENTRY_SZ, .key = 8 };
	if (layout->version < (3U << 8 | 11)) {
		ret->entries = at + OLD_INDICES + old_indices(py_word(keys, OLD_SIZE));
		ret->len = py_word(keys, OLD_ENTRIES);
		return ret->len <= ENTRIES_MAX;
	}
	if (keys[NEW_LOG_INDICES] > LOG_INDICES_MAX)
		return false;
	ret->entries = at + NEW_INDICES + (1ULL << keys[NEW_LOG_INDICES]);
	ret->len = py_word(keys, NEW_ENTRIES);
	if (keys[NEW_KIND]) {
		ret->sz = ENTRY_UNICODE_SZ;
		ret->key = 0;
	}
	/* PyDictValues has four bytes before the values since 3.13 */
	if (ret->values && layout->version >= (3U << 8 | 13))
		ret->values += 8;
	return ret->len <= ENTRIES_MAX;
}

static bool is_key(const struct cs_python *layout, const u8 bytes[KEY_SZ], const char *key)
{
	size_t len = strlen(key);

	return py_word(bytes, layout->str_len) == len &&
	       (py_word(bytes, layout->str_state) & STATE_COMPACT_ASCII) == STATE_COMPACT_ASCII &&
	       layout->str_ascii + len <= KEY_SZ &&
	       memcmp(bytes + layout->str_ascii, key, len) == 0;
}

/* The index of the key among `n` entries; `n`: it is not there. */
static size_t find_key(struct task_memory *mem, const struct cs_python *layout,
		       const struct table *t, const u8 *entries, size_t n, const char *key)
{
	size_t sz = layout->str_ascii + strlen(key);
	struct task_piece pieces[BATCH];
	u8 keys[BATCH][KEY_SZ];

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct task_piece){ py_word(entries + i * t->sz, t->key), keys[i], sz,
						 false };
	task_memory__read_pieces(mem, pieces, n);
	for (size_t i = 0; i < n; i++) {
		if (pieces[i].ok && is_key(layout, keys[i], key))
			return i;
	}
	return n;
}

static bool value_at(struct task_memory *mem, const struct table *t, const u8 *entries, u64 first,
		     size_t i, u64 *ret)
{
	*ret = py_word(entries + i * t->sz, t->key + 8);
	if (t->values &&
	    !task_memory__read(mem, t->values + (first + i) * sizeof(u64), ret, sizeof(*ret)))
		return false;
	return *ret != 0;
}

bool py_dict__get(struct task_memory *mem, const struct cs_python *layout, u64 dict,
		  const char *key, u64 *ret)
{
	u8 entries[BATCH * ENTRY_SZ];
	struct table t;

	if (layout->str_ascii + strlen(key) > KEY_SZ || layout->str_len + 8 > KEY_SZ ||
	    layout->str_state + 8 > KEY_SZ || !find_table(mem, layout, dict, &t))
		return false;
	for (u64 first = 0; first < t.len; first += BATCH) {
		size_t n = t.len - first < BATCH ? t.len - first : BATCH, i;

		if (!task_memory__read(mem, t.entries + first * t.sz, entries, n * t.sz))
			return false;
		i = find_key(mem, layout, &t, entries, n, key);
		if (i < n)
			return value_at(mem, &t, entries, first, i, ret);
	}
	return false;
}

size_t py_dict__values(struct task_memory *mem, const struct cs_python *layout, u64 dict, u64 *ret,
		       size_t max)
{
	u8 entries[BATCH * ENTRY_SZ];
	struct table t;
	size_t len = 0;

	if (!find_table(mem, layout, dict, &t) || t.values)
		return 0;
	for (u64 first = 0; first < t.len && len < max; first += BATCH) {
		size_t n = t.len - first < BATCH ? t.len - first : BATCH;

		if (!task_memory__read(mem, t.entries + first * t.sz, entries, n * t.sz))
			return len;
		for (size_t i = 0; i < n && len < max; i++) {
			ret[len] = py_word(entries + i * t.sz, t.key + 8);
			len += py_plausible(ret[len]);
		}
	}
	return len;
}

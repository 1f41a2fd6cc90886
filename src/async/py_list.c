/* SPDX-License-Identifier: Apache-2.0 */
#include "async/py_list.h"

#include <errno.h>

/* PySetObject, and its entries: an object and its hash. */
#define SET_MASK 32
#define SET_TABLE 40
#define SET_SZ 48
#define ENTRY_WORDS 2
#define HASH_DUMMY (~0ULL) /* an element was there and was removed */
#define BATCH 2048

static int failure(const struct task_memory *mem)
{
	return mem->denied ? -EACCES : -ESRCH;
}

static int take(struct vec *list, const u64 *entries, u64 n, u64 tag)
{
	for (u64 i = 0; i < n; i++) {
		u64 obj = entries[i * ENTRY_WORDS], *slot;

		if (!py_plausible(obj) || entries[i * ENTRY_WORDS + 1] == HASH_DUMMY)
			continue;
		slot = vec__push(list);
		if (!slot)
			return -ENOMEM;
		*slot = obj | tag;
	}
	return 0;
}

static int read_set(u64 set, struct py_types *types, struct task_memory *mem, u64 tag,
		    struct vec *list)
{
	u64 entries[BATCH * ENTRY_WORDS], len, table;
	u8 head[SET_SZ];
	int r = 0;

	if (!task_memory__read(mem, set, head, sizeof(head)) ||
	    py_types__kind(types, mem, py_word(head, PY_OB_TYPE)) != PY_SET)
		return failure(mem);
	len = py_word(head, SET_MASK) + 1;
	table = py_word(head, SET_TABLE);
	if (!len || len > PY_LIST_MAX)
		return -ESRCH;
	for (u64 at = 0; !r && at < len; at += BATCH) {
		u64 n = len - at < BATCH ? len - at : BATCH;
		size_t sz = n * ENTRY_WORDS * sizeof(u64);

		/* a set that grows meanwhile has another table */
		if (!task_memory__read(mem, table + at * ENTRY_WORDS * sizeof(u64), entries, sz))
			return failure(mem);
		r = take(list, entries, n, tag);
	}
	return r;
}

int py_list__read(const struct py_layout *l, struct py_types *types, struct task_memory *mem,
		  struct vec *list)
{
	int r = read_set(l->scheduled, types, mem, 0, list);

	if (!r && l->eager)
		r = read_set(l->eager, types, mem, PY_LIST_DIRECT, list);
	return r;
}

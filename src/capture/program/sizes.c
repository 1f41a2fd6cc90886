/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel's own account of a table (memlock in fdinfo) counts existing entries by their nominal
 * size. A limit must cover entries that may come, and their real size: an entry of a hash table
 * that is not preallocated is rounded up to one of the allocator's sizes, so one of 1080 bytes
 * takes 2048. That is why stacks have tables of several lengths, which fit those sizes.
 */
#include "capture/program/sizes.h"

#include <errno.h>

#include "base/text/units.h"

/* struct htab_elem, before the key; kernel/bpf/hashtab.c. */
#define HASH_ELEM_SZ 48
/* struct llist_node, before an element that is not preallocated; kernel/bpf/memalloc.c. */
#define LIST_NODE_SZ 8
#define BUCKET_SZ 16
#define MAP_SZ 1024
/* struct bpf_local_storage_elem, before the value, and struct bpf_local_storage; 5.15 to 6.18. */
#define STORAGE_ELEM_SZ 72
#define STORAGE_SZ 176
/* kernel/bpf/ringbuf.c: three pages, and two pointers for each page of data. */
#define RING_HEAD_SZ (3 * 4096)
#define PAGE_SZ 4096
/* A smaller table is useless. */
#define ENTRIES_MIN 64

/*
 * Shares of the stack tables, short ones first. By default the second one has room for 60,000
 * stacks, which covers most programs; short ones that do not fit into the first go there too.
 */
static const u32 stack_shares[SIZES_STACKS] = { 22, 53, 25 };
#define STACKS_PERCENT 60

static u64 pow2_above(u64 n)
{
	u64 p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

static u64 round8(u64 n)
{
	return (n + 7) & ~7ULL;
}

/* What kmalloc() allocates for n bytes: powers of two, and 96 and 192. */
static u64 slab_sz(u64 n)
{
	if (n > 64 && n <= 96)
		return 96;
	return n > 128 && n <= 192 ? 192 : pow2_above(n < 8 ? 8 : n);
}

/* One thread's entry, including its list head, which is ours if no other program has one. */
static u64 storage_sz(const struct table_shape *shape)
{
	return slab_sz(STORAGE_ELEM_SZ + round8(shape->value_sz) + LIST_NODE_SZ) +
	       slab_sz(STORAGE_SZ + LIST_NODE_SZ);
}

/* By the kernel's count. */
static u64 elem_sz(const struct table_shape *shape)
{
	u64 sz = HASH_ELEM_SZ + round8(shape->key_sz) + round8(shape->value_sz);

	return shape->kind == TABLE_HASH ? sz + LIST_NODE_SZ : sz;
}

u64 table_shape__bytes(const struct table_shape *shape, u64 entries)
{
	u64 elem = elem_sz(shape);

	switch (shape->kind) {
	case TABLE_HASH:
		return MAP_SZ + pow2_above(entries) * BUCKET_SZ + entries * slab_sz(elem);
	case TABLE_HASH_FULL:
	case TABLE_LRU:
		return MAP_SZ + pow2_above(entries) * BUCKET_SZ + entries * elem;
	case TABLE_ARRAY:
		return MAP_SZ + entries * round8(shape->value_sz);
	case TABLE_PER_CPU:
		return MAP_SZ + entries * (round8(shape->value_sz) * shape->cpus + sizeof(void *));
	case TABLE_RING:
		return MAP_SZ + RING_HEAD_SZ + entries + entries / PAGE_SZ * 2 * sizeof(void *);
	case TABLE_STORAGE:
		return MAP_SZ + entries * storage_sz(shape);
	}
	return 0;
}

u64 table_shape__entries(const struct table_shape *shape, u64 bytes)
{
	u64 lo = 0, hi = bytes / 8 + 1;

	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (table_shape__bytes(shape, mid) <= bytes)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

u64 table_shape__used_bytes(const struct table_shape *shape, u64 entries, u64 counted)
{
	u64 elem = elem_sz(shape), empty = pow2_above(entries) * BUCKET_SZ, n;

	if (shape->kind != TABLE_HASH || counted <= empty)
		return counted;
	n = (counted - empty) / elem;
	return counted + (n < entries ? n : entries) * (slab_sz(elem) - elem);
}

static u32 entries_within(const struct table_shape *shape, u64 wanted, u64 bytes)
{
	u64 n = wanted ? wanted : table_shape__entries(shape, bytes);

	return n > ~0U ? ~0U : (u32)n;
}

/* An explicit number is for all three tables: a third each, and the longest get the rest. */
static u32 stacks_by_hand(u64 all, u32 idx)
{
	u64 third = all < SIZES_STACKS ? 1 : all / SIZES_STACKS;

	return (u32)(idx < SIZES_STACKS - 1 || all < SIZES_STACKS ? third : all - 2 * third);
}

static u64 stacks_bytes(const struct sizes *s, const struct sizes_wish *wish)
{
	u64 sum = 0;

	for (u32 i = 0; i < SIZES_STACKS; i++)
		sum += table_shape__bytes(&wish->stacks[i], s->stacks[i]);
	return sum;
}

/* The useful minimum, for the message. */
static u64 least_bytes(const struct sizes_wish *wish)
{
	struct sizes least = { .waits = wish->max_waits ? (u32)wish->max_waits : ENTRIES_MIN };

	for (u32 i = 0; i < SIZES_STACKS; i++)
		least.stacks[i] = wish->max_stacks ? stacks_by_hand(wish->max_stacks, i) :
						     ENTRIES_MIN;
	/* A tiny share is rounded down to it: twice that is enough for all. */
	return wish->fixed +
	       4 * (table_shape__bytes(&wish->waits, least.waits) + stacks_bytes(&least, wish));
}

static int too_small(const struct sizes_wish *wish, struct err *err)
{
	char limit[32], least[32];

	units_format_bytes(wish->limit + wish->apart, limit, sizeof(limit));
	units_format_bytes(least_bytes(wish) + wish->apart, least, sizeof(least));
	return err__set(err, -ENOSPC,
			"%s of kernel memory is too little, about %s is needed: raise "
			"--max-memory, or lower --ring-size, --table-memory, --max-waits or "
			"--max-stacks",
			limit, least);
}

int sizes__divide(struct sizes *s, const struct sizes_wish *wish, struct err *err)
{
	u64 left = wish->limit > wish->fixed ? wish->limit - wish->fixed : 0, for_stacks;
	bool useful = true;

	*s = (struct sizes){ 0 };
	/* Explicit numbers come first. */
	if (wish->max_waits) {
		u64 waits = table_shape__bytes(&wish->waits, wish->max_waits);

		for_stacks = left > waits ? left - waits : 0;
	} else {
		for_stacks = left / 100 * STACKS_PERCENT;
	}
	for (u32 i = 0; i < SIZES_STACKS; i++) {
		u32 by_hand = wish->max_stacks ? stacks_by_hand(wish->max_stacks, i) : 0;

		s->stacks[i] = entries_within(&wish->stacks[i], by_hand,
					      for_stacks / 100 * stack_shares[i]);
		useful &= wish->max_stacks || s->stacks[i] >= ENTRIES_MIN;
	}
	for_stacks = stacks_bytes(s, wish);
	s->waits = entries_within(&wish->waits, wish->max_waits,
				  left > for_stacks ? left - for_stacks : 0);
	useful &= wish->max_waits || s->waits >= ENTRIES_MIN;
	s->bytes = wish->fixed + for_stacks + table_shape__bytes(&wish->waits, s->waits);
	return useful && s->bytes <= wish->limit ? 0 : too_small(wish, err);
}

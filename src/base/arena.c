/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of blocks, filled from the front. A large object gets its own block behind the first one,
 * so that the rest of the first block is not wasted. Blocks are zeroed on allocation and never
 * reused, so objects need no clearing.
 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define ALIGN 16
#define BLOCK_SZ 65536
/* Larger objects have their own block; at most this much of a block is ever wasted. */
#define LARGE_SZ (BLOCK_SZ / 8)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t cap;
	_Alignas(ALIGN) char data[];
};

void arena__init(struct arena *a)
{
	a->head = NULL;
}

void arena__done(struct arena *a)
{
	struct arena_block *b, *next;

	if (!a)
		return;
	for (b = a->head; b; b = next) {
		next = b->next;
		mem_free(b);
	}
	a->head = NULL;
}

static struct arena_block *new_block(size_t cap)
{
	struct arena_block *b;
	size_t sz;

	if (__builtin_add_overflow(cap, sizeof(*b), &sz))
		return NULL;
	b = mem_alloc(sz);
	if (b)
		b->cap = cap;
	return b;
}

static void *alloc_large(struct arena *a, size_t sz)
{
	struct arena_block *b = new_block(sz);

	if (!b)
		return NULL;
	b->used = sz;
	if (a->head) {
		b->next = a->head->next;
		a->head->next = b;
	} else {
		a->head = b;
	}
	return b->data;
}

void *arena__alloc(struct arena *a, size_t sz)
{
	struct arena_block *b = a->head;
	void *p;

	if (sz > SIZE_MAX - ALIGN)
		return NULL;
	/* at least one byte, so that two objects never share an address */
	sz = sz ? (sz + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	if (!b || sz > b->cap - b->used) {
		if (sz > LARGE_SZ)
			return alloc_large(a, sz);
		b = new_block(BLOCK_SZ);
		if (!b)
			return NULL;
		b->next = a->head;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += sz;
	return p;
}

void *arena__array(struct arena *a, size_t n, size_t elem_sz)
{
	size_t sz;

	if (__builtin_mul_overflow(n, elem_sz, &sz))
		return NULL;
	return arena__alloc(a, sz);
}

char *arena__strdup(struct arena *a, const char *s)
{
	size_t sz = strlen(s) + 1;
	char *copy = arena__alloc(a, sz);

	if (copy)
		memcpy(copy, s, sz);
	return copy;
}

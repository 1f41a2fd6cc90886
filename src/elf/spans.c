/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlaps are resolved once, when the table is built, so that a lookup is a single binary search.
 * The sweep visits the ranges by their start and keeps the open ones in a heap with the highest
 * rank on top:
 *
 *	in     |---- a (rank 1) ----|      |- c -|
 *	            |-- b (rank 2) --|
 *	out    | a  |       b        |      |- c -|
 *
 * A piece ends where the range on top ends or the next range begins. Each step opens or closes a
 * range, so n ranges make at most 2n pieces in n log n time, even if they are hostile.
 */
#include "elf/spans.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define NAMES_MAX_SZ (256UL << 20)

struct piece {
	u64 start;
	u32 len;
	u32 back; /* how far before the piece the range began */
	u32 name;
};

int spans__init(struct spans *s)
{
	vec__init(&s->pieces, sizeof(struct piece));
	vec__init(&s->names, 1);
	return vec__push(&s->names) ? 0 : -ENOMEM;
}

void spans__done(struct spans *s)
{
	if (!s)
		return;
	vec__done(&s->pieces);
	vec__done(&s->names);
}

int spans__name(struct spans *s, const char *name, size_t len, u32 *ret_off)
{
	size_t off = s->names.len;
	char *copy;

	if (len >= NAMES_MAX_SZ - off)
		return -E2BIG;
	copy = vec__push_n(&s->names, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name, len);
	*ret_off = (u32)off;
	return 0;
}

const char *spans__name_at(const struct spans *s, u32 off)
{
	return vec__at(&s->names, off);
}

/* A heap of open ranges; pointers into the input. */
struct heap {
	struct vec items;
};

static const struct span **heap_at(struct heap *h, size_t idx)
{
	return vec__at(&h->items, idx);
}

static void heap_swap(struct heap *h, size_t a, size_t b)
{
	const struct span *t = *heap_at(h, a);

	*heap_at(h, a) = *heap_at(h, b);
	*heap_at(h, b) = t;
}

static const struct span *heap_top(struct heap *h)
{
	return h->items.len ? *heap_at(h, 0) : NULL;
}

static int heap_push(struct heap *h, const struct span *range)
{
	size_t i = h->items.len;
	const struct span **item = vec__push(&h->items);

	if (!item)
		return -ENOMEM;
	*item = range;
	for (; i && (*heap_at(h, (i - 1) / 2))->rank < range->rank; i = (i - 1) / 2)
		heap_swap(h, i, (i - 1) / 2);
	return 0;
}

static void heap_pop(struct heap *h)
{
	size_t i = 0, child;

	heap_swap(h, 0, --h->items.len);
	for (; (child = 2 * i + 1) < h->items.len; i = child) {
		if (child + 1 < h->items.len &&
		    (*heap_at(h, child))->rank < (*heap_at(h, child + 1))->rank)
			child++;
		if ((*heap_at(h, i))->rank >= (*heap_at(h, child))->rank)
			break;
		heap_swap(h, i, child);
	}
}

static int add_piece(struct spans *s, const struct span *range, u64 start, u64 end)
{
	struct piece *p;

	if (start - range->start > UINT32_MAX)
		return 0;
	if (end - start > UINT32_MAX)
		end = start + UINT32_MAX;
	p = vec__push(&s->pieces);
	if (!p)
		return -ENOMEM;
	p->start = start;
	p->len = (u32)(end - start);
	p->back = (u32)(start - range->start);
	p->name = range->name;
	return 0;
}

/* Makes pieces of the open ranges in [at, until). */
static int sweep(struct spans *s, struct heap *open, u64 at, u64 until)
{
	const struct span *top;

	while (at < until && (top = heap_top(open))) {
		u64 end = top->end < until ? top->end : until;

		if (at < end) {
			int r = add_piece(s, top, at, end);

			if (r)
				return r;
			at = end;
		}
		if (top->end <= at)
			heap_pop(open);
	}
	return 0;
}

int spans__build(struct spans *s, const struct span *ranges, size_t len)
{
	struct heap open;
	size_t i;
	int r = 0;

	vec__reset(&s->pieces);
	vec__init(&open.items, sizeof(const struct span *));
	for (i = 0; i < len && !r; i++) {
		if (ranges[i].start < ranges[i].end)
			r = heap_push(&open, &ranges[i]);
		if (!r)
			r = sweep(s, &open, ranges[i].start,
				  i + 1 < len ? ranges[i + 1].start : UINT64_MAX);
	}
	vec__done(&open.items);
	return r;
}

bool spans__find_id(const struct spans *s, u64 addr, u32 *ret_name, u64 *ret_start)
{
	const struct piece *pieces = s->pieces.data, *p;
	size_t lo = 0, hi = s->pieces.len;

	/* the first piece that begins above addr */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pieces[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	p = &pieces[lo - 1];
	if (addr - p->start >= p->len)
		return false;
	*ret_name = p->name;
	*ret_start = p->start - p->back;
	return true;
}

bool spans__find(const struct spans *s, u64 addr, const char **ret_name, u64 *ret_start)
{
	u32 name;

	if (!spans__find_id(s, addr, &name, ret_start))
		return false;
	*ret_name = spans__name_at(s, name);
	return true;
}

size_t spans__len(const struct spans *s)
{
	return s->pieces.len;
}

u32 spans__id_at(const struct spans *s, size_t idx)
{
	const struct piece *pieces = s->pieces.data;

	return pieces[idx].name;
}

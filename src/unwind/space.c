/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses are linear and a hole may span many segments, so that a long index fits wherever there
 * is room, not only within one segment. The list of holes is short: tables come in a few large
 * pieces and are freed whole. It begins as one hole, the whole budget. First fit keeps allocations
 * at the low end, so that few segments are created.
 */
#include "unwind/space.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

int space__init(struct space *s, u64 budget, space_segment_fn segment, void *arg)
{
	const u64 most = (u64)CS_SEGMENTS_MAX * CS_SEGMENT_SZ;
	struct space_extent *hole;

	*s = (struct space){ .segment = segment, .arg = arg };
	vec__init(&s->holes, sizeof(struct space_extent));
	s->budget = (budget < most ? budget : most) & ~7ULL;
	s->segments_len = (u32)((s->budget + CS_SEGMENT_SZ - 1) >> CS_SEGMENT_BITS);
	s->segments = mem_array(s->segments_len, sizeof(*s->segments));
	hole = vec__push(&s->holes);
	if (!s->segments || !hole) {
		space__done(s);
		return -ENOMEM;
	}
	hole->sz = (u32)s->budget;
	return 0;
}

void space__done(struct space *s)
{
	if (!s)
		return;
	mem_free(s->segments);
	s->segments = NULL;
	vec__done(&s->holes);
}

/* Creates the segments of [addr, addr + sz). */
static int make_segments(struct space *s, u32 addr, u32 sz)
{
	u32 i;

	for (i = addr >> CS_SEGMENT_BITS; i <= (addr + (sz - 1)) >> CS_SEGMENT_BITS; i++) {
		if (s->segments[i])
			continue;
		s->segments[i] = s->segment(s->arg, i);
		if (!s->segments[i])
			return -ENOMEM;
		s->segments_made++;
	}
	return 0;
}

/* Where in a hole `sz` bytes fit; false if they do not. */
static bool fit(const struct space_extent *hole, u32 sz, bool whole, u32 *ret_addr)
{
	u32 addr = hole->addr, skip = 0;
	u32 left = CS_SEGMENT_SZ - (addr & (CS_SEGMENT_SZ - 1));

	if (whole && sz > left)
		skip = left;
	if (hole->sz < skip || hole->sz - skip < sz)
		return false;
	*ret_addr = addr + skip;
	return true;
}

static void remove_hole(struct space *s, size_t idx)
{
	struct space_extent *h = s->holes.data;

	memmove(h + idx, h + idx + 1, (s->holes.len - idx - 1) * sizeof(*h));
	s->holes.len--;
}

static int insert_hole(struct space *s, size_t idx, struct space_extent hole)
{
	struct space_extent *h;

	if (!vec__push(&s->holes))
		return -ENOMEM;
	h = s->holes.data;
	memmove(h + idx + 1, h + idx, (s->holes.len - idx - 1) * sizeof(*h));
	h[idx] = hole;
	return 0;
}

/* Removes [addr, addr + sz) from hole `idx`, which contains it. */
static int cut(struct space *s, size_t idx, u32 addr, u32 sz)
{
	struct space_extent *hole = vec__at(&s->holes, idx);
	struct space_extent front = { .addr = hole->addr, .sz = addr - hole->addr };
	u32 back = hole->sz - front.sz - sz;

	if (front.sz && back) {
		int r = insert_hole(s, idx, front);

		if (r)
			return r;
		hole = vec__at(&s->holes, idx + 1);
	} else if (front.sz) {
		*hole = front;
		return 0;
	} else if (!back) {
		remove_hole(s, idx);
		return 0;
	}
	*hole = (struct space_extent){ .addr = addr + sz, .sz = back };
	return 0;
}

int space__alloc(struct space *s, u32 sz, bool whole, u32 *ret_addr)
{
	const struct space_extent *holes = s->holes.data;
	size_t i;
	u32 addr;
	int r;

	if (!sz || sz % 8 || (whole && sz > CS_SEGMENT_SZ))
		return -EINVAL;
	for (i = 0; i < s->holes.len; i++) {
		if (!fit(&holes[i], sz, whole, &addr))
			continue;
		r = make_segments(s, addr, sz);
		if (!r)
			r = cut(s, i, addr, sz);
		if (r)
			return r;
		s->used += sz;
		*ret_addr = addr;
		return 0;
	}
	return -ENOSPC;
}

int space__free(struct space *s, u32 addr, u32 sz)
{
	struct space_extent *h = s->holes.data;
	struct space_extent hole = { .addr = addr, .sz = sz };
	bool joins_front, joins_back;
	size_t i = 0;

	s->used -= sz;
	while (i < s->holes.len && h[i].addr < addr)
		i++;
	joins_front = i && h[i - 1].addr + h[i - 1].sz == addr;
	joins_back = i < s->holes.len && addr + sz == h[i].addr;
	if (joins_front && joins_back) {
		h[i - 1].sz += sz + h[i].sz;
		remove_hole(s, i);
	} else if (joins_front) {
		h[i - 1].sz += sz;
	} else if (joins_back) {
		h[i].addr = addr;
		h[i].sz += sz;
	} else {
		return insert_hole(s, i, hole);
	}
	return 0;
}

u8 *space__at(const struct space *s, u32 addr)
{
	return s->segments[addr >> CS_SEGMENT_BITS] + (addr & (CS_SEGMENT_SZ - 1));
}

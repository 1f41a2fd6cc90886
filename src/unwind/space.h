/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_SPACE_H
#define UNWIND_SPACE_H

#include "abi/unwind.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * The memory of CS_SEGMENT_SZ bytes, zeroed and writable, for segment `segno`. It is asked for
 * once, when the first byte of the segment is given out, and must live as long as the space. NULL
 * when it cannot be had.
 */
typedef u8 *(*space_segment_fn)(void *arg, u32 segno);

/*
 * Table memory: addresses from 0 up to the budget, as abi/unwind.h has them, given out first fit.
 * Low addresses are used again before a new segment is asked for. Not thread-safe.
 */
struct space {
	space_segment_fn segment;
	void *arg;
	u8 **segments;
	u32 segments_len; /* most that there can be */
	u32 segments_made;
	u64 budget;
	u64 used;
	struct vec holes; /* struct space_extent, sorted, never adjacent */
};

struct space_extent {
	u32 addr;
	u32 sz;
};

/*
 * `budget` in bytes; more than CS_SEGMENTS_MAX segments is cut to that. -ENOMEM or 0; no segment is
 * asked for yet.
 */
int space__init(struct space *s, u64 budget, space_segment_fn segment, void *arg);
/* NULL is fine. The segments themselves belong to who made them. */
void space__done(struct space *s);
/*
 * Addresses for `sz` bytes, a multiple of 8 and aligned to 8. With `whole` they lie in one segment
 * (sz <= CS_SEGMENT_SZ then). -ENOSPC when the budget has no hole of that size; -ENOMEM when a
 * segment cannot be had.
 */
int space__alloc(struct space *s, u32 sz, bool whole, u32 *ret_addr);
/*
 * Gives addresses back; they may be handed out by the very next call, so nobody may read them any
 * more. -ENOMEM (the list of holes cannot grow) loses the addresses, not more.
 */
int space__free(struct space *s, u32 addr, u32 sz);
/* The memory behind an address that was given out, up to the end of its segment. */
u8 *space__at(const struct space *s, u32 addr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_SPACE_H
#define UNWIND_SPACE_H

#include "abi/unwind.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Returns zeroed, writable memory of CS_SEGMENT_SZ bytes for segment `segno`, or NULL if there is
 * none. Called once per segment, when its first byte is allocated. The memory must live as long as
 * the space.
 */
typedef u8 *(*space_segment_fn)(void *arg, u32 segno);

/*
 * Table memory: addresses from 0 up to the budget, as in abi/unwind.h, allocated first fit. Low
 * addresses are reused before a new segment is requested. Not thread-safe.
 */
struct space {
	space_segment_fn segment;
	void *arg;
	u8 **segments;
	u32 segments_len; /* maximum number */
	u32 segments_made;
	u64 budget;
	u64 used;
	struct vec holes; /* struct space_extent, sorted, never adjacent */
};

struct space_extent {
	u32 addr;
	u32 sz;
};

/* `budget` in bytes, capped at CS_SEGMENTS_MAX segments. -ENOMEM or 0; requests no segment yet. */
int space__init(struct space *s, u64 budget, space_segment_fn segment, void *arg);
/* NULL is fine. The segments themselves belong to their creator. */
void space__done(struct space *s);
/*
 * Allocates `sz` bytes, a multiple of 8, aligned to 8. With `whole`, they are in one segment (then
 * sz <= CS_SEGMENT_SZ). -ENOSPC if the budget has no hole of that size; -ENOMEM if no segment could
 * be allocated.
 */
int space__alloc(struct space *s, u32 sz, bool whole, u32 *ret_addr);
/*
 * Frees addresses. The next call may reuse them, so no walk may still read them. -ENOMEM (the list
 * of holes cannot grow) leaks the addresses, nothing else.
 */
int space__free(struct space *s, u32 addr, u32 sz);
/* The memory at an allocated address, up to the end of its segment. */
u8 *space__at(const struct space *s, u32 addr);

#endif

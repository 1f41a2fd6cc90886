/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SELF_MEMORY_H
#define BASE_SELF_MEMORY_H

#include "base/types.h"

/*
 * The memory of this process: its own, not files that it maps. The kernel enforces the limit, so it
 * covers libraries too. Code that can do with less asks before it allocates, so that the limit is
 * not reached.
 */

/*
 * Sets the limit for this process and those it starts later; a lower one stays. 0 or -errno.
 * -ENOSPC: more is already in use, as under a sanitizer, whose shadow memory counts.
 */
int self_memory_limit(u64 bytes);
/* Bytes left below the limit; ~0 if there is no limit. */
u64 self_memory_room(void);
/*
 * Whether a table may grow by `bytes`: at most half of what is left, because later steps need
 * memory too. Asks the kernel, except for 0, which is always allowed.
 */
bool self_memory_allows(u64 bytes);
/* Less than an eighth of the limit is left: code that can do with less should. */
bool self_memory_is_short(void);
/* What is in memory now, with files that are mapped. 0: unknown. */
u64 self_memory_resident(void);

#endif

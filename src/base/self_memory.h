/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SELF_MEMORY_H
#define BASE_SELF_MEMORY_H

#include "base/types.h"

/*
 * The memory of this process: what it holds by itself, not the files that it has mapped. The kernel
 * keeps the limit, so libraries are held to it too; those who can do without ask before they take,
 * so that nobody runs into it.
 */

/*
 * For this process and those that it starts later; a lower one stays as it is. 0, or -errno;
 * -ENOSPC: it has more already, as under a sanitizer, whose shadow counts.
 */
int self_memory_limit(u64 bytes);
/* Bytes left below the limit; ~0 when there is none. */
u64 self_memory_room(void);
/*
 * May a table grow by that much? By half of what is left at most: what comes after it needs memory
 * too. Asks the kernel, but for 0, which may always be.
 */
bool self_memory_allows(u64 bytes);
/* Less than an eighth of the limit is left: who can do without should. */
bool self_memory_is_short(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_THREAD_CONTEXT_H
#define ABI_THREAD_CONTEXT_H

#include <linux/types.h>

/*
 * Where the threads of a program publish their trace id, by image: the thread-local pointer of
 * docs/adr/0085. A program asks once for each image; user space looks, and writes what it found.
 */
struct cs_thread_context {
	__u32 is_found;
	__u32 is_seen; /* set at each mark, for user space to clear */
	__u64 module; /* in the table of blocks; 0: the offset is from the thread pointer */
	__s64 offset;
};

#endif

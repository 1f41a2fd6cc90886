/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_POSTPONED_H
#define ABI_POSTPONED_H

#include <linux/types.h>

#include "abi/stack.h"

/*
 * A walk that met a file without a table: what it needs to be repeated when the table is there,
 * and the process perhaps is not. The thread goes on meanwhile, so its registers and the end of
 * its stack are copied.
 */
#define CS_POSTPONED_REGS 17
#define CS_POSTPONED_PAGES 6
#define CS_POSTPONED_SZ (CS_POSTPONED_PAGES * 4096)
/* Records on their way to user space at a time take no more than this part of the ring. */
#define CS_POSTPONED_RING_SHARE 3

/* A mapping that an address of the stack leads to. */
struct cs_postponed_map {
	__u64 start; /* [start, end) */
	__u64 end;
	__u64 off; /* file offset of `start` */
	__u32 module; /* 0: memory without a file */
	__u32 exec;
};

#define CS_POSTPONED_MAPS 32

struct cs_postponed {
	__u32 kind; /* CS_EVENT_POSTPONED */
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 stack; /* the id of the stack as far as it was walked; no other walk has it */
	__u64 ip;
	__u64 sp; /* of the first byte of `bytes` */
	__u64 fp;
	__u64 bx; /* as struct user_walk has them */
	__u64 lr;
	__u64 tls;
	__u64 reg[CS_POSTPONED_REGS];
	__u32 bx_known;
	__u32 tid; /* in the namespace of the process */
	__u32 host_tgid;
	__u32 len; /* of `bytes` */
	__u32 pages; /* a bit for each that could be read; the first may be a part of one */
	__u32 maps_len;
	__u32 misses; /* words that lead to no mapping */
	__u32 unused;
	struct cs_postponed_map map[CS_POSTPONED_MAPS];
	__u8 bytes[CS_POSTPONED_SZ];
};

/* The walk to be repeated, and its result. */
struct cs_postponed_walk {
	struct cs_postponed from;
	__u8 pad[4096]; /* pieces of `bytes` that are read may reach over their end */
	struct cs_stack stack;
};

#endif

/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_STACK_H
#define ABI_STACK_H

#include <linux/types.h>

/* Maximum and default depth of user stacks, for both sides. */
#define CS_STACK_MAX 254
#define CS_STACK_DEFAULT 127

/* Why the walk of a user stack ended. Append only. */
enum cs_stack_end {
	CS_END_ROOT = 0, /* the outermost frame was reached: the stack is whole */
	CS_END_DEPTH, /* deeper than the limit */
	CS_END_FAULT, /* memory of the stack could not be read */
	CS_END_NO_MAPPING, /* a return address in no mapping */
	CS_END_NO_TABLE, /* this file was first seen: it had no table yet */
	CS_END_NO_CFI, /* no unwind information, and no chain of frame pointers either */
	CS_END_UNSUPPORTED, /* a rule that we do not support */
	CS_END_REGISTER, /* a rule needs a register that is unknown in an inner frame */
	CS_END_FP, /* the chain of frame pointers is broken */
	CS_END_EXEC, /* inside execve: the program has no stack */
	CS_END_32BIT, /* a 32-bit program: only the leaf is sure */
	CS_END_NO_REGS, /* the registers were not available */
	CS_END_NO_CODE, /* it runs no code of the program: it is exiting, or a worker of io_uring */
	CS_END_GAP, /* for user space: marks the `gap` of a stack, never in `end` */
	CS_END_CNT,
};

enum cs_stack_flag {
	CS_STACK_USER = 1,
	/* A frame belongs to one process only (JIT-compiled or interpreted code, no mapping). */
	CS_STACK_PRIVATE = 2,
	CS_STACK_CUT = 4, /* kernel stacks: deeper than the kernel reports */
	CS_STACK_SAMPLE = 8, /* kernel stacks: where an interrupt hit, even in our programs */
	CS_STACK_WAKER = 16, /* kernel stacks: where a thread or an interrupt woke another thread */
};

/*
 * A stack; pc[0] is the leaf. Kernel stacks contain addresses and begin with the frames of our
 * own programs. User stacks contain:
 *   - bit 63 set: a place in a mapped file: 23 bits of cs_module.id, CS_PC_EXACT, 39 bits of file
 *     offset;
 *   - bit 62 set: interpreted code: 43 bits that identify the code object in the program (a hash of
 *     its address and its contents, because memory is reused), and 19 bits of the
 *     offset of the instruction in it, in units of 2 bytes;
 *   - else: an address in memory without a file.
 * All but the leaf are return addresses, except those with CS_PC_EXACT, which a signal hit.
 */
/*
 * Stacks are stored in three tables, by length: including the kernel's overhead, an entry of the
 * short and the medium one takes 256 and 512 bytes, which its allocator provides without waste.
 */
#define CS_STACK_SHORT 23
#define CS_STACK_MEDIUM 55
/* Bytes of a struct cs_stack with `frames` frames. */
#define CS_STACK_SZ(frames) (8 + 8 * (frames))

/*
 * Of an id of a stack: which of the two sides it was kept on, see cs_control.salt. The same stack
 * may have an id of either.
 */
#define CS_STACK_SIDE (1ULL << 63)

struct cs_stack {
	__u8 len;
	/*
	 * For user stacks: 0, or the number of frames that are certain. The next frame was found by
	 * frame pointer from code without unwind information that may not keep one: callers may be
	 * missing between the two, and further out.
	 */
	__u8 gap;
	__u8 flags; /* enum cs_stack_flag */
	__u8 end; /* enum cs_stack_end, of user stacks */
	__u32 image; /* 0, or with CS_STACK_PRIVATE part of the image, to keep stacks apart */
	__u64 pc[CS_STACK_MAX];
};

_Static_assert(sizeof(struct cs_stack) == CS_STACK_SZ(CS_STACK_MAX), "");

#define CS_PC_MODULE (1ULL << 63)
#define CS_PC_CODE (1ULL << 62)
#define CS_PC_OFF_BITS 40
#define CS_PC_EXACT (1ULL << 39)
#define CS_PC_INSTR_BITS 19

static inline __attribute__((always_inline)) __u64 cs_pc_module(__u32 module, __u64 off)
{
	return CS_PC_MODULE | (__u64)module << CS_PC_OFF_BITS | (off & (CS_PC_EXACT - 1));
}

/* `instr` counts units of 2 bytes; one past the largest is kept as the largest. */
static inline __attribute__((always_inline)) __u64 cs_pc_code(__u64 code, __u64 instr)
{
	const __u64 max = (1ULL << CS_PC_INSTR_BITS) - 1;

	return CS_PC_CODE | ((code >> 4) & ((1ULL << 43) - 1)) << CS_PC_INSTR_BITS |
	       (instr < max ? instr : max);
}

static inline __attribute__((always_inline)) __u32 cs_pc_module_id(__u64 pc)
{
	return (__u32)(pc >> CS_PC_OFF_BITS) & 0x7fffff;
}

static inline __attribute__((always_inline)) __u64 cs_pc_off(__u64 pc)
{
	return pc & (CS_PC_EXACT - 1);
}

/* In the result of cs_pc_code_addr(): whose function it is. 0: CPython's. */
#define CS_CODE_RUNTIME (1ULL << 46)
#define CS_CODE_JAVA (1ULL << 46)

static inline __attribute__((always_inline)) __u64 cs_pc_code_addr(__u64 pc)
{
	return (pc >> CS_PC_INSTR_BITS & ((1ULL << 43) - 1)) << 4;
}

static inline __attribute__((always_inline)) __u32 cs_pc_instr(__u64 pc)
{
	return (__u32)pc & ((1U << CS_PC_INSTR_BITS) - 1);
}

_Static_assert(sizeof(struct cs_stack) == 8 + 8 * CS_STACK_MAX, "");

#endif

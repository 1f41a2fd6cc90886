/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WALK_BPF_H
#define LIB_WALK_BPF_H

/*
 * The state of one walk up a user stack. It is too large for the BPF stack, so it is in scratch
 * memory; the functions that work on it are global, and the verifier reads each once.
 *
 * A walk of a running thread reads memory directly. A walk of a sleeping thread cannot: only the
 * iterator program itself may call bpf_copy_from_user_task(). There, a function that needs memory
 * sets `need_addr` and returns WALK_NEED; the program fetches it into `chunk` and calls again. A
 * step changes nothing before it has all it needs: words already read are kept in `word` for the
 * next try.
 */
#include "lib/kernel/kernel.bpf.h"

#include "abi/java.h"
#include "abi/python.h"
#include "abi/stack.h"
#include "abi/unwind.h"

#define WALK_CHUNK 2048
#define WALK_REGS 17
#define WALK_WORDS 8
/*
 * Maximum number of words on which a cached walk may depend, and their distance above its first sp.
 */
#define TRAIL_MAX 192
#define TRAIL_SPAN 8192
#define TRAIL_LOST 0xffff
/* Mappings, likewise. */
#define WALK_VMAS 8
#define WALK_VMAS_LOST 0xffff

enum walk_next {
	WALK_ON = 0, /* there may be one more frame */
	WALK_DONE, /* stack.end says why */
	WALK_NEED, /* memory at need_addr, then again */
};

/* Registers that a loop may use for anything, and that a walk sometimes needs. */
enum walk_reg {
	WALK_FP = 1,
	WALK_BX = 2,
};

enum walk_from {
	FROM_BEGIN = 0, /* still the value from the start of the walk */
	FROM_TRAIL = 1, /* accounted for */
};

/* The mapping of the current frame. */
struct walk_map {
	u64 start;
	u64 end; /* 0: none found yet */
	u64 off; /* file offset of `start` */
	u32 module; /* 0: no file */
	u32 index; /* as of struct cs_module */
	u32 first_page;
	u32 pages;
	u16 state; /* enum cs_module_state */
	u16 flags; /* enum cs_module_flag */
	u32 exec; /* code may run there */
	u64 vma; /* its struct vm_area_struct; 0: unknown */
	u64 print; /* vma_print() of that */
};

/* The process of a walk. */
struct walk_owner {
	u64 image;
	u32 tgid; /* in the profiler's namespace */
	u32 host_tgid;
};

struct user_walk {
	/* The current frame. */
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx; /* x86: rbx */
	u64 lr; /* arm64: x30, while `full` */
	u64 reg[WALK_REGS]; /* DWARF order; of the frame whose registers are all known */
	u32 full; /* reg[] are those of the current frame: the top one, or one that a signal hit */
	u32 bx_known;
	u32 ret; /* ip is a return address: the call is before it */
	u32 placed; /* the frame is already in the stack, and `map` is its mapping */
	u32 by_fp; /* the frame was found by frame pointer in unknown code, so it is uncertain */
	u32 limit; /* maximum number of frames */
	struct walk_map map;
	/* The owner of the stack. */
	u64 mm;
	u64 image;
	u64 vdso;
	u64 maps_version; /* changes when mappings do; lib/vma.bpf.h */
	u64 now_ns; /* CLOCK_MONOTONIC, some ms old at most */
	u64 tls; /* thread pointer */
	u32 host_tgid;
	u32 tgid; /* in the profiler's namespace */
	u32 tid; /* in the process' own namespace */
	u32 sleeping;
	struct python_walk py;
	struct java_walk java;
	/* Memory of the process. */
	u64 need_addr;
	u32 need_failed; /* what was needed is unreadable */
	u32 word_i; /* words requested in this try */
	u32 words; /* words known from earlier tries */
	u32 chunk_len;
	u64 chunk_addr;
	u64 word[WALK_WORDS];
	/* What it depends on: words of the stack, by their distance from its start. */
	u64 trail_sp;
	u64 regs_ip; /* where it began, with trail_sp */
	u64 regs_fp;
	u64 regs_bx;
	u32 used; /* enum walk_reg: the walk depends on their initial values */
	u32 tables_gen; /* when it began */
	/* Where the current fp and bx were read: an address, or enum walk_from. */
	u64 fp_from;
	u64 bx_from;
	u32 trail_len; /* TRAIL_LOST: on other things too */
	u16 trail[TRAIL_MAX];
	/* The mappings of its frames, and vma_prints_add() of them all. */
	u64 vma[WALK_VMAS];
	u64 vma_prints;
	u32 vmas; /* WALK_VMAS_LOST: others too */
	u32 nested; /* it interrupts another walk of this CPU */
	/* Of lib/memo.bpf.h, for stacks with Python frames. */
	u64 made; /* the memo of the native frames; 0: none yet */
	u64 print; /* python_print() */
	struct cs_stack stack;
	u8 chunk[WALK_CHUNK];
};

/* Iterations of walk_step(): native frames; each may add frames of an interpreter as well. */
#define WALK_TURNS (CS_STACK_MAX + 2)

/* One frame up; enum walk_next. In unwind.bpf.c. */
int walk_step(struct user_walk *w);
/* All frames of a running thread. */
int walk_all(struct user_walk *w);
/* Sets w->map to the mapping that contains `addr`. In mapping.bpf.c. */
int walk_find_map(struct user_walk *w, u64 addr);
/* Reads the memory from `addr` on into the chunk; enum walk_next. In walk_memory.bpf.c. */
int walk_load(struct user_walk *w, u64 addr);

/* The stack ends here, for the reason `end` (enum cs_stack_end). */
static __always_inline int walk_end(struct user_walk *w, u32 end)
{
	w->stack.end = end;
	return WALK_DONE;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WALK_BPF_H
#define LIB_WALK_BPF_H

/*
 * The state of one walk up a user stack. It is too large for the BPF stack and lives in scratch
 * memory; the functions that work on it are global ones, which the verifier reads once each.
 *
 * A walk of a running thread reads memory where it needs it. A walk of a thread that sleeps cannot:
 * only the iterator program itself may call bpf_copy_from_user_task(). So there a function that
 * needs memory says which (`need_addr`) and returns WALK_NEED; the program fetches it into `chunk`
 * and calls again. A step changes nothing before it has all it needs: words that were read already
 * are kept in `word` for the next try.
 */
#include "lib/kernel.bpf.h"

#include "abi/python.h"
#include "abi/stack.h"
#include "abi/unwind.h"

#define WALK_CHUNK 2048
#define WALK_REGS 17
#define WALK_WORDS 8

enum walk_next {
	WALK_ON = 0, /* there may be one more frame */
	WALK_DONE, /* stack.end says why */
	WALK_NEED, /* memory at need_addr, then again */
};

/* The mapping that the present frame lies in. */
struct walk_map {
	u64 start;
	u64 end; /* 0: none was found yet */
	u64 off; /* file offset of `start` */
	u32 module; /* 0: no file */
	u32 index; /* as of struct cs_module */
	u32 first_page;
	u32 pages;
	u16 state; /* enum cs_module_state */
	u16 flags; /* enum cs_module_flag */
	u32 exec; /* code may run there */
};

struct user_walk {
	/* The present frame. */
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx; /* x86: rbx */
	u64 lr; /* arm64: x30, while `full` */
	u64 reg[WALK_REGS]; /* DWARF order; of the frame whose registers are all known */
	u32 full; /* reg[] are those of the present frame: the top one, or one a signal hit */
	u32 bx_known;
	u32 ret; /* ip is a return address: the call is before it */
	u32 placed; /* the frame is in the stack already, and `map` is its mapping */
	u32 by_fp; /* the frame was found by frame pointer in unknown code: not sure to be one */
	u32 limit; /* frames at most */
	struct walk_map map;
	/* Whose stack. */
	u64 mm;
	u64 image;
	u64 vdso;
	u64 exec_vm; /* pages of executable mappings: when it changes, mappings have changed */
	u64 now_ns; /* CLOCK_MONOTONIC, some ms old at most */
	u64 tls; /* thread pointer */
	u32 host_tgid;
	u32 tgid; /* in the profiler's namespace */
	u32 tid; /* in the process' own namespace */
	u32 sleeping;
	struct python_walk py;
	/* Memory of the process. */
	u64 need_addr;
	u32 need_failed; /* what was needed cannot be had */
	u32 word_i; /* words asked for in this try */
	u32 words; /* words known from earlier tries */
	u32 chunk_len;
	u64 chunk_addr;
	u64 word[WALK_WORDS];
	struct cs_stack stack;
	u8 chunk[WALK_CHUNK];
};

/* Turns of walk_step(): native frames; each turn may add frames of an interpreter as well. */
#define WALK_TURNS (CS_STACK_MAX + 2)

/* One frame up; enum walk_next. In unwind.bpf.c. */
int walk_step(struct user_walk *w);
/* All frames of a running thread. */
int walk_all(struct user_walk *w);
/* Makes w->map the mapping that holds `addr`. In mapping.bpf.c. */
int walk_find_map(struct user_walk *w, u64 addr);
/* Takes the memory from `addr` on into the chunk; enum walk_next, WALK_DONE for a fault. */
int walk_load(struct user_walk *w, u64 addr);

/* A word of memory, aligned or not. Returns WALK_ON with *ret, else the step must return too. */
static __always_inline int walk_word(struct user_walk *w, u64 addr, u64 *ret)
{
	u64 off = addr - w->chunk_addr;
	u32 i = 0;
	int r;

	if (w->sleeping) {
		i = w->word_i++ & (WALK_WORDS - 1);
		if (i < w->words) {
			*ret = w->word[i];
			return WALK_ON;
		}
	}
	if (off > WALK_CHUNK - 8 || off + 8 > w->chunk_len) {
		r = walk_load(w, addr);
		if (r)
			return r;
		off = 0;
	}
	*ret = *(u64 *)(w->chunk + off);
	if (w->sleeping) {
		w->word[i] = *ret;
		w->words = i + 1;
	}
	return WALK_ON;
}

/*
 * Up to WALK_CHUNK bytes at any address, for readers of other things than the stack. Returns
 * WALK_ON, WALK_NEED: return it, and do the same again at the next call; or WALK_DONE: a fault. A
 * reader that needs several pieces at once asks for them in the same order each time and keeps
 * what it has had.
 */
static __always_inline int walk_read(struct user_walk *w, void *dst, u32 sz, u64 addr)
{
	u64 off = addr - w->chunk_addr;

	if (!__builtin_constant_p(sz))
		barrier_var(sz); /* so that the verifier of 6.1 sees this: */
	if (sz > WALK_CHUNK)
		return WALK_DONE;
	if (!w->sleeping)
		return bpf_probe_read_user(dst, sz, (const void *)addr) ? WALK_DONE : WALK_ON;
	if (off > WALK_CHUNK - sz || off + sz > w->chunk_len) {
		if (w->need_failed) {
			w->need_failed = 0;
			return WALK_DONE;
		}
		w->need_addr = addr;
		return WALK_NEED;
	}
	/* The verifier of 6.1 has lost what the compiler knows of it. */
	barrier_var(off);
	off &= WALK_CHUNK - 1;
	return bpf_probe_read_kernel(dst, sz, w->chunk + off) ? WALK_DONE : WALK_ON;
}

#endif

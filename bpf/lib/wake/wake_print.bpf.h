/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAKE_WAKE_PRINT_BPF_H
#define LIB_WAKE_WAKE_PRINT_BPF_H

/*
 * Fingerprints of the kernel stacks of wakers, by the walk of lib/orc/orc_walk.bpf.h: the kernel's
 * helper takes 2 us to read such a stack.
 *
 * A waker runs, so there is no saved frame to begin at. The arguments of the hook are in a local
 * array of bpf_trace_run1(), on the waker's stack; a few words above is the return address into
 * try_to_wake_up(), and the walk begins there. A word that only looks like it leads the walk
 * astray, so a fingerprint is used only after the helper's stack gave the same: print_of_read().
 */
#include "lib/orc/orc_print.bpf.h"
#include "lib/wake/wake_maps.bpf.h"

#ifdef __TARGET_ARCH_x86

/* Words from the arguments on; there are three frames in between. */
#define WAKE_WORDS 40
/* Longer than try_to_wake_up() and what is inlined into it. */
#define WAKE_CODE_SIZE 4096

static __always_inline bool in_wake_code(u64 ip)
{
	return ip - control.wake_code.wake < WAKE_CODE_SIZE;
}

/* Where the return address into try_to_wake_up() is; 0: not found. */
__noinline u64 wake_return(u64 args)
{
	u32 i;

	if (!cfg.orc || !control.wake_code.wake)
		return 0; /* see orc_search() */
	for (i = 0; i < WAKE_WORDS; i++)
		if (in_wake_code(kernel_word(args + i * sizeof(u64))))
			return args + i * sizeof(u64);
	return 0;
}

/* The fingerprint of the running thread's kernel stack from try_to_wake_up() on; 0: none. */
static __always_inline u64 wake_print(void *ctx, struct wake_scratch *ws)
{
	u64 at;

	if (!cfg.orc || control.kernel_slow)
		return 0;
	/* Through memory: the verifier does not let a program compute with the pointer. */
	ws->args = (u64)ctx;
	barrier();
	at = wake_return(*(volatile u64 *)&ws->args);
	return at ? orc_walk_running(at, &ws->orc, &ws->print) : 0;
}

/* The same of a stack that the helper read. A global function: the verifier reads it once. */
__noinline u64 print_of_read(const struct cs_stack *st)
{
	u64 h = ORC_HASH;
	u32 i, frames = 0;

	if (!st)
		return 0;
	for (i = 0; i < CS_STACK_DEFAULT; i++) {
		if (i >= st->len)
			break;
		if (!frames && !in_wake_code(st->pc[i]))
			continue;
		h = orc_hash(h, st->pc[i]);
		frames++;
	}
	return orc_print(h, frames);
}

#else

static __always_inline u64 wake_print(void *ctx, struct wake_scratch *ws)
{
	(void)ctx;
	(void)ws;
	return 0;
}

static __always_inline u64 print_of_read(const struct cs_stack *st)
{
	(void)st;
	return 0;
}

#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * A door to the reader of Python frames for tests: a walk that meets the interpreter loop as often
 * as the test says, in the memory of the test itself.
 */
#include "lib/runtime/python.bpf.h"
#include "lib/maps.bpf.h"

#define NEEDS_MAX 512

struct pycall {
	u64 tls;
	u64 off;
	u64 image;
	u64 now_ns;
	u32 module;
	u32 loops; /* how often the loop is met */
	u32 limit;
	u32 sleeping;
	/* results */
	u32 len;
	u32 flags;
	u32 needs; /* how often memory was asked for */
	u32 trail_len;
	u64 print; /* of the same frames, after the walk */
	u64 pc[CS_STACK_MAX];
};

struct pycall pycall = {};

/* As the program that walks a sleeping thread does it. */
static __always_inline void fetch_needed(struct user_walk *w)
{
	w->need_failed = 0;
	w->chunk_len = 0;
	w->chunk_addr = w->need_addr;
	if (!bpf_copy_from_user(w->chunk, WALK_CHUNK, (const void *)w->need_addr))
		w->chunk_len = WALK_CHUNK;
	else if (!bpf_copy_from_user(w->chunk, 64, (const void *)w->need_addr))
		w->chunk_len = 64;
	else
		w->need_failed = 1;
}

static __always_inline void add_native(struct user_walk *w)
{
	u32 n = w->stack.len;

	if (n >= w->limit || n >= CS_STACK_MAX)
		return;
	w->stack.pc[n] = cs_pc_module(pycall.module, pycall.off);
	w->stack.len = n + 1;
}

static __always_inline void begin(struct user_walk *w)
{
	w->stack.len = 0;
	w->stack.flags = CS_STACK_USER;
	w->stack.end = 0;
	w->trail_len = 0;
	w->limit = pycall.limit;
	w->tls = pycall.tls;
	w->image = pycall.image;
	w->tgid = 42;
	w->now_ns = pycall.now_ns;
	w->sleeping = pycall.sleeping;
	w->need_failed = 0;
	w->chunk_len = 0;
	w->chunk_addr = 0;
	w->map.module = pycall.module;
	w->map.flags = CS_MODULE_PYTHON;
	python_reset(w);
}

SEC("syscall")
int print_python(void *ctx)
{
	u32 zero = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);

	if (!scr)
		return 1;
	begin(&scr->walk);
	pycall.print = python_print(&scr->walk, pycall.module);
	return 0;
}

SEC("syscall")
int walk_python(void *ctx)
{
	u32 zero = 0, met = 0;
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	struct user_walk *w;
	int i;

	if (!scr)
		return 1;
	w = &scr->walk;
	begin(w);
	pycall.needs = 0;
	for (i = 0; i < NEEDS_MAX; i++) {
		if (met >= pycall.loops)
			break;
		if (python_frames(w, pycall.off) == WALK_NEED) {
			pycall.needs++;
			fetch_needed(w);
			continue;
		}
		add_native(w);
		met++;
	}
	pycall.len = w->stack.len;
	pycall.flags = w->stack.flags;
	pycall.trail_len = w->trail_len;
	for (i = 0; i < CS_STACK_MAX; i++)
		pycall.pc[i] = w->stack.pc[i];
	w->sleeping = 0;
	pycall.print = python_print(w, pycall.module);
	return 0;
}

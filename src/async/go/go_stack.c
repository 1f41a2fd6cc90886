/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame pointer of a frame is the address where that of its caller is saved; the return
 * address lies above it. The outermost frame returns to runtime.goexit and saved 0.
 *
 * Before Go 1.23 a system call saves no frame pointer. There the run time itself goes by the table
 * of functions: how far above the stack pointer the return address of a frame is.
 */
#include "async/go/go_stack.h"

#include <string.h>

#include "async/go/go_layout.h"
#include "base/mem.h"
#include "elf/gopclntab.h"

static bool pair_at(const struct go_stack_bytes *s, u64 addr, u64 pair[2])
{
	if (addr < s->sp || (addr & 7) || addr - s->sp + 16 > s->sz)
		return false;
	memcpy(pair, s->bytes + (addr - s->sp), 16);
	return true;
}

static void push(struct host_stack *ret, u64 ip, bool exact)
{
	struct host_frame *f = &ret->frame[ret->len++];

	*f = (struct host_frame){ .ip = ip, .exact = exact };
}

bool go_stack__walk(const struct go_stack_bytes *s, u64 pc, u64 bp, u32 limit,
		    struct host_stack *ret)
{
	u64 pair[2];

	ret->len = ret->gap = 0;
	ret->end = CS_END_ROOT;
	if (limit > CS_STACK_MAX)
		limit = CS_STACK_MAX;
	push(ret, pc, false);
	while (bp) {
		if (ret->len == limit) {
			ret->end = CS_END_DEPTH;
			return true;
		}
		if (!pair_at(s, bp, pair)) {
			ret->end = CS_END_FP;
			return bp < s->sp || bp >= s->hi; /* else it is only not copied */
		}
		push(ret, pair[1], false);
		if (pair[0] && pair[0] <= bp) {
			ret->end = CS_END_FP;
			return true;
		}
		bp = pair[0];
	}
	return true;
}

/* Where a walk by sizes is. */
struct step {
	struct go_leaf leaf;
	u64 sp;
	bool at_root;
};

/* One frame outwards: 1; 0: the rest of the stack was not copied; -1: that is no frame. */
static int step_out(struct step *step, const struct go_stack_bytes *s,
		    const struct gopclntab *functions, u64 bias)
{
	const char *name;
	u64 slot;
	u32 sz;

	/* a return address may be behind the last instruction of its function */
	if (!gopclntab__frame(functions, step->leaf.pc - !step->leaf.exact - bias, &sz, &name))
		return -1;
	step->at_root = strcmp(name, "runtime.goexit") == 0;
	if (step->at_root)
		return 1;
	slot = step->sp + sz;
	if (slot < s->sp || slot + 8 > s->hi || slot & 7)
		return -1;
	if (slot - s->sp + 8 > s->sz)
		return 0;
	memcpy(&step->leaf.pc, s->bytes + (slot - s->sp), sizeof(step->leaf.pc));
	step->leaf.exact = false;
	step->sp = slot + 8;
	return 1;
}

bool go_stack__walk_sizes(const struct go_stack_bytes *s, const struct gopclntab *functions,
			  u64 bias, struct go_leaf leaf, u32 limit, struct host_stack *ret)
{
	struct step step = { .leaf = leaf, .sp = s->sp };
	int r = 1;

	ret->len = ret->gap = 0;
	ret->end = CS_END_ROOT;
	if (limit > CS_STACK_MAX)
		limit = CS_STACK_MAX;
	while (r > 0 && !step.at_root) {
		if (ret->len == limit) {
			ret->end = CS_END_DEPTH;
			return true;
		}
		push(ret, step.leaf.pc, step.leaf.exact);
		r = step_out(&step, s, functions, bias);
	}
	if (r < 0) {
		ret->len = 1;
		ret->end = CS_END_REGISTER;
	}
	if (!r)
		ret->end = CS_END_FAULT;
	return r != 0;
}

bool go_stack__read(const struct go_shape *shape, struct task_memory *mem, const u8 *g,
		    struct host_stack *ret)
{
	struct go_stack_bytes s = { .sp = go_word(g, GO_G_SP), .hi = go_word(g, GO_G_STACK_HI) };
	u8 *bytes;
	bool ok;

	if (s.sp >= s.hi)
		return false;
	s.sz = s.hi - s.sp < GO_STACK_BYTES_MAX ? s.hi - s.sp : GO_STACK_BYTES_MAX;
	bytes = mem_alloc(s.sz);
	s.bytes = bytes;
	ok = bytes && task_memory__read(mem, s.sp, bytes, s.sz) &&
	     go_stack__walk(&s, go_word(g, GO_G_PC), go_word(g, shape->bp), CS_STACK_MAX, ret);
	mem_free(bytes);
	return ok;
}

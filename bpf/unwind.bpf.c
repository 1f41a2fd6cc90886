/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The walk up a user stack: by table first, by frame pointer second, decided for each frame.
 *
 * A table row gives the rule at an instruction: where the caller's stack begins (CFA) and where its
 * registers are saved. If a file has no table for an instruction (JIT-compiled code, Go, assembly),
 * one step by frame pointer is tried, with checks, and then the table is used again. Code that the
 * tables cover is never walked by frame pointer: there it is a register like any other, and the
 * frames would be invented.
 *
 * This file is also compiled for the host and replayed by tests: of the kernel it only needs memory
 * reads and map lookups.
 */
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/runtime/runtimes.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/walk_read.bpf.h"

#define PAGE_OFF_MASK ((1U << CS_UNWIND_PAGE_BITS) - 1)
/* No program has code below this: vm.mmap_min_addr. */
#define LOWEST_CODE 4096

/* DWARF numbers. */
#if defined(__TARGET_ARCH_x86)
#define REG_BX 3
#define REGS_KEPT WALK_REGS
#else
#define REG_BX 0xff
#define REGS_KEPT 0 /* a rule that names one ends the walk */
#endif

/* Table memory from `addr` to the end of its segment; NULL if there is none. */
static __always_inline u8 *segment_of(u32 addr)
{
	u32 segment = addr >> CS_SEGMENT_BITS, zero = 0;
	void *inner = bpf_map_lookup_elem(&segments, &segment);

	return inner ? bpf_map_lookup_elem(inner, &zero) : NULL;
}

/*
 * The rule at a byte of a file; 0: no rule. A global function: its loop is verified once. Offsets
 * are masked rather than checked: whatever is in the table, nothing outside it is read.
 */
__noinline u32 walk_rule(struct user_walk *w, u64 off)
{
	u32 page, addr, len, lo = 0, step;
	struct cs_unwind_page *entry;
	u32 at = off & PAGE_OFF_MASK;
	u8 *mem;

	if (!w)
		return 0;
	page = (u32)(off >> CS_UNWIND_PAGE_BITS) - w->map.first_page;
	if (page >= w->map.pages)
		return 0;
	addr = w->map.index + page * sizeof(*entry);
	mem = segment_of(addr);
	if (!mem)
		return 0;
	entry = (void *)(mem + (addr & (CS_SEGMENT_SZ - 8)));
	addr = entry->rows;
	len = entry->len;
	if (!len)
		return 0;
	mem = segment_of(addr);
	if (!mem)
		return 0;
	addr &= CS_SEGMENT_SZ - 4;
	for (step = 2048; step; step >>= 1) {
		u32 i = lo + step;
		struct cs_unwind_row *row = (void *)(mem + ((addr + i * 4) & (CS_SEGMENT_SZ - 4)));

		/*
		 * 1 if i < len and row->off <= at, by the sign bits of differences. A branch, or a
		 * mask of all ones, would make the verifier follow every path of the search.
		 */
		u32 below = (i - len) >> 31 & (row->off - at - 1) >> 31;

		if (step >= len)
			continue; /* a page has 70 rows or so */
		barrier_var(below);
		lo += step * below;
	}
	return ((struct cs_unwind_row *)(mem + ((addr + lo * 4) & (CS_SEGMENT_SZ - 4))))->rule;
}

/* The frame for memory without a file. */
static __always_inline int number_memory(struct user_walk *w, u64 *ret)
{
	int r = runtime_frame(w, ret);

	/* The next step counts its words from 0. */
	w->word_i = 0;
	if (r != WALK_NEED)
		w->words = 0;
	return r;
}

/* Adds the current frame to the stack; WALK_ON to continue. */
static __always_inline int place(struct user_walk *w)
{
	u64 at = w->ip - (w->ret ? 1 : 0), pc = 0;
	u32 n = w->stack.len;
	int r;

	if (at < w->map.start || at >= w->map.end) {
		walk_find_map(w, at);
		/* An address outside code is not a return address. */
		if (!w->map.exec && n)
			return walk_end(w, w->by_fp ? w->by_fp : CS_END_NO_MAPPING);
	}
	r = runtime_interleave(w, at - w->map.start + w->map.off);
	if (r)
		return r;
	n = w->stack.len;
	if (n >= w->limit || n >= CS_STACK_MAX)
		return walk_end(w, CS_END_DEPTH);
	if (w->map.module) {
		w->stack.pc[n] = cs_pc_module(w->map.module, w->ip - w->map.start + w->map.off);
		if (!w->ret)
			w->stack.pc[n] |= CS_PC_EXACT;
	} else {
		r = number_memory(w, &pc);
		if (r == WALK_NEED)
			return r;
		w->stack.pc[n] = pc;
		w->stack.flags |= CS_STACK_PRIVATE;
	}
	w->stack.len = n + 1;
	w->placed = 1;
	return r || w->map.exec ? r : walk_end(w, CS_END_NO_MAPPING);
}

/* The end reason for a broken frame in code without a table. */
static __always_inline u32 no_table_end(const struct user_walk *w)
{
	return w->map.module && cfg.unwind_tables ? CS_END_NO_CFI : CS_END_FP;
}

/*
 * Whether this code keeps frame pointers. It is assumed to if there are no tables, and where that
 * is the convention: Go, and JIT-compiled code. Other code of a file without a row may use the
 * register for anything, or leave its caller's value in it.
 */
static __always_inline bool keeps_fp(const struct user_walk *w)
{
	return !w->map.module || !cfg.unwind_tables || w->map.flags & CS_MODULE_FP;
}

/*
 * A chain of frame pointers ended with 0. That is the root only if nothing else marks one: code
 * with tables marks the functions that begin a stack (src/unwind/roots.c), and a register may be 0
 * for any reason.
 */
static __always_inline u32 fp_chain_end(const struct user_walk *w)
{
	if (!cfg.unwind_tables || w->map.flags & CS_MODULE_FP)
		return CS_END_ROOT;
	return no_table_end(w);
}

/* The caller's registers are known: it becomes the current frame. */
static __always_inline int go_up(struct user_walk *w, u64 ip, u64 sp, u64 fp)
{
	w->ip = regs_strip_ptrauth(ip);
	w->sp = sp;
	w->fp = fp;
	w->ret = 1;
	w->full = 0;
	w->placed = 0;
	w->words = 0;
	if (!w->ip)
		return walk_end(w, w->by_fp ? fp_chain_end(w) : CS_END_ROOT);
	if (w->ip < LOWEST_CODE)
		return walk_end(w, w->by_fp ? w->by_fp : CS_END_NO_MAPPING);
	return WALK_ON;
}

#if defined(__TARGET_ARCH_x86)
/* "syscall": a stub that pushed nothing, as in Go, returns to [sp]. */
#define INSN_SYSCALL 0x050f

static __always_inline int try_stub(struct user_walk *w, bool *ret_is)
{
	u64 insn = 0, ra = 0;
	int r;

	*ret_is = false;
	if (!w->full || w->ret || w->sleeping || !cfg.unwind_tables)
		return WALK_ON;
	if (bpf_probe_read_user(&insn, 2, (const void *)(w->ip - 2)) || insn != INSN_SYSCALL)
		return WALK_ON;
	r = walk_word(w, w->sp, &ra);
	if (r)
		return r;
	if (ra < w->map.start || ra >= w->map.end)
		return WALK_ON;
	*ret_is = true;
	return go_up(w, ra, w->sp + 8, w->fp);
}
#else
static __always_inline int try_stub(struct user_walk *w, bool *ret_is)
{
	*ret_is = false;
	return WALK_ON;
}
#endif

/* One step by frame pointer: [fp] is the caller's, [fp + 8] the return address. */
__noinline int walk_step_fp(struct user_walk *w)
{
	u64 next_fp = 0, ra = 0, fp;
	bool is_stub;
	int r;

	if (!w)
		return WALK_DONE;
	r = try_stub(w, &is_stub);
	if (r || is_stub)
		return r;
	fp = walk_use_fp(w);
	/* Nothing set one up: Go's outermost function. */
	if (!fp)
		return walk_end(w, fp_chain_end(w));
	if ((fp & 7) || fp < w->sp)
		return walk_end(w, no_table_end(w));
	r = walk_peek(w, fp, &next_fp);
	r = r ? r : walk_word(w, fp + 8, &ra);
	if (r)
		return r;
	if (!w->stack.gap && !keeps_fp(w))
		w->stack.gap = w->stack.len;
	w->fp_from = fp;
	w->by_fp = no_table_end(w);
	w->bx_known = 0;
	return go_up(w, ra, fp + 16, next_fp);
}

/* The frame that the kernel put on the stack for a signal handler: all earlier registers. */
#if defined(__TARGET_ARCH_x86)
/* struct rt_sigframe at sp, after the handler returned: struct ucontext; uc_mcontext is at 40. */
#define SIGFRAME_BP (40 + 8 * 10)
#define SIGFRAME_BX (40 + 8 * 11)
#define SIGFRAME_SP (40 + 8 * 15)
#define SIGFRAME_IP (40 + 8 * 16)

static __always_inline int step_signal(struct user_walk *w)
{
	u64 fp = 0, bx = 0, sp = 0, ip = 0;
	int r;

	r = walk_word(w, w->sp + SIGFRAME_BP, &fp);
	r = r ? r : walk_word(w, w->sp + SIGFRAME_BX, &bx);
	r = r ? r : walk_word(w, w->sp + SIGFRAME_SP, &sp);
	r = r ? r : walk_word(w, w->sp + SIGFRAME_IP, &ip);
	if (r)
		return r;
	w->by_fp = 0;
	r = go_up(w, ip, sp, fp);
	w->ret = 0; /* it was interrupted, it did not make a call */
	w->bx = bx;
	w->bx_known = 1;
	w->fp_from = FROM_TRAIL;
	w->bx_from = FROM_TRAIL;
	return r;
}
#else
/* struct rt_sigframe: siginfo (128), ucontext: uc_mcontext at 128 + 176; regs[31], sp, pc. */
#define SIGFRAME_REGS (128 + 176 + 8)

static __always_inline int step_signal(struct user_walk *w)
{
	u64 base = w->sp + SIGFRAME_REGS, fp = 0, lr = 0, sp = 0, ip = 0;
	int r;

	r = walk_word(w, base + 8 * 29, &fp);
	r = r ? r : walk_word(w, base + 8 * 30, &lr);
	r = r ? r : walk_word(w, base + 8 * 31, &sp);
	r = r ? r : walk_word(w, base + 8 * 32, &ip);
	if (r)
		return r;
	w->by_fp = 0;
	r = go_up(w, ip, sp, fp);
	w->ret = 0;
	w->full = 1;
	w->lr = lr;
	return r;
}
#endif

/* A register in a rule, by its DWARF number. */
static __always_inline bool read_register(struct user_walk *w, u32 reg, u64 *ret)
{
	if (w->full && reg < REGS_KEPT) {
		w->trail_len = TRAIL_LOST; /* a register that memo.bpf.c does not compare */
		*ret = w->reg[reg];
		return true;
	}
	*ret = walk_use_bx(w);
	return reg == REG_BX && w->bx_known;
}

static __always_inline int find_cfa(struct user_walk *w, const struct cs_unwind_rule *rule,
				    u64 *ret)
{
	u64 base = 0;
	int r;

	switch (rule->cfa) {
	case CS_CFA_SP:
		*ret = w->sp + rule->cfa_off;
		return WALK_ON;
	case CS_CFA_FP:
		*ret = walk_use_fp(w) + rule->cfa_off;
		return WALK_ON;
	case CS_CFA_PLT:
		*ret = w->sp + rule->cfa_off + ((w->ip & 15) >= (u16)rule->cfa_off2 ? 8 : 0);
		return WALK_ON;
	case CS_CFA_REG:
		if (!read_register(w, rule->reg, &base))
			return walk_end(w, CS_END_REGISTER);
		*ret = base + rule->cfa_off;
		return WALK_ON;
	case CS_CFA_FP_DEREF:
	case CS_CFA_SP_DEREF:
		base = rule->cfa == CS_CFA_FP_DEREF ? walk_use_fp(w) : w->sp;
		r = walk_word(w, base + rule->cfa_off, &base);
		*ret = base + rule->cfa_off2;
		return r;
	default:
		return walk_end(w, CS_END_UNSUPPORTED);
	}
}

static __always_inline int find_ra(struct user_walk *w, const struct cs_unwind_rule *rule, u64 cfa,
				   u64 *ret)
{
	switch (rule->ra) {
	case CS_SAVED_CFA:
		return walk_word(w, cfa + rule->ra_off, ret);
	case CS_SAVED_REG:
		if (!read_register(w, rule->reg, ret))
			return walk_end(w, CS_END_REGISTER);
		return WALK_ON;
#if defined(__TARGET_ARCH_arm64)
	case CS_SAVED_SAME:
		if (!w->full)
			return walk_end(w, CS_END_REGISTER);
		*ret = w->lr;
		return WALK_ON;
#endif
	default:
		return walk_end(w, CS_END_UNSUPPORTED);
	}
}

/* One step by a rule of the table. */
__noinline int walk_step_rule(struct user_walk *w, u32 id)
{
	struct cs_unwind_rule *rule = bpf_map_lookup_elem(&rules, &id);
	u64 cfa = 0, fp, bx, ra = 0, fp_from, bx_from;
	u32 bx_known;
	int r = WALK_ON;

	if (!w)
		return WALK_DONE;
	if (!rule)
		return walk_end(w, CS_END_UNSUPPORTED);
	if (rule->cfa == CS_CFA_END)
		return walk_end(w, CS_END_ROOT);
	if (rule->cfa == CS_CFA_SIGNAL)
		return step_signal(w);
	r = find_cfa(w, rule, &cfa);
	if (r)
		return r;
	/* Stacks grow down; only a signal frame may be anywhere. */
	if (cfa < w->sp || (cfa == w->sp && !w->full))
		return walk_end(w, CS_END_UNSUPPORTED);
	fp = w->fp;
	bx = w->bx;
	bx_known = w->bx_known;
	fp_from = w->fp_from;
	bx_from = w->bx_from;
	if ((rule->fp_bx & 15) == CS_SAVED_CFA)
		fp_from = cfa + rule->fp_off;
	else if ((rule->fp_bx & 15) == CS_SAVED_FP)
		fp_from = walk_use_fp(w) + rule->fp_off;
	if (fp_from != w->fp_from)
		r = walk_peek(w, fp_from, &fp);
	if (rule->fp_bx >> 4 == CS_SAVED_CFA)
		bx_from = cfa + rule->bx_off;
	else if (rule->fp_bx >> 4 == CS_SAVED_FP)
		bx_from = walk_use_fp(w) + rule->bx_off;
	if (!r && bx_from != w->bx_from) {
		r = walk_peek(w, bx_from, &bx);
		bx_known = 1;
	} else if (rule->fp_bx >> 4 == CS_SAVED_UNKNOWN) {
		bx_known = 0;
	}
	r = r ? r : find_ra(w, rule, cfa, &ra);
	if (r)
		return r;
	w->fp_from = fp_from;
	w->bx_from = bx_from;
	w->bx = bx;
	w->bx_known = bx_known;
	w->by_fp = 0;
	return go_up(w, ra, cfa, fp);
}

/* One frame up; a global function, so that the verifier reads it once, not at every turn. */
__noinline int walk_step(struct user_walk *w)
{
	u32 rule = 0;
	u64 at;
	int r;

	if (!w)
		return WALK_DONE;
	w->word_i = 0;
	if (!w->placed) {
		r = place(w);
		if (r)
			return r;
	}
	if (w->map.module && cfg.unwind_tables) {
		/* Do not guess: an invalid frame pointer leads to invalid frames. */
		if (w->map.state == CS_MODULE_WANTED || w->map.state == CS_MODULE_EVICTED)
			return walk_end(w, CS_END_NO_TABLE);
		if (w->map.state == CS_MODULE_READY) {
			at = w->ip - (w->ret ? 1 : 0) - w->map.start + w->map.off;
			rule = walk_rule(w, at);
		}
	}
	return rule ? walk_step_rule(w, rule) : walk_step_fp(w);
}

__noinline int walk_all(struct user_walk *w)
{
	int i;

	if (!w)
		return 0;
	for (i = 0; i < WALK_TURNS; i++)
		if (walk_step(w))
			return 0;
	w->stack.end = CS_END_DEPTH;
	return 0;
}

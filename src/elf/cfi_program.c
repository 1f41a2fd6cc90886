/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of an entry build the table of its rows line by line: some change the rule of a
 * register, some advance to a later address, which finishes a line. Only four registers matter to
 * us, so the state is small enough to copy, and a line that changed none of them is not a row.
 */
#include "elf/cfi_priv.h"

#include <dwarf.h>
#include <limits.h>

/* Its number, 0x2d, is that of DW_CFA_GNU_window_save on another machine. */
#define CFA_AARCH64_negate_ra_state DW_CFA_GNU_window_save
#define CFA_AARCH64_negate_ra_state_with_pc 0x2c

struct program {
	const struct cfi_run *run;
	struct cfi_state *st;
	struct cfi_state first; /* the state for DW_CFA_restore */
	struct cfi_state remembered[CFI_DEPTH_MAX];
	u32 depth;
	u64 at; /* file offset of the current line */
	bool changed; /* since the last row */
	bool done; /* the end of the code was reached */
	int r;
};

/* Where the rule of a register is stored, or NULL for one that does not matter. */
static struct cfi_saved *saved_of(const struct cfi_run *run, struct cfi_state *st, u64 reg)
{
	const struct cfi_machine *m = &run->entries->machine;

	if (reg >= CFI_NO_REG)
		return NULL;
	if (reg == run->cie->ra)
		return &st->rule.ra;
	if (reg == m->fp)
		return &st->rule.fp;
	if (reg == m->bx)
		return &st->rule.bx;
	return reg == m->sp ? &st->sp : NULL;
}

static bool fits32(s64 n)
{
	return n >= INT_MIN && n <= INT_MAX;
}

static void set(struct program *p, u64 reg, enum cfi_how how, s64 off)
{
	struct cfi_saved *saved = saved_of(p->run, p->st, reg);

	if (!saved)
		return;
	if (!fits32(off))
		how = CFI_UNKNOWN;
	*saved = (struct cfi_saved){ .how = (u8)how, .off = (s32)off };
	p->changed = true;
}

/* Nearly all numbers have one byte. */
static inline u64 uleb(struct view *v)
{
	if (v->p < v->end && *v->p < 0x80)
		return *v->p++;
	return view__uleb(v);
}

static s64 scaled(const struct program *p, u64 n)
{
	return (s64)(n * (u64)p->run->cie->data_align);
}

static bool is_signal(const struct cfi_run *run, const struct cfi_rule *rule)
{
	if (!run->cie->signal)
		return false;
	/* the kernel's struct ucontext at sp: 40 bytes, then 15 registers, then sp */
	return run->entries->machine.sp != 7 ||
	       (rule->cfa == CFI_CFA_DEREF && rule->reg == 7 && rule->off == 160 && !rule->off2);
}

/* What is not simply the state: ends, signals, rules we do not support. */
static bool is_plain(const struct cfi_run *run, const struct cfi_state *st)
{
	return !run->cie->signal && st->rule.ra.how != CFI_UNDEFINED && st->sp.how == CFI_SAME &&
	       st->rule.cfa != CFI_CFA_NONE;
}

static void conclude(const struct cfi_run *run, const struct cfi_state *st, struct cfi_rule *ret)
{
	*ret = st->rule;
	if (ret->ra.how == CFI_UNDEFINED)
		ret->cfa = CFI_CFA_END;
	else if (is_signal(run, ret))
		ret->cfa = CFI_CFA_SIGNAL;
	else if (ret->cfa == CFI_CFA_NONE || st->sp.how != CFI_SAME)
		ret->cfa = CFI_CFA_UNSUPPORTED;
}

/* Emits the row of a line. */
static int give(const struct cfi_run *run, const struct cfi_state *st, u64 at)
{
	struct cfi_rule rule;

	/* copying what was just written costs more than the rest of a row */
	if (is_plain(run, st))
		return run->fn(run->arg, at, &st->rule);
	conclude(run, st, &rule);
	return run->fn(run->arg, at, &rule);
}

/* Finishes the line: it extends to `to`. */
static void finish_line(struct program *p, u64 to)
{
	const struct cfi_run *run = p->run;

	if (to > run->end)
		to = run->end;
	if (to <= p->at)
		return;
	if (p->changed && run->fn)
		p->r = give(run, p->st, p->at);
	p->changed = false;
	p->at = to;
	p->done = p->r || to == run->end;
}

static void advance(struct program *p, u64 n)
{
	u64 by, to;

	if (__builtin_mul_overflow(n, p->run->cie->code_align, &by) ||
	    __builtin_add_overflow(p->at, by, &to))
		to = p->run->end;
	finish_line(p, to);
}

static bool set_loc(struct program *p, struct view *v)
{
	u64 vaddr;

	if (!cfi_pointer(p->run->section, v, p->run->cie->pointers, &vaddr) ||
	    vaddr < p->run->vaddr)
		return false;
	vaddr -= p->run->vaddr;
	finish_line(p, vaddr < p->run->end - p->run->start ? p->run->start + vaddr : p->run->end);
	return true;
}

static void def_cfa(struct program *p, u64 reg, s64 off)
{
	struct cfi_rule *rule = &p->st->rule;

	rule->cfa = reg < CFI_NO_REG && fits32(off) ? CFI_CFA_REG : CFI_CFA_UNSUPPORTED;
	rule->reg = (u8)reg;
	rule->base = cfi_base(&p->run->entries->machine, reg);
	rule->off = (s32)off;
	rule->off2 = 0;
	p->changed = true;
}

/* Changes one half of "register + offset"; there must be both halves. */
static void change_cfa(struct program *p, u64 reg, s64 off)
{
	if (p->st->rule.cfa != CFI_CFA_REG)
		reg = CFI_NO_REG;
	def_cfa(p, reg, off);
}

static struct view block(struct view *v)
{
	u64 sz = uleb(v);
	struct view b = view__sub(v, 0, sz);

	view__bytes(v, (size_t)sz);
	return b;
}

static void in_register(struct program *p, u64 reg, u64 other)
{
	struct cfi_saved *saved = saved_of(p->run, p->st, reg);

	set(p, reg, other < CFI_NO_REG ? CFI_IN_REG : CFI_UNKNOWN, 0);
	if (saved && other < CFI_NO_REG)
		saved->reg = (u8)other;
}

/* Gives the value itself, not a location. That sp is the CFA is always true. */
static void value_at_cfa(struct program *p, u64 reg, s64 off)
{
	bool is_sp = reg == p->run->entries->machine.sp;

	set(p, reg, is_sp && !off ? CFI_SAME : CFI_UNKNOWN, 0);
}

static void expression(struct program *p, u64 reg, struct view expr)
{
	struct cfi_saved *saved = saved_of(p->run, p->st, reg);

	set(p, reg, CFI_UNKNOWN, 0);
	if (saved && expr.p != expr.end)
		cfi_expr__saved(expr, &p->run->entries->machine, saved);
}

static void restore(struct program *p, u64 reg)
{
	struct cfi_saved *saved = saved_of(p->run, p->st, reg);

	if (!saved)
		return;
	*saved = *saved_of(p->run, &p->first, reg);
	p->changed = true;
}

static bool remember(struct program *p)
{
	if (p->depth == CFI_DEPTH_MAX)
		return false;
	p->remembered[p->depth++] = *p->st;
	return true;
}

static bool recall(struct program *p)
{
	if (!p->depth)
		return false;
	*p->st = p->remembered[--p->depth];
	p->changed = true;
	return true;
}

/* Instructions that change the rule of the CFA. False: it does not, or it is invalid. */
static bool cfa_instruction(struct program *p, u8 op, struct view *v)
{
	struct cfi_rule *rule = &p->st->rule;
	u64 reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = uleb(v);
		def_cfa(p, reg, (s64)uleb(v));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = uleb(v);
		def_cfa(p, reg, scaled(p, (u64)view__sleb(v)));
		return true;
	case DW_CFA_def_cfa_register:
		change_cfa(p, uleb(v), rule->off);
		return true;
	case DW_CFA_def_cfa_offset:
		change_cfa(p, rule->reg, (s64)uleb(v));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(p, rule->reg, scaled(p, (u64)view__sleb(v)));
		return true;
	case DW_CFA_def_cfa_expression:
		cfi_expr__cfa(block(v), &p->run->entries->machine, rule);
		p->changed = true;
		return true;
	default:
		return false;
	}
}

/* Instructions that change the rule of a register, and those without an effect here. */
static bool register_instruction(struct program *p, u8 op, struct view *v)
{
	u64 reg = 0;

	switch (op) {
	case DW_CFA_GNU_args_size:
		uleb(v);
		return true;
	case CFA_AARCH64_negate_ra_state:
	case CFA_AARCH64_negate_ra_state_with_pc:
		return !p->run->entries->machine.ra_in_memory;
	default:
		reg = uleb(v);
	}
	switch (op) {
	case DW_CFA_offset_extended:
		set(p, reg, CFI_AT_CFA, scaled(p, uleb(v)));
		return true;
	case DW_CFA_offset_extended_sf:
		set(p, reg, CFI_AT_CFA, scaled(p, (u64)view__sleb(v)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set(p, reg, CFI_AT_CFA, scaled(p, -uleb(v)));
		return true;
	case DW_CFA_val_offset:
		value_at_cfa(p, reg, scaled(p, uleb(v)));
		return true;
	case DW_CFA_val_offset_sf:
		value_at_cfa(p, reg, scaled(p, (u64)view__sleb(v)));
		return true;
	case DW_CFA_restore_extended:
		restore(p, reg);
		return true;
	case DW_CFA_undefined:
		set(p, reg, CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set(p, reg, CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		in_register(p, reg, uleb(v));
		return true;
	case DW_CFA_expression:
		expression(p, reg, block(v));
		return true;
	case DW_CFA_val_expression:
		block(v);
		set(p, reg, CFI_UNKNOWN, 0);
		return true;
	default:
		return false;
	}
}

static bool instruction(struct program *p, u8 op, struct view *v)
{
	u8 low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		advance(p, low);
		return true;
	case DW_CFA_offset:
		set(p, low, CFI_AT_CFA, scaled(p, uleb(v)));
		return true;
	case DW_CFA_restore:
		restore(p, low);
		return true;
	}
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_loc(p, v);
	case DW_CFA_advance_loc1:
		advance(p, view__u8(v));
		return true;
	case DW_CFA_advance_loc2:
		advance(p, view__u16(v));
		return true;
	case DW_CFA_advance_loc4:
		advance(p, view__u32(v));
		return true;
	case DW_CFA_remember_state:
		return remember(p);
	case DW_CFA_restore_state:
		return recall(p);
	default:
		return cfa_instruction(p, op, v) || register_instruction(p, op, v);
	}
}

int cfi_run__program(const struct cfi_run *run, struct view program, struct cfi_state *st)
{
	bool sense = true;
	struct program p;

	/* not an initializer: that would clear the room for remembered states each time */
	p.run = run;
	p.st = st;
	p.first = *st;
	p.depth = 0;
	p.at = run->start;
	p.changed = true;
	p.done = false;
	p.r = 0;
	while (sense && !p.done && program.p < program.end) {
		u8 op = *program.p++;

		sense = instruction(&p, op, &program) && !program.bad;
	}
	if (!sense) {
		st->rule.cfa = CFI_CFA_UNSUPPORTED;
		p.changed = true;
	}
	if (!p.done)
		finish_line(&p, run->end);
	return p.r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF expressions are programs for a stack machine. Call frame information contains only a few
 * simple forms: a register, a constant, at most one memory access, a constant; and one more for the
 * procedure linkage table, which all linkers write the same way. So an expression is not run but
 * recognised, and becomes a rule of fixed form.
 */
#include "elf/cfi_priv.h"

#include <dwarf.h>

/* *(reg + off) + off2, or reg + off */
struct form {
	s64 off;
	s64 off2;
	u64 reg;
	bool based;
	bool deref;
};

static void add(struct form *f, s64 n)
{
	s64 *to = f->deref ? &f->off2 : &f->off;

	*to = (s64)((u64)*to + (u64)n);
}

/* The constant that an operation pushes; false if it does not push one. */
static bool constant(struct view *v, u8 op, s64 *ret)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*ret = op - DW_OP_lit0;
		return true;
	}
	switch (op) {
	case DW_OP_const1u:
		*ret = view__u8(v);
		return true;
	case DW_OP_const1s:
		*ret = (signed char)view__u8(v);
		return true;
	case DW_OP_const2u:
		*ret = view__u16(v);
		return true;
	case DW_OP_const2s:
		*ret = (__s16)view__u16(v);
		return true;
	case DW_OP_const4u:
		*ret = view__u32(v);
		return true;
	case DW_OP_const4s:
		*ret = (s32)view__u32(v);
		return true;
	case DW_OP_constu:
		*ret = (s64)view__uleb(v);
		return true;
	case DW_OP_consts:
		*ret = view__sleb(v);
		return true;
	default:
		return false;
	}
}

/* One operation; false if it is not part of the form. */
static bool take(struct form *f, struct view *v)
{
	u8 op = view__u8(v);
	s64 n;

	if (!f->based) {
		f->based = true;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
			f->reg = op - DW_OP_breg0;
		else if (op == DW_OP_bregx)
			f->reg = view__uleb(v);
		else
			return false;
		f->off = view__sleb(v);
		return true;
	}
	if (op == DW_OP_plus_uconst) {
		add(f, (s64)view__uleb(v));
		return true;
	}
	if (op == DW_OP_deref && !f->deref) {
		f->deref = true;
		return true;
	}
	if (!constant(v, op, &n))
		return op == DW_OP_nop;
	op = view__u8(v);
	add(f, op == DW_OP_minus ? -(u64)n : (u64)n);
	return op == DW_OP_plus || op == DW_OP_minus;
}

static bool recognize(struct view v, struct form *f)
{
	*f = (struct form){ 0 };
	while (view__left(&v))
		if (!take(f, &v))
			return false;
	return f->based && !v.bad && f->reg < CFI_NO_REG && f->off == (s32)f->off &&
	       f->off2 == (s32)f->off2;
}

/*
 * An entry of the linkage table has 16 bytes. It is called with the return address on top of the
 * stack, and from some byte on it has pushed one more word:
 *
 *	sp + off + ((ip & 15) >= n) << 3
 */
static bool recognize_plt(struct view v, const struct cfi_machine *m, struct cfi_rule *rule)
{
	s64 off;
	u8 n;

	if (view__u8(&v) != DW_OP_breg0 + m->sp)
		return false;
	off = view__sleb(&v);
	rule->off = (s32)off;
	if (off != rule->off || view__u8(&v) != DW_OP_breg0 + m->ra || view__sleb(&v) != 0 ||
	    view__u8(&v) != DW_OP_lit15 || view__u8(&v) != DW_OP_and)
		return false;
	n = view__u8(&v);
	rule->off2 = n - DW_OP_lit0;
	return n >= DW_OP_lit0 && n <= DW_OP_lit15 && view__u8(&v) == DW_OP_ge &&
	       view__u8(&v) == DW_OP_lit3 && view__u8(&v) == DW_OP_shl &&
	       view__u8(&v) == DW_OP_plus && !v.bad && !view__left(&v);
}

void cfi_expr__cfa(struct view expr, const struct cfi_machine *m, struct cfi_rule *rule)
{
	struct form f;

	rule->reg = m->sp;
	rule->off2 = 0;
	if (recognize(expr, &f)) {
		rule->cfa = f.deref ? CFI_CFA_DEREF : CFI_CFA_REG;
		rule->reg = (u8)f.reg;
		rule->off = (s32)f.off;
		rule->off2 = (s32)f.off2;
	} else if (recognize_plt(expr, m, rule)) {
		rule->cfa = CFI_CFA_PLT;
	} else {
		rule->cfa = CFI_CFA_UNSUPPORTED;
	}
	rule->base = cfi_base(m, rule->reg);
}

void cfi_expr__saved(struct view expr, const struct cfi_machine *m, struct cfi_saved *saved)
{
	struct form f;

	saved->how = CFI_UNKNOWN;
	if (!recognize(expr, &f) || f.deref || f.reg != m->fp)
		return;
	saved->how = CFI_AT_FP;
	saved->off = (s32)f.off;
}

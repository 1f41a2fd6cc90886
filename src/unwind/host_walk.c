/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk is a struct that can be copied: whoever guesses a frame pointer walks on with a copy, and
 * drops it if that leads nowhere. The stack may hold the frame of an earlier call at any place, so
 * a single return address proves nothing; a whole chain of them up to the outermost function does,
 * because each rule along it fixes where the next address must be.
 */
#include "unwind/host_walk.h"

#include <string.h>

/* No program has code below this: vm.mmap_min_addr. */
#define LOWEST_CODE 4096
/* How far up the stack a frame pointer is searched, and how many walks that may take. */
#define SEARCH_SZ 16384
#define SEARCH_WALKS 64
#define CALL_MAX_SZ 7

#define REG_BX 3

#if defined(__x86_64__)
#define IS_X86 1
#else
#define IS_X86 0
#endif

struct walk {
	const struct rules *rules;
	const struct host_memory *mem;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx;
	bool fp_known;
	bool bx_known;
	bool by_fp; /* this frame was found by frame pointer */
	bool ret; /* ip is a return address */
	bool searched; /* the frame pointer was guessed */
	u32 limit;
	struct host_code code; /* of ip */
	struct host_stack *stack;
};

static u64 at_of(const struct walk *w)
{
	return w->ip - (w->ret ? 1 : 0);
}

static bool word(const struct walk *w, u64 addr, u64 *ret)
{
	return w->mem->read(w->mem->arg, addr, ret, sizeof(*ret));
}

/* True: the walk is over. */
static bool end_walk(const struct walk *w, enum cs_stack_end end)
{
	w->stack->end = end;
	return true;
}

static u32 rule_in_page(const struct table *t, size_t page, u32 at)
{
	u32 first = *(u32 *)vec__at(&t->pages, page), last = *(u32 *)vec__at(&t->pages, page + 1);
	u32 rule = 0;

	while (first < last) {
		u32 mid = first + (last - first) / 2;
		const struct cs_unwind_row *row = vec__at(&t->rows, mid);

		if (row->off > at) {
			last = mid;
		} else {
			rule = row->rule;
			first = mid + 1;
		}
	}
	return rule;
}

/* The rule at an address in the code; NULL: there is none. */
static const struct cs_unwind_rule *rule_at(const struct walk *w, const struct host_code *c, u64 at)
{
	u64 off = at - c->start + c->off;
	u64 page = off >> CS_UNWIND_PAGE_BITS;
	u32 rule;

	if (!c->table || page < c->table->first_page)
		return NULL;
	page -= c->table->first_page;
	if (page + 1 >= c->table->pages.len)
		return NULL;
	rule = rule_in_page(c->table, page, (u32)off & ((1U << CS_UNWIND_PAGE_BITS) - 1));
	return rule ? &w->rules->at[rule] : NULL;
}

static bool find_code(const struct walk *w, u64 at, struct host_code *ret)
{
	return at >= LOWEST_CODE && w->mem->code(w->mem->arg, at, ret);
}

/* The address behind a call that goes through a register or memory: FF /2. */
static bool is_indirect_call(const u8 *end)
{
	for (int len = 2; len <= CALL_MAX_SZ; len++) {
		const u8 *p = end - len;
		u8 mod, rm;
		int want = 2;

		if (*p == 0x41 && len > 2) {
			p++;
			want++;
		}
		if (*p != 0xff || (p[1] >> 3 & 7) != 2)
			continue;
		mod = p[1] >> 6;
		rm = p[1] & 7;
		want += mod != 3 && rm == 4; /* SIB */
		want += mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
		if (want == len)
			return true;
	}
	return false;
}

enum call { CALL_NONE, CALL_INDIRECT, CALL_DIRECT };

/* What kind of call precedes an address; *ret_target is where a direct one goes. */
static enum call call_before(const struct walk *w, u64 ip, u64 *ret_target)
{
	u8 code[CALL_MAX_SZ];
	s32 disp;

	if (ip < LOWEST_CODE || !w->mem->read(w->mem->arg, ip - sizeof(code), code, sizeof(code)))
		return CALL_NONE;
	if (code[2] == 0xe8) {
		memcpy(&disp, code + 3, sizeof(disp));
		*ret_target = ip + (u64)(s64)disp;
		return CALL_DIRECT;
	}
	return is_indirect_call(code + sizeof(code)) ? CALL_INDIRECT : CALL_NONE;
}

/* Code that jumps on, to another file: "jmp *DISP(%rip)", where it may start with "endbr64". */
static bool is_jump(const struct walk *w, u64 addr)
{
	static const u8 endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	u8 code[8];
	u32 i;

	if (!w->mem->read(w->mem->arg, addr, code, sizeof(code)))
		return true;
	i = memcmp(code, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	i += code[i] == 0xf2; /* bnd */
	return code[i] == 0xff && code[i + 1] == 0x25;
}

/* Whether `ip` can be a return address into the caller of the code at `callee`. */
static bool is_return(const struct walk *w, u64 ip, u64 callee)
{
	struct host_code code, target_code;
	u64 target = 0;
	bool is_here;
	enum call call;

	if (!find_code(w, ip - 1, &code))
		return false;
	call = call_before(w, ip, &target);
	if (call != CALL_DIRECT)
		return call == CALL_INDIRECT;
	if (!find_code(w, target, &target_code))
		return false;
	/* What leads into the same code must lead to the function; a jump leads out of it. */
	is_here = callee >= target_code.start && callee < target_code.end;
	return is_jump(w, target) ? !is_here : is_here && target <= callee;
}

/* The current frame joins the stack. True: the walk is over. */
static bool place(struct walk *w)
{
	struct host_stack *s = w->stack;
	struct host_frame *f = &s->frame[s->len];
	u64 at = at_of(w);
	bool found = at >= w->code.start && at < w->code.end;

	if (s->len >= w->limit)
		return end_walk(w, CS_END_DEPTH);
	if (!found) {
		w->code = (struct host_code){ 0 };
		found = find_code(w, at, &w->code);
	}
	if (!found && s->len)
		return end_walk(w, w->by_fp ? CS_END_FP : CS_END_NO_MAPPING);
	*f = (struct host_frame){ .ip = w->ip, .id = w->code.id, .found = found, .exact = !w->ret };
	f->is_file = w->code.is_file;
	f->off = w->code.is_file ? w->ip - w->code.start + w->code.off : w->ip;
	s->len++;
	return found ? false : end_walk(w, CS_END_NO_MAPPING);
}

static bool keeps_fp(const struct walk *w)
{
	return !w->code.is_file || w->code.keeps_fp;
}

static enum cs_stack_end no_table_end(const struct walk *w)
{
	return w->code.is_file ? CS_END_NO_CFI : CS_END_FP;
}

/* 0 in a frame pointer marks the root only where that is the convention. */
static enum cs_stack_end fp_chain_end(const struct walk *w)
{
	return w->code.is_file && w->code.keeps_fp ? CS_END_ROOT : no_table_end(w);
}

static bool go_up(struct walk *w, u64 ip, u64 sp)
{
	w->ip = ip;
	w->sp = sp;
	w->ret = true;
	/* on a guess a 0 proves nothing: any word may be one */
	if (!ip && w->searched)
		return end_walk(w, CS_END_FP);
	if (!ip)
		return end_walk(w, w->by_fp ? fp_chain_end(w) : CS_END_ROOT);
	if (ip < LOWEST_CODE)
		return end_walk(w, CS_END_NO_MAPPING);
	return false;
}

#if IS_X86
/* struct rt_sigframe at sp, after the handler returned; uc_mcontext is at 40. */
#define SIGFRAME_BP (40 + 8 * 10)
#define SIGFRAME_BX (40 + 8 * 11)
#define SIGFRAME_SP (40 + 8 * 15)
#define SIGFRAME_IP (40 + 8 * 16)
#else
/* struct rt_sigframe: siginfo (128), ucontext: uc_mcontext at 128 + 176; regs[31], sp, pc. */
#define SIGFRAME_BP (128 + 176 + 8 + 8 * 29)
#define SIGFRAME_BX (128 + 176 + 8 + 8 * 19)
#define SIGFRAME_SP (128 + 176 + 8 + 8 * 31)
#define SIGFRAME_IP (128 + 176 + 8 + 8 * 32)
#endif

/* What the kernel put on the stack for a signal handler: all earlier registers. */
static bool step_signal(struct walk *w)
{
	u64 sp, ip;
	bool over;

	if (!word(w, w->sp + SIGFRAME_BP, &w->fp) || !word(w, w->sp + SIGFRAME_BX, &w->bx) ||
	    !word(w, w->sp + SIGFRAME_SP, &sp) || !word(w, w->sp + SIGFRAME_IP, &ip))
		return end_walk(w, CS_END_FAULT);
	w->fp_known = true;
	w->bx_known = true;
	w->by_fp = false;
	over = go_up(w, ip, sp);
	w->ret = false; /* it was interrupted, it did not make a call */
	return over;
}

/* 0, or why there is no CFA. */
static enum cs_stack_end find_cfa(const struct walk *w, const struct cs_unwind_rule *rule, u64 *ret)
{
	u64 base;

	switch (rule->cfa) {
	case CS_CFA_SP:
		*ret = w->sp + (u64)(s64)rule->cfa_off;
		return 0;
	case CS_CFA_FP:
		*ret = w->fp + (u64)(s64)rule->cfa_off;
		return 0;
	case CS_CFA_PLT:
		*ret = w->sp + (u64)(s64)rule->cfa_off +
		       ((w->ip & 15) >= (u16)rule->cfa_off2 ? 8 : 0);
		return 0;
	case CS_CFA_REG:
		*ret = w->bx + (u64)(s64)rule->cfa_off;
		return IS_X86 && rule->reg == REG_BX && w->bx_known ? 0 : CS_END_REGISTER;
	case CS_CFA_FP_DEREF:
	case CS_CFA_SP_DEREF:
		base = rule->cfa == CS_CFA_FP_DEREF ? w->fp : w->sp;
		if (!word(w, base + (u64)(s64)rule->cfa_off, &base))
			return CS_END_FAULT;
		*ret = base + (u64)(s64)rule->cfa_off2;
		return 0;
	default:
		return CS_END_UNSUPPORTED;
	}
}

static bool needs_fp(const struct cs_unwind_rule *rule)
{
	return rule->cfa == CS_CFA_FP || rule->cfa == CS_CFA_FP_DEREF;
}

/* The value of a register in the caller; `how` is enum cs_saved. */
static bool saved(const struct walk *w, u32 how, u64 cfa, s32 off, u64 *value, bool *known)
{
	if (how == CS_SAVED_CFA || (how == CS_SAVED_FP && w->fp_known)) {
		*known = true;
		return word(w, (how == CS_SAVED_CFA ? cfa : w->fp) + (u64)(s64)off, value);
	}
	if (how == CS_SAVED_UNKNOWN || how == CS_SAVED_FP)
		*known = false;
	return true;
}

static bool step_rule(struct walk *w, const struct cs_unwind_rule *rule)
{
	u64 cfa = 0, ra = 0, fp = w->fp, bx = w->bx;
	bool fp_known = w->fp_known, bx_known = w->bx_known;
	enum cs_stack_end why = find_cfa(w, rule, &cfa);

	if (why)
		return end_walk(w, why);
	/* Stacks grow down; only a signal frame may be anywhere. */
	if (cfa < w->sp || (cfa == w->sp && w->stack->len > 1))
		return end_walk(w, CS_END_UNSUPPORTED);
	/* In a register that nobody can read: an arm64 function that called nothing, vfork(). */
	if (rule->ra != CS_SAVED_CFA)
		return end_walk(w, CS_END_REGISTER);
	if (!word(w, cfa + (u64)(s64)rule->ra_off, &ra) ||
	    !saved(w, rule->fp_bx & 15, cfa, rule->fp_off, &fp, &fp_known) ||
	    !saved(w, rule->fp_bx >> 4, cfa, rule->bx_off, &bx, &bx_known))
		return end_walk(w, CS_END_FAULT);
	if (w->searched && IS_X86 && ra && !is_return(w, ra, at_of(w)))
		return end_walk(w, CS_END_FP);
	w->fp = fp;
	w->bx = bx;
	w->fp_known = fp_known;
	w->bx_known = bx_known;
	w->by_fp = false;
	return go_up(w, ra, cfa);
}

/* "syscall": a stub that pushed nothing, as in Go, returns to [sp]. */
static bool try_stub(struct walk *w, bool *ret_over)
{
	u8 insn[2];
	u64 ra;

	if (!IS_X86 || w->stack->len != 1 ||
	    !w->mem->read(w->mem->arg, w->ip - sizeof(insn), insn, sizeof(insn)) ||
	    insn[0] != 0x0f || insn[1] != 0x05 || !word(w, w->sp, &ra) || ra < w->code.start ||
	    ra >= w->code.end)
		return false;
	*ret_over = go_up(w, ra, w->sp + 8);
	return true;
}

/* One step by frame pointer: [fp] is the caller's, [fp + 8] the return address. */
static bool step_fp(struct walk *w)
{
	u64 fp, ra;
	bool over;

	if (!w->fp)
		return end_walk(w, fp_chain_end(w));
	if (w->fp & 7 || w->fp < w->sp)
		return end_walk(w, no_table_end(w));
	if (!word(w, w->fp, &fp) || !word(w, w->fp + 8, &ra))
		return end_walk(w, CS_END_FAULT);
	if (w->searched && IS_X86 && ra && !is_return(w, ra, at_of(w)))
		return end_walk(w, CS_END_FP);
	if (!w->stack->gap && !keeps_fp(w))
		w->stack->gap = w->stack->len;
	w->by_fp = true;
	w->bx_known = false;
	over = go_up(w, ra, w->fp + 16);
	w->fp = fp;
	return over;
}

static bool step(struct walk *w);

static void walk_on(struct walk *w)
{
	while (!step(w))
		;
}

static bool is_whole(const struct host_stack *s)
{
	return s->end == CS_END_ROOT && !s->gap;
}

/*
 * Takes the place on the stack from which the walk gets home. If there is none, the stack ends
 * here: a register is unknown.
 */
static bool search_fp(struct walk *w)
{
	struct host_stack *s = w->stack;
	u32 len = s->len, gap = s->gap, walks = 0;

	for (u64 fp = (w->sp + 7) & ~7ULL; fp < w->sp + SEARCH_SZ && walks < SEARCH_WALKS;
	     fp += 8) {
		struct walk guess = *w;
		u64 any;

		if (!word(w, fp, &any))
			break;
		guess.fp = fp;
		guess.fp_known = true;
		guess.searched = true;
		s->len = len - 1; /* it places this frame again */
		s->gap = gap;
		walk_on(&guess);
		/* what did not get beyond the next frame was no return address */
		walks += s->len > len;
		if (is_whole(s))
			return true;
	}
	s->len = len;
	s->gap = gap;
	return end_walk(w, CS_END_REGISTER);
}

/* One frame up, from one that is in the stack. */
static bool leave(struct walk *w)
{
	const struct cs_unwind_rule *rule = w->code.is_file ? rule_at(w, &w->code, at_of(w)) : NULL;
	bool over;

	if (rule && rule->cfa == CS_CFA_END)
		return end_walk(w, CS_END_ROOT);
	if (rule && rule->cfa == CS_CFA_SIGNAL)
		return step_signal(w);
	if (!rule && try_stub(w, &over))
		return over;
	if (!w->fp_known && (!rule || needs_fp(rule)))
		return IS_X86 ? search_fp(w) : end_walk(w, CS_END_REGISTER);
	return rule ? step_rule(w, rule) : step_fp(w);
}

/* True: the walk is over. */
static bool step(struct walk *w)
{
	return place(w) || leave(w);
}

void host_walk(const struct rules *rules, const struct host_memory *mem, u64 ip, u64 sp, u32 limit,
	       struct host_stack *ret)
{
	struct walk w = {
		.rules = rules, .mem = mem, .ip = ip, .sp = sp, .limit = limit, .stack = ret
	};

	if (w.limit > CS_STACK_MAX)
		w.limit = CS_STACK_MAX;
	ret->len = 0;
	ret->gap = 0;
	ret->end = CS_END_ROOT;
	walk_on(&w);
}

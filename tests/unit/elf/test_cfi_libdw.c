/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our rows against those of libdw, on the programs of this machine. Both are asked for the caller's
 * CFA, return address and registers, not in words but in numbers: registers get arbitrary values,
 * and memory is a function of its address, so that two rules are equal when they compute the same.
 *
 * What may differ, and is counted:
 *   unsupported   rules that ours leaves out: registers by expressions other than fp + n, a stack
 *                 pointer that is not the CFA (setcontext), and what libdw cannot say either
 *   unknown       of those, a register only; the frame itself is right
 *   gap           code of less than 16 bytes between two functions, which libdw does not know
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/vec.h"
#include "elf/cfi.h"
#include "lib/workdir.h"

/* Rows compared of a file, spread over it, and bytes of code beside them. */
#define ROWS_MAX 20000
#define BYTES_MAX 20000
#define STACK 64

enum { REG_BX = 3, REG_FP = 6, REG_SP = 7, REG_RA = 16, REGS = 17 };

struct row {
	u64 off;
	struct cfi_rule rule;
};

/* What a rule makes of the registers. */
struct frame {
	u64 cfa;
	u64 ra;
	u64 fp;
	u64 bx;
	bool cfa_known;
	bool ra_known;
	bool fp_known;
	bool bx_known;
	bool ra_undefined;
	bool is_signal;
};

struct tally {
	u32 compared;
	u32 different;
	u32 unsupported;
	u32 unknown;
	u32 gap;
};

static u64 registers[REGS];

static u64 memory(u64 addr)
{
	return hash_u64(addr ^ 0x5bd1e995);
}

/* Runs an expression of libdw. */
static bool evaluate(const Dwarf_Op *ops, size_t len, u64 cfa, u64 *ret, bool *ret_is_value)
{
	u64 s[STACK] = { 0 };
	size_t n = 0, i;

	*ret_is_value = false;
	for (i = 0; i < len; i++) {
		u8 op = ops[i].atom;

		if (n + 1 == STACK)
			return false;
		if (op >= DW_OP_breg0 && op < DW_OP_breg0 + REGS)
			s[n++] = registers[op - DW_OP_breg0] + ops[i].number;
		else if (op == DW_OP_bregx && ops[i].number < REGS)
			s[n++] = registers[ops[i].number] + ops[i].number2;
		else if (op == DW_OP_call_frame_cfa)
			s[n++] = cfa;
		else if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			s[n++] = op - DW_OP_lit0;
		else if (op == DW_OP_const1u || op == DW_OP_const1s || op == DW_OP_const2u ||
			 op == DW_OP_const2s || op == DW_OP_const4u || op == DW_OP_const4s ||
			 op == DW_OP_constu || op == DW_OP_consts)
			s[n++] = ops[i].number;
		else if (op == DW_OP_regx && ops[i].number < REGS && len == 1) {
			*ret = registers[ops[i].number];
			*ret_is_value = true;
			return true;
		} else if (!n)
			return false;
		else if (op == DW_OP_deref)
			s[n - 1] = memory(s[n - 1]);
		else if (op == DW_OP_plus_uconst)
			s[n - 1] += ops[i].number;
		else if (op == DW_OP_stack_value)
			*ret_is_value = true;
		else if (n < 2)
			return false;
		else if (op == DW_OP_plus) {
			n--;
			s[n - 1] += s[n];
		} else if (op == DW_OP_and) {
			n--;
			s[n - 1] &= s[n];
		} else if (op == DW_OP_shl) {
			n--;
			s[n - 1] <<= s[n];
		} else if (op == DW_OP_ge) {
			n--;
			s[n - 1] = (s64)s[n - 1] >= (s64)s[n];
		} else
			return false;
	}
	*ret = n ? s[n - 1] : 0;
	return n > 0;
}

static bool their_register(Dwarf_Frame *f, int reg, u64 cfa, u64 *ret, bool *ret_undefined)
{
	Dwarf_Op mem[3], *ops = NULL;
	bool is_value;
	size_t n = 0;
	u64 at;

	*ret_undefined = false;
	if (dwarf_frame_register(f, reg, mem, &ops, &n))
		return false;
	if (!n) {
		*ret_undefined = ops == mem;
		*ret = registers[reg];
		return ops == NULL;
	}
	if (!evaluate(ops, n, cfa, &at, &is_value))
		return false;
	*ret = is_value ? at : memory(at);
	return true;
}

/* False when libdw knows nothing there. */
static bool their_frame(Dwarf_CFI *cfi, u64 vaddr, struct frame *ret)
{
	Dwarf_Frame *f = NULL;
	Dwarf_Op *ops;
	bool other, undefined;
	size_t n;

	*ret = (struct frame){ 0 };
	registers[REG_RA] = vaddr;
	if (dwarf_cfi_addrframe(cfi, vaddr, &f))
		return false;
	dwarf_frame_info(f, NULL, NULL, &ret->is_signal);
	if (!dwarf_frame_cfa(f, &ops, &n))
		ret->cfa_known = evaluate(ops, n, 0, &ret->cfa, &other);
	ret->ra_known = their_register(f, REG_RA, ret->cfa, &ret->ra, &ret->ra_undefined);
	ret->fp_known = their_register(f, REG_FP, ret->cfa, &ret->fp, &other);
	/* libdw takes a register not spoken of for lost, if the ABI says nothing; not rbx */
	ret->bx_known = their_register(f, REG_BX, ret->cfa, &ret->bx, &undefined) || undefined;
	free(f);
	return true;
}

static bool our_register(const struct cfi_saved *saved, int reg, u64 cfa, u64 *ret)
{
	switch (saved->how) {
	case CFI_SAME:
		*ret = registers[reg];
		return true;
	case CFI_AT_CFA:
		*ret = memory(cfa + (u64)(s64)saved->off);
		return true;
	case CFI_AT_FP:
		*ret = memory(registers[REG_FP] + (u64)(s64)saved->off);
		return true;
	case CFI_IN_REG:
		*ret = registers[saved->reg];
		return true;
	default:
		return false;
	}
}

static void our_frame(const struct cfi_rule *rule, u64 vaddr, struct frame *ret)
{
	u64 base = registers[rule->reg % REGS] + (u64)(s64)rule->off;

	*ret = (struct frame){ .cfa_known = true };
	switch (rule->cfa) {
	case CFI_CFA_REG:
		ret->cfa = base;
		break;
	case CFI_CFA_DEREF:
		ret->cfa = memory(base) + (u64)(s64)rule->off2;
		break;
	case CFI_CFA_PLT:
		ret->cfa = base + ((vaddr & 15) >= (u64)rule->off2 ? 8 : 0);
		break;
	case CFI_CFA_SIGNAL:
		/* as the kernel's struct rt_sigframe has them */
		ret->is_signal = ret->ra_known = ret->fp_known = ret->bx_known = true;
		base = registers[REG_SP] + 40;
		ret->cfa = memory(base + 15 * 8);
		ret->ra = memory(base + 16 * 8);
		ret->fp = memory(base + 10 * 8);
		ret->bx = memory(base + 11 * 8);
		return;
	case CFI_CFA_END:
		ret->ra_undefined = true;
		return;
	default:
		ret->cfa_known = false;
		return;
	}
	ret->ra_known = our_register(&rule->ra, REG_RA, ret->cfa, &ret->ra);
	ret->fp_known = our_register(&rule->fp, REG_FP, ret->cfa, &ret->fp);
	ret->bx_known = our_register(&rule->bx, REG_BX, ret->cfa, &ret->bx);
}

static bool same(bool known_a, u64 a, bool known_b, u64 b)
{
	return known_a == known_b && (!known_a || a == b);
}

static void compare(Dwarf_CFI *cfi, const struct cfi_rule *rule, u64 vaddr, bool in_gap,
		    struct tally *t)
{
	struct frame ours, theirs;
	bool have = their_frame(cfi, vaddr, &theirs);

	t->compared++;
	our_frame(rule, vaddr, &ours);
	if (!have || rule->cfa == CFI_CFA_NONE) {
		if (!have && in_gap)
			t->gap++;
		else if (have || rule->cfa != CFI_CFA_NONE)
			t->different++;
		return;
	}
	if (ours.ra_undefined && theirs.ra_undefined)
		return;
	if (!ours.cfa_known) {
		t->unsupported++;
		return;
	}
	if (!same(true, ours.cfa, theirs.cfa_known, theirs.cfa) ||
	    !same(ours.ra_known, ours.ra, theirs.ra_known, theirs.ra) ||
	    ours.is_signal != theirs.is_signal)
		t->different++;
	else if ((!ours.fp_known && theirs.fp_known) || (!ours.bx_known && theirs.bx_known))
		t->unknown++;
	else if (!same(ours.fp_known, ours.fp, theirs.fp_known, theirs.fp) ||
		 !same(ours.bx_known, ours.bx, theirs.bx_known, theirs.bx))
		t->different++;
	else
		return;
	if (t->different && t->different <= 5)
		print_error("at %#llx: cfa kind %d; cfa %d %d, ra %d %d, fp %d %d, bx %d %d; known "
			    "%d%d%d %d%d%d\n",
			    vaddr, rule->cfa, ours.cfa_known, ours.cfa == theirs.cfa, ours.ra_known,
			    ours.ra == theirs.ra, ours.fp_known, ours.fp == theirs.fp,
			    ours.bx_known, ours.bx == theirs.bx, ours.ra_known, ours.fp_known,
			    ours.bx_known, theirs.ra_known, theirs.fp_known, theirs.bx_known);
}

static int collect(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct row *row = vec__push(arg);

	assert_non_null(row);
	*row = (struct row){ .off = off, .rule = *rule };
	assert_true(row->rule.cfa <= CFI_CFA_UNSUPPORTED);
	return 0;
}

static const struct row *row_of(const struct vec *rows, u64 off)
{
	const struct row *r = rows->data;
	size_t lo = 0, hi = rows->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &r[lo - 1] : NULL;
}

static void compare_rows(const struct image *img, Dwarf_CFI *cfi, const struct vec *rows,
			 struct tally *t)
{
	size_t step = rows->len / ROWS_MAX + 1, i;

	for (i = 0; i < rows->len; i += step) {
		const struct row *row = vec__at(rows, i);
		struct frame theirs;
		u64 vaddr;

		if (i)
			assert_true(row->off > row[-1].off);
		if (!image__vaddr_of_offset(img, row->off, &vaddr))
			continue;
		/* ours begins in the last byte of the gap before the function */
		if (row->rule.cfa != CFI_CFA_NONE && !their_frame(cfi, vaddr, &theirs))
			vaddr++;
		compare(cfi, &row->rule, vaddr, false, t);
	}
}

/* Any bytes of the code, so that what we do not have at all is missed too. */
static void compare_bytes(const struct image *img, Dwarf_CFI *cfi, const struct vec *rows,
			  struct tally *t)
{
	static const struct cfi_rule none;
	size_t s, i;

	for (s = 0; s < img->segments_len; s++) {
		const struct image_segment *seg = &img->segments[s];
		size_t cnt = seg->file_sz < BYTES_MAX ? (size_t)seg->file_sz : BYTES_MAX;

		for (i = 0; i < cnt; i++) {
			u64 off = seg->off + hash_u64(i) % seg->file_sz;
			const struct row *row = row_of(rows, off);

			compare(cfi, row ? &row->rule : &none, seg->vaddr + off - seg->off,
				row != NULL, t);
		}
	}
}

static void set_registers(void)
{
	u32 i;

	for (i = 0; i < REGS; i++)
		registers[i] = hash_u64(i + 1) & ~15ULL;
}

static void compare_file(int fd, const char *name, struct tally *t)
{
	struct image *img = NULL;
	struct err err = { 0 };
	struct vec rows;
	Dwarf_CFI *cfi;
	Elf *elf;

	set_registers();
	*t = (struct tally){ 0 };
	vec__init(&rows, sizeof(struct row));
	if (image__open(fd, name, &img, &err) || cfi_read(img, name, collect, &rows, &err))
		fail_msg("%s", err.msg);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	cfi = dwarf_getcfi_elf(elf);
	assert_non_null(cfi);
	compare_rows(img, cfi, &rows, t);
	compare_bytes(img, cfi, &rows, t);
	print_message("# %s: %zu rows, %u compared, %u different, %u unsupported, %u unknown, "
		      "%u gap\n",
		      name, rows.len, t->compared, t->different, t->unsupported, t->unknown,
		      t->gap);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	image__free(img);
	vec__done(&rows);
}

struct expected {
	const char *path;
	u32 unsupported; /* at most */
	u32 unknown;
};

static void check_installed(const struct expected *want)
{
	struct tally t;
	int fd = open(want->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		print_error("SKIPPED: there is no %s\n", want->path);
		return;
	}
	compare_file(fd, want->path, &t);
	close(fd);
	assert_true(t.compared > 1000);
	assert_int_equal(t.different, 0);
	assert_in_range(t.unsupported, 0, want->unsupported);
	assert_in_range(t.unknown, 0, want->unknown);
}

#define LIB "/usr/lib/x86_64-linux-gnu/"

static void test_cfi_read_equals_libdw_on_installed_files(void **state)
{
	static const struct expected files[] = {
		{ LIB "libc.so.6", 40, 0 },
		{ LIB "ld-linux-x86-64.so.2", 40, 0 },
		{ LIB "libm.so.6", 0, 0 },
		{ LIB "libstdc++.so.6", 0, 0 },
		{ LIB "libcrypto.so.3", 40, 40 },
		{ LIB "libLLVM-16.so.1", 0, 0 },
		{ "/usr/bin/python3", 0, 0 },
		{ "/usr/bin/node", 40, 40 },
		{ "/usr/lib/postgresql/15/bin/postgres", 0, 0 },
		{ "/usr/sbin/mariadbd", 0, 0 },
		{ "/usr/bin/redis-check-rdb", 0, 0 },
	};
	size_t i;

	(void)state;
#if !defined(__x86_64__)
	skip();
#endif
	for (i = 0; i < ARRAY_LEN(files); i++)
		check_installed(&files[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi_read_equals_libdw_on_installed_files),
	};

	return cmocka_run_group_tests_name("cfi against libdw", tests, NULL, NULL);
}

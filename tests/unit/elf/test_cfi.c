/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small assembler programs, each with the directives of one kind of rule, and asked for the rule at
 * a label. lld links programs of both machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "elf/cfi.h"
#include "lib/workdir.h"

/* Assemblers of both machines, and the linker. clang takes a fifth of a second each time. */
#define X86 "as --64 -o p.o p.s"
#define CLANG "clang-16 --target=x86_64-linux-gnu -w -c -o p.o p.s"
#define ARM "clang-16 --target=aarch64-linux-gnu -w -c -o p.o p.s"
#define SHARED "ld.lld -shared --eh-frame-hdr -o p p.o"
#define FIXED "ld.lld -e f -o p p.o"

struct row {
	u64 off;
	struct cfi_rule rule;
};

static struct workdir dir;
static struct vec rows;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	vec__init(&rows, sizeof(struct row));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vec__done(&rows);
	workdir__done(&dir);
	return 0;
}

static int collect(void *arg, u64 off, const struct cfi_rule *rule)
{
	const struct row *last = rows.len ? vec__at(&rows, rows.len - 1) : NULL;
	struct row *row;

	(void)arg;
	assert_true(!last || off > last->off);
	row = vec__push(&rows);
	assert_non_null(row);
	*row = (struct row){ .off = off, .rule = *rule };
	return 0;
}

static struct image *open_image(const char *name)
{
	int fd = workdir__open(&dir, name);
	struct image *img = NULL;
	struct err err = { 0 };

	if (image__open(fd, name, &img, &err))
		fail_msg("%s", err.msg);
	close(fd);
	return img;
}

/* Takes the rows of a file; the error or 0. */
static int read_rows(const char *name)
{
	struct image *img = open_image(name);
	struct err err = { 0 };
	int r;

	vec__reset(&rows);
	r = cfi_read(img, name, collect, NULL, &err);
	assert_true(!r == !err.msg[0]);
	image__free(img);
	return r;
}

/* Assembles and links into "p"; skips the test where that cannot be. */
static void build_with(const char *assemble, const char *link, const char *text)
{
	workdir__write(&dir, "p.s", text, strlen(text));
	if (!workdir_have("as clang-16 ld.lld nm"))
		skip();
	if (!workdir__run(&dir, "%s && %s", assemble, link))
		fail_msg("cannot build: %s && %s", assemble, link);
}

static void build(const char *assemble, const char *text)
{
	build_with(assemble, SHARED, text);
	assert_int_equal(read_rows("p"), 0);
}

/* The rule at a label of "p", whose symbols `file` has. */
static struct cfi_rule rule_in(const char *file, const char *label, int plus)
{
	const struct row *r = rows.data, *at = NULL;
	struct image *img = open_image("p");
	u64 vaddr = workdir__addr_of(&dir, file, label) + (u64)plus, off;
	const struct image_segment *seg = image__segment_at(img, vaddr);
	size_t i;

	assert_non_null(seg);
	off = seg->off + (vaddr - seg->vaddr);
	image__free(img);
	for (i = 0; i < rows.len && r[i].off <= off; i++)
		at = &r[i];
	return at ? at->rule : (struct cfi_rule){ 0 };
}

static struct cfi_rule rule_at(const char *label)
{
	return rule_in("p", label, 0);
}

static void expect_cfa(const char *label, enum cfi_cfa cfa, enum cfi_base base, int off)
{
	struct cfi_rule rule = rule_at(label);

	if (rule.cfa != cfa || rule.base != base || rule.off != off)
		fail_msg("%s: cfa %d base %d off %d", label, rule.cfa, rule.base, rule.off);
}

static void expect_saved(struct cfi_saved saved, enum cfi_how how, int off)
{
	assert_int_equal(saved.how, how);
	assert_int_equal(saved.off, off);
}

/* What compilers do nearly always. */
#define FUNCTION                                                                                   \
	".text\n.globl f, f1, f2, f3, f4, f5\nf: .cfi_startproc\npush %rbp\n"                      \
	".cfi_adjust_cfa_offset 8\n.cfi_offset rbp, -16\nf1: mov %rsp, %rbp\n"                     \
	".cfi_def_cfa_register rbp\nf2: push %rbx\n.cfi_offset rbx, -24\nf3: pop %rbx\npop %rbp\n" \
	".cfi_remember_state\n.cfi_restore rbp\n.cfi_restore rbx\n.cfi_def_cfa rsp, 8\nf4: ret\n"  \
	".cfi_restore_state\nf5: nop\nret\n.cfi_endproc\n"

static void expect_function(const char *symbols)
{
	struct cfi_rule r = rule_in(symbols, "f", 0);

	assert_int_equal(r.cfa, CFI_CFA_REG);
	assert_int_equal(r.base, CFI_BASE_SP);
	assert_int_equal(r.off, 8);
	expect_saved(r.ra, CFI_AT_CFA, -8);
	expect_saved(r.fp, CFI_SAME, 0);
	r = rule_in(symbols, "f1", 0);
	assert_int_equal(r.off, 16);
	expect_saved(r.fp, CFI_AT_CFA, -16);
	r = rule_in(symbols, "f2", 0);
	assert_int_equal(r.base, CFI_BASE_FP);
	assert_int_equal(r.off, 16);
	expect_saved(r.bx, CFI_SAME, 0);
	r = rule_in(symbols, "f3", 0);
	expect_saved(r.bx, CFI_AT_CFA, -24);
	r = rule_in(symbols, "f4", 0);
	assert_int_equal(r.base, CFI_BASE_SP);
	assert_int_equal(r.off, 8);
	expect_saved(r.fp, CFI_SAME, 0);
	expect_saved(r.bx, CFI_SAME, 0);
	r = rule_in(symbols, "f5", 0);
	assert_int_equal(r.base, CFI_BASE_FP);
	expect_saved(r.fp, CFI_AT_CFA, -16);
}

static void test_cfi_read_follows_a_function(void **state)
{
	(void)state;
	build(X86, FUNCTION);
	expect_function("p");
}

static void test_cfi_read_ends_with_nothing(void **state)
{
	const struct row *last;

	(void)state;
	build(X86, FUNCTION);
	last = vec__at(&rows, rows.len - 1);
	assert_int_equal(last->rule.cfa, CFI_CFA_NONE);
	assert_true(last->off > last[-1].off);
}

static void test_cfi_read_takes_undefined_return_address_for_the_end(void **state)
{
	(void)state;
	build(X86, ".globl s, s1\ns: .cfi_startproc\n.cfi_undefined rip\nnop\n"
		   ".cfi_def_cfa_offset 64\ns1: ret\n.cfi_endproc\n");
	assert_int_equal(rule_at("s").cfa, CFI_CFA_END);
	/* also when the rule of the CFA changes after that */
	assert_int_equal(rule_at("s1").cfa, CFI_CFA_END);
}

static void test_cfi_read_follows_a_return_address_in_a_register(void **state)
{
	(void)state;
	build(X86, ".globl v\nv: .cfi_startproc\npop %rdi\n.cfi_adjust_cfa_offset -8\n"
		   ".cfi_register rip, rdi\n.globl v1\nv1: nop\n.cfi_endproc\n");
	expect_cfa("v1", CFI_CFA_REG, CFI_BASE_SP, 0);
	assert_int_equal(rule_at("v1").ra.how, CFI_IN_REG);
	assert_int_equal(rule_at("v1").ra.reg, 5);
}

/* A stack that is aligned anew: gcc keeps the old one in r10, later in memory. */
static void test_cfi_read_follows_realigned_stacks(void **state)
{
	struct cfi_rule r;

	(void)state;
	build(X86, ".globl d, d1\nd: .cfi_startproc\nnop\n.cfi_def_cfa r10, 0\nnop\n"
		   "d1: nop\n.globl d2\n"
		   ".cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06\n" /* *(rbp - 8) */
		   ".cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00\n" /* rbp at rbp + 0 */
		   ".cfi_escape 0x10, 0x03, 0x02, 0x76, 0x70\n" /* rbx at rbp - 16 */
		   "d2: nop\n.cfi_endproc\n");
	expect_cfa("d1", CFI_CFA_REG, CFI_BASE_REG, 0);
	assert_int_equal(rule_at("d1").reg, 10);
	expect_cfa("d2", CFI_CFA_DEREF, CFI_BASE_FP, -8);
	r = rule_at("d2");
	assert_int_equal(r.off2, 0);
	expect_saved(r.fp, CFI_AT_FP, 0);
	expect_saved(r.bx, CFI_AT_FP, -16);
}

static void test_cfi_read_knows_expressions_that_occur(void **state)
{
	(void)state;
	build(X86, ".globl e1,e2,e3,e4,e5,e6,e7\ne: .cfi_startproc\nnop\n"
		   /* OpenSSL: *(rsp + 0x1c0) + 8 */
		   ".cfi_escape 0x0f, 6, 0x77, 0xc0, 0x03, 0x06, 0x23, 0x08\ne1: nop\n"
		   /* rbp + 24, without memory; a register by number */
		   ".cfi_escape 0x0f, 2, 0x76, 24\ne2: nop\n"
		   ".cfi_escape 0x0f, 3, 0x92, 0x06, 32\ne3: nop\n"
		   /* *(rbp + 8) - 16 by lit16, minus; + const1u */
		   ".cfi_escape 0x0f, 5, 0x76, 8, 0x06, 0x40, 0x1c\ne4: nop\n"
		   ".cfi_escape 0x0f, 6, 0x76, 8, 0x06, 0x08, 200, 0x22\ne5: nop\n"
		   /* two accesses, and a register without anything */
		   ".cfi_escape 0x0f, 4, 0x76, 8, 0x06, 0x06\ne6: nop\n"
		   ".cfi_escape 0x0f, 1, 0x56\ne7: nop\n.cfi_endproc\n");
	expect_cfa("e1", CFI_CFA_DEREF, CFI_BASE_SP, 0x1c0);
	assert_int_equal(rule_at("e1").off2, 8);
	expect_cfa("e2", CFI_CFA_REG, CFI_BASE_FP, 24);
	expect_cfa("e3", CFI_CFA_REG, CFI_BASE_FP, 32);
	expect_cfa("e4", CFI_CFA_DEREF, CFI_BASE_FP, 8);
	assert_int_equal(rule_at("e4").off2, -16);
	assert_int_equal(rule_at("e5").off2, 200);
	assert_int_equal(rule_at("e6").cfa, CFI_CFA_UNSUPPORTED);
	assert_int_equal(rule_at("e7").cfa, CFI_CFA_UNSUPPORTED);
}

static void test_cfi_read_knows_the_linkage_table(void **state)
{
	struct cfi_rule r;

	(void)state;
	build(X86,
	      ".globl q\nq: .cfi_startproc\n"
	      ".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
	      "nop\n.cfi_endproc\n");
	r = rule_at("q");
	assert_int_equal(r.cfa, CFI_CFA_PLT);
	assert_int_equal(r.off, 8);
	assert_int_equal(r.off2, 11);
}

static void test_cfi_read_knows_frames_of_signals(void **state)
{
	(void)state;
	build(X86, ".globl r\nr0: .cfi_startproc\n.cfi_signal_frame\n"
		   ".cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\n" /* *(rsp + 160) */
		   ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\nnop\nr: nop\n.cfi_endproc\n"
		   ".globl n\nn: .cfi_startproc\n.cfi_signal_frame\nnop\n.cfi_endproc\n");
	assert_int_equal(rule_at("r").cfa, CFI_CFA_SIGNAL);
	/* no frame of the kernel's form: a rule like others */
	expect_cfa("n", CFI_CFA_REG, CFI_BASE_SP, 8);
}

static void test_cfi_read_refuses_a_stack_pointer_that_is_not_the_cfa(void **state)
{
	(void)state;
	build(X86, ".globl c, c1\nc: .cfi_startproc\nnop\n.cfi_def_cfa rdi, 0\n"
		   ".cfi_offset rsp, 160\nc1: nop\n.cfi_endproc\n");
	assert_int_equal(rule_at("c1").cfa, CFI_CFA_UNSUPPORTED);
}

static void test_cfi_read_says_what_register_is_lost(void **state)
{
	(void)state;
	build(X86, ".globl u, u1, u2\nu: .cfi_startproc\nnop\n.cfi_undefined rbx\nu1: nop\n"
		   ".cfi_escape 0x10, 6, 2, 0x77, 8\n" /* rbp at rsp + 8 */
		   "u2: nop\n.cfi_endproc\n");
	assert_int_equal(rule_at("u1").bx.how, CFI_UNDEFINED);
	assert_int_equal(rule_at("u2").fp.how, CFI_UNKNOWN);
	expect_cfa("u2", CFI_CFA_REG, CFI_BASE_SP, 8);
}

static void test_cfi_read_moves_by_every_instruction(void **state)
{
	(void)state;
	build(X86, ".globl a, a1, a2, a3\na: .cfi_startproc\n.skip 70\n.cfi_def_cfa_offset 16\n"
		   "a1: .skip 300\n.cfi_def_cfa_offset 24\na2: .skip 70000\n"
		   ".cfi_def_cfa_offset 32\n.cfi_escape 0x2e, 0x10\na3: nop\n.cfi_endproc\n");
	expect_cfa("a", CFI_CFA_REG, CFI_BASE_SP, 8);
	expect_cfa("a1", CFI_CFA_REG, CFI_BASE_SP, 16);
	expect_cfa("a2", CFI_CFA_REG, CFI_BASE_SP, 24);
	expect_cfa("a3", CFI_CFA_REG, CFI_BASE_SP, 32);
	assert_int_equal(rule_in("p", "a3", -1).off, 24);
}

static void test_cfi_read_reads_long_forms_of_instructions(void **state)
{
	struct cfi_rule r;

	(void)state;
	build(X86, ".globl l, l1, l2\nl: .cfi_startproc\nnop\n"
		   ".cfi_escape 0x05, 6, 2\n" /* offset_extended rbp, CFA - 16 */
		   ".cfi_escape 0x11, 3, 3\n" /* offset_extended_sf rbx, CFA - 24 */
		   ".cfi_escape 0x12, 6, 0x7e\n" /* def_cfa_sf rbp + 16 */
		   "l1: nop\n"
		   ".cfi_escape 0x13, 0x7d\n" /* def_cfa_offset_sf 24 */
		   ".cfi_escape 0x06, 6, 0x08, 3\n" /* restore_extended, same_value */
		   "l2: nop\n.cfi_endproc\n");
	r = rule_at("l1");
	expect_saved(r.fp, CFI_AT_CFA, -16);
	expect_saved(r.bx, CFI_AT_CFA, -24);
	expect_cfa("l1", CFI_CFA_REG, CFI_BASE_FP, 16);
	r = rule_at("l2");
	expect_saved(r.fp, CFI_SAME, 0);
	expect_saved(r.bx, CFI_SAME, 0);
	expect_cfa("l2", CFI_CFA_REG, CFI_BASE_FP, 24);
}

static void test_cfi_read_gives_up_a_program_without_sense(void **state)
{
	(void)state;
	build(X86, ".globl b, b1, g\nb: .cfi_startproc\nnop\n.cfi_def_cfa_offset 16\nnop\n"
		   ".cfi_escape 0x3f\nb1: nop\nnop\n.cfi_endproc\n"
		   "g: .cfi_startproc\nnop\n.cfi_endproc\n");
	assert_int_equal(rule_at("b1").cfa, CFI_CFA_UNSUPPORTED);
	/* the next one is not touched by that */
	expect_cfa("g", CFI_CFA_REG, CFI_BASE_SP, 8);
}

static void test_cfi_read_bounds_remembered_states(void **state)
{
	(void)state;
	build(X86, ".globl m, m1, w, w1\nm: .cfi_startproc\nnop\n"
		   ".rept 100\n.cfi_escape 0x0a\n.endr\nm1: nop\n.cfi_endproc\n"
		   "w: .cfi_startproc\nnop\n.cfi_escape 0x0b\nw1: nop\n.cfi_endproc\n");
	assert_int_equal(rule_at("m1").cfa, CFI_CFA_UNSUPPORTED);
	assert_int_equal(rule_at("w1").cfa, CFI_CFA_UNSUPPORTED);
}

static void test_cfi_read_bridges_alignment_only(void **state)
{
	(void)state;
	build(X86, ".globl x, y, z\nx: .cfi_startproc\nret\n.cfi_endproc\n.skip 15\n"
		   "y: .cfi_startproc\n ret\n.cfi_endproc\n.skip 16\n"
		   "z: .cfi_startproc\nret\n.cfi_endproc\n.skip 8\n");
	assert_int_equal(rule_in("p", "x", 10).cfa, CFI_CFA_REG);
	assert_int_equal(rule_in("p", "y", 10).cfa, CFI_CFA_NONE);
	assert_int_equal(rule_in("p", "z", -2).cfa, CFI_CFA_NONE);
	/* the address of the function itself as a return address is looked up there */
	assert_int_equal(rule_in("p", "z", -1).cfa, CFI_CFA_REG);
	assert_int_equal(rule_in("p", "z", 0).cfa, CFI_CFA_REG);
	assert_int_equal(rule_in("p", "z", 1).cfa, CFI_CFA_NONE);
}

/* The rule of the function before it would find a wrong caller. */
static void test_cfi_read_has_nothing_for_a_short_function_without_it(void **state)
{
	(void)state;
	build(X86, ".globl x, s, y\nx: .cfi_startproc\nret\n.cfi_endproc\n"
		   "s: push %rbx\ncall x\npop %rbx\n.skip 12\nret\n"
		   "y: .cfi_startproc\nret\n.cfi_endproc\n");
	assert_int_equal(rule_in("p", "x", 0).cfa, CFI_CFA_REG);
	assert_int_equal(rule_in("p", "s", 0).cfa, CFI_CFA_NONE);
	assert_int_equal(rule_in("p", "s", 6).cfa, CFI_CFA_NONE);
	assert_int_equal(rule_in("p", "y", 0).cfa, CFI_CFA_REG);
}

static void test_cfi_read_follows_arm64(void **state)
{
	struct cfi_rule r;

	(void)state;
	build(ARM, ".globl f, f1, f2, s\nf: .cfi_startproc\nstp x29, x30, [sp, #-32]!\n"
		   ".cfi_def_cfa_offset 32\n.cfi_offset w29, -32\n.cfi_offset w30, -24\n"
		   ".cfi_negate_ra_state\nf1: mov x29, sp\n.cfi_def_cfa w29, 32\n"
		   "f2: ret\n.cfi_endproc\n"
		   "s: .cfi_startproc\n.cfi_signal_frame\nnop\n.cfi_endproc\n");
	expect_cfa("f", CFI_CFA_REG, CFI_BASE_SP, 0);
	expect_saved(rule_at("f").ra, CFI_SAME, 0);
	r = rule_at("f1");
	assert_int_equal(r.off, 32);
	expect_saved(r.fp, CFI_AT_CFA, -32);
	expect_saved(r.ra, CFI_AT_CFA, -24);
	expect_cfa("f2", CFI_CFA_REG, CFI_BASE_FP, 32);
	assert_int_equal(rule_at("s").cfa, CFI_CFA_SIGNAL);
}

/* Files of all kinds with the same function. */

static void check_linked(const char *link)
{
	build_with(X86, link, FUNCTION);
	assert_int_equal(read_rows("p"), 0);
	expect_function("p");
}

static void test_cfi_read_reads_the_output_of_every_linker(void **state)
{
	static const char *const linkers[] = { "ld.bfd", "ld.gold", "ld.lld", "mold" };
	char link[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(linkers); i++) {
		if (!workdir_have(linkers[i]))
			continue;
		snprintf(link, sizeof(link), "%s -shared --eh-frame-hdr -o p p.o", linkers[i]);
		check_linked(link);
		snprintf(link, sizeof(link), "%s -e f -o p p.o", linkers[i]);
		check_linked(link);
	}
}

static void test_cfi_read_reads_wide_addresses(void **state)
{
	(void)state;
	/* pc-relative in 8 bytes, as the large code model has it */
	build_with(CLANG " -mcmodel=large", SHARED, FUNCTION);
	assert_int_equal(read_rows("p"), 0);
	expect_function("p");
}

/* What strip leaves to nobody: no section headers at all. */
static void remove_sections(void)
{
	Elf64_Ehdr *head;
	size_t sz;
	char *data = workdir__read(&dir, "p", &sz);

	workdir__write(&dir, "symbols", data, sz);
	head = (Elf64_Ehdr *)data;
	head->e_shoff = 0;
	head->e_shnum = 0;
	head->e_shstrndx = 0;
	workdir__write(&dir, "p", data, sz);
	mem_free(data);
}

static void test_cfi_read_needs_no_sections(void **state)
{
	(void)state;
	build_with(X86, SHARED, FUNCTION);
	remove_sections();
	assert_int_equal(read_rows("p"), 0);
	expect_function("symbols");
}

static void test_cfi_read_reads_debug_frame(void **state)
{
	(void)state;
	build(X86, ".cfi_sections .debug_frame\n" FUNCTION);
	expect_function("p");
}

static void test_cfi_read_reads_compressed_debug_frame(void **state)
{
	(void)state;
	build_with(X86, SHARED " --compress-debug-sections=zlib",
		   ".cfi_sections .debug_frame\n" FUNCTION
		   ".rept 200\n.cfi_startproc\n.skip 16\n.cfi_endproc\n.endr\n");
	assert_int_equal(read_rows("p"), 0);
	expect_function("p");
}

static void test_cfi_read_reads_64_bit_dwarf(void **state)
{
	(void)state;
	build(CLANG " -gdwarf64 -gdwarf-5", ".cfi_sections .debug_frame\n" FUNCTION);
	expect_function("p");
}

static void test_cfi_read_reads_absolute_addresses_and_long_lengths(void **state)
{
	(void)state;
	/* in .eh_frame a long length does not make the reference long; linkers refuse to read it */
	build_with(X86, FIXED,
		   ".globl f\n.text\nf: .skip 64\n.globl e\ne:\n"
		   ".section eh_frame,\"a\",@progbits\n"
		   "c: .long 0xffffffff\n.quad c1 - c0\nc0: .long 0\n.byte 1\n.asciz \"\"\n"
		   ".uleb128 1\n.sleb128 -8\n.byte 16\n.byte 0x0c, 7, 8, 0x90, 1\n.balign 4, 0\n"
		   "c1: .long 0xffffffff\n.quad d1 - d0\nd0: .long d0 - c\n.quad f\n.quad 64\n"
		   ".byte 0x0e, 40\n.balign 4, 0\nd1:\n.long 0\n");
	if (!workdir_have("objcopy"))
		skip();
	assert_true(workdir__run(&dir, "objcopy --rename-section eh_frame=.eh_frame p"));
	assert_int_equal(read_rows("p"), 0);
	expect_cfa("f", CFI_CFA_REG, CFI_BASE_SP, 40);
}

static void test_cfi_read_prefers_eh_frame(void **state)
{
	(void)state;
	/* g is in .debug_frame only; f in both, and there with another rule */
	build_with(X86, FIXED,
		   ".text\n.globl f, g, h\nf: .cfi_startproc\n.skip 16\n.cfi_endproc\n"
		   "g: .skip 16\nh:\n"
		   ".section .debug_frame,\"\",@progbits\n"
		   "c: .long c1 - c0\nc0: .long 0xffffffff\n.byte 1\n.asciz \"\"\n"
		   ".uleb128 1\n.sleb128 -8\n.byte 16\n.byte 0x0c, 7, 88, 0x90, 1\n.balign 4, 0\n"
		   "c1: .long d1 - d0\nd0: .long 0\n.quad f\n.quad 16\nd1:\n"
		   ".long e1 - e0\ne0: .long 0\n.quad g\n.quad 16\ne1:\n"
		   ".long h1 - h0\nh0: .long 0\n.quad 0\n.quad 16\nh1:\n");
	assert_int_equal(read_rows("p"), 0);
	expect_cfa("f", CFI_CFA_REG, CFI_BASE_SP, 8);
	expect_cfa("g", CFI_CFA_REG, CFI_BASE_SP, 88);
	assert_int_equal(rule_in("p", "h", -1).off, 88);
}

static void test_cfi_read_puts_entries_in_order(void **state)
{
	(void)state;
	/* the entries come last function first, and two overlap: each ends where the next begins */
	build_with(X86, FIXED,
		   ".text\n.globl f, g, h\nf: .skip 16\ng: .skip 16\nh: .skip 600\n"
		   ".section .debug_frame,\"\",@progbits\n"
		   "c: .long c1 - c0\nc0: .long 0xffffffff\n.byte 1\n.asciz \"\"\n"
		   ".uleb128 1\n.sleb128 -8\n.byte 16\n.byte 0x0c, 7, 8, 0x90, 1\n.balign 4, 0\n"
		   "c1: .long d1 - d0\nd0: .long 0\n.quad h\n.quad 600\n.byte 0x0e, 24, 0, 0\nd1:\n"
		   ".long e1 - e0\ne0: .long 0\n.quad g\n.quad 8\n.byte 0x0e, 9, 0, 0\ne1:\n"
		   ".long i1 - i0\ni0: .long 0\n.quad g\n.quad 16\n.byte 0x0e, 16, 0, 0\ni1:\n"
		   ".long h1 - h0\nh0: .long 0\n.quad f\n.quad 32\n.byte 0x0e, 32, 0, 0\nh1:\n");
	assert_int_equal(read_rows("p"), 0);
	assert_int_equal(rows.len, 4);
	expect_cfa("f", CFI_CFA_REG, CFI_BASE_SP, 32);
	expect_cfa("g", CFI_CFA_REG, CFI_BASE_SP, 16);
	expect_cfa("h", CFI_CFA_REG, CFI_BASE_SP, 24);
}

static void test_cfi_read_without_information_says_so(void **state)
{
	(void)state;
	build_with(X86, SHARED, ".globl f\nf: ret\n");
	assert_int_equal(read_rows("p"), -ENODATA);
	build_with("as --32 -o p.o p.s", SHARED, "f: .cfi_startproc\nret\n.cfi_endproc\n");
	assert_int_equal(read_rows("p"), -ENODATA);
}

static int stop_at_once(void *arg, u64 off, const struct cfi_rule *rule)
{
	(void)off;
	(void)rule;
	++*(int *)arg;
	return -EINTR;
}

static void test_cfi_read_stops_when_told(void **state)
{
	struct image *img;
	int calls = 0;

	(void)state;
	build(X86, FUNCTION);
	img = open_image("p");
	assert_int_equal(cfi_read(img, "p", stop_at_once, &calls, NULL), -EINTR);
	assert_int_equal(calls, 1);
	image__free(img);
}

static void test_cfi_read_returns_no_memory(void **state)
{
	struct image *img;
	bool fired = true;
	u64 nth;

	(void)state;
	build(X86, FUNCTION);
	img = open_image("p");
	for (nth = 1; fired; nth++) {
		struct err err = { 0 };
		int r;

		vec__reset(&rows);
		mem_fail_nth(nth);
		r = cfi_read(img, "p", collect, NULL, &err);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
	}
	assert_true(nth > 2);
	image__free(img);
}

/* Every prefix of the section, every byte of it changed: never out of bounds, never endless. */
static void test_cfi_read_survives_damage(void **state)
{
	struct image *img;
	size_t sz, i;
	char *data;

	(void)state;
	build(X86, FUNCTION);
	data = workdir__read(&dir, "p", &sz);
	for (i = sizeof(Elf64_Ehdr); i < sz && i < 4096; i++) {
		data[i] ^= 0x7f;
		img = NULL;
		vec__reset(&rows);
		if (!image__open_mem(data, sz, "damaged", &img, NULL))
			cfi_read(img, "damaged", collect, NULL, NULL);
		image__free(img);
		data[i] ^= 0x7f;
	}
	mem_free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi_read_follows_a_function),
		cmocka_unit_test(test_cfi_read_ends_with_nothing),
		cmocka_unit_test(test_cfi_read_takes_undefined_return_address_for_the_end),
		cmocka_unit_test(test_cfi_read_follows_a_return_address_in_a_register),
		cmocka_unit_test(test_cfi_read_follows_realigned_stacks),
		cmocka_unit_test(test_cfi_read_knows_expressions_that_occur),
		cmocka_unit_test(test_cfi_read_knows_the_linkage_table),
		cmocka_unit_test(test_cfi_read_knows_frames_of_signals),
		cmocka_unit_test(test_cfi_read_refuses_a_stack_pointer_that_is_not_the_cfa),
		cmocka_unit_test(test_cfi_read_says_what_register_is_lost),
		cmocka_unit_test(test_cfi_read_moves_by_every_instruction),
		cmocka_unit_test(test_cfi_read_reads_long_forms_of_instructions),
		cmocka_unit_test(test_cfi_read_gives_up_a_program_without_sense),
		cmocka_unit_test(test_cfi_read_bounds_remembered_states),
		cmocka_unit_test(test_cfi_read_bridges_alignment_only),
		cmocka_unit_test(test_cfi_read_has_nothing_for_a_short_function_without_it),
		cmocka_unit_test(test_cfi_read_follows_arm64),
		cmocka_unit_test(test_cfi_read_reads_the_output_of_every_linker),
		cmocka_unit_test(test_cfi_read_reads_wide_addresses),
		cmocka_unit_test(test_cfi_read_needs_no_sections),
		cmocka_unit_test(test_cfi_read_reads_debug_frame),
		cmocka_unit_test(test_cfi_read_reads_compressed_debug_frame),
		cmocka_unit_test(test_cfi_read_reads_64_bit_dwarf),
		cmocka_unit_test(test_cfi_read_reads_absolute_addresses_and_long_lengths),
		cmocka_unit_test(test_cfi_read_prefers_eh_frame),
		cmocka_unit_test(test_cfi_read_puts_entries_in_order),
		cmocka_unit_test(test_cfi_read_without_information_says_so),
		cmocka_unit_test(test_cfi_read_stops_when_told),
		cmocka_unit_test(test_cfi_read_returns_no_memory),
		cmocka_unit_test(test_cfi_read_survives_damage),
	};

	return cmocka_run_group_tests_name("cfi", tests, setup, teardown);
}

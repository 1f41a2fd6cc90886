/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/symtab.h"
#include "lib/elf_dir.h"

/*
 * Functions of known size at known distances, so that a test knows every byte. Each block of 64
 * bytes begins with one; the rest of it is padding.
 */
static const char source[] =
	"#define BLOCK(name, bind, more) __asm__(\".text; .p2align 6; \" bind \" \" name \";\"\\\n"
	"	\".type \" name \",%function; \" name \": .fill 10,1,0x90; \"\\\n"
	"	\".size \" name \",.-\" name \"; \" more);\n"
	"BLOCK(\"exported\", \".globl\", \"\")\n"
	"BLOCK(\"local_one\", \".local\", \"\")\n"
	"BLOCK(\"__under\", \".globl\", \".weak pick; .set pick,__under; .set aa,__under\")\n"
	"BLOCK(\"longer_name\", \".globl\", \".globl short_n; .set short_n,longer_name\")\n"
	"BLOCK(\"weakling\", \".weak\", \".globl worthy_one; .set worthy_one,weakling\")\n"
	"__asm__(\".text; .p2align 6; label_a: .fill 20,1,0x90; label_b: .fill 20,1,0x90;"
	" .type data_object,%object; data_object: .fill 4,1,0; .p2align 6;"
	" .type unsized_fn,%function; unsized_fn: .fill 100,1,0x90\");\n"
	"__asm__(\".text; .p2align 6; .globl outer; .type outer,%function; outer: .fill 4,1,0x90;"
	" inner_label: .fill 6,1,0x90; .size outer,.-outer; .p2align 6\");\n"
	"__asm__(\".text; .globl exported_label; exported_label: .fill 8,1,0x90; .p2align 6\");\n"
	"__asm__(\".text; .globl gate; .hidden gate; .type gate,%function; gate: .fill 16,1,0x90;"
	" .size gate,.-gate; .globl beside; .type beside,%function; beside: .fill 8,1,0x90;"
	" .size beside,.-beside; .p2align 6\");\n"
	"BLOCK(\"last\", \".globl\", \"\")\n"
	"int main(void) { return 0; }\n"
	"void _start(void) { for (;;) ; }\n";

#define COMPILE "$CC -w -O1 -fPIC -shared -nostdlib -fno-asynchronous-unwind-tables "

static int setup(void **state)
{
	(void)state;
	return elf_dir_setup(source);
}

/* Builds "full" and, without its local symbols, "stripped". */
static void build(const char *flags)
{
	elf_dir_build(COMPILE "%s -o full p.c && strip -o stripped full", flags);
}

/* A table of a file in the directory, with "debug" below it as debug directory. */
static struct symtab *load(const char *name)
{
	struct symtab_options opt = { 0 };
	char path[256], debug_dir[256];
	struct symtab *st = NULL;
	struct image *img = NULL;
	int fd = workdir__open(&dir, name);

	strcpy(path, workdir__path(&dir, name));
	strcpy(debug_dir, workdir__path(&dir, "debug"));
	opt.path = path;
	opt.debug_dir = debug_dir;
	assert_int_equal(image__open(fd, name, &img, NULL), 0);
	close(fd);
	assert_int_equal(symtab__load(img, &opt, &st, NULL), 0);
	image__free(img);
	return st;
}

static void check(const struct symtab *st, u64 addr, const char *want, u64 want_start)
{
	const char *name = NULL;
	u64 start = 0;

	if (!want) {
		if (symtab__find(st, addr, &name, &start))
			fail_msg("%#llx is not in '%s'", addr, name);
		return;
	}
	assert_true(symtab__find(st, addr, &name, &start));
	assert_string_equal(name, want);
	assert_true(start == want_start);
}

static u64 addr_of(const char *symbol)
{
	u64 addr = workdir__addr_of(&dir, "full", symbol);

	assert_true(addr != 0);
	return addr;
}

static void test_symtab__find_knows_where_a_function_ends(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	build("");
	st = load("full");
	at = addr_of("local_one");
	check(st, at - 1, NULL, 0);
	check(st, at, "local_one", at);
	check(st, at + 9, "local_one", at);
	check(st, at + 10, NULL, 0);
	check(st, at + 63, NULL, 0);
	assert_true(symtab__len(st) > 5);
	symtab__free(st);
	symtab__free(NULL);
}

static void test_symtab__find_does_not_guess_in_a_stripped_file(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	build("");
	st = load("stripped");
	at = addr_of("exported");
	check(st, at + 9, "exported", at);
	at = addr_of("local_one");
	check(st, at, NULL, 0);
	check(st, at + 9, NULL, 0);
	symtab__free(st);
}

static void test_symtab__find_takes_the_best_name(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	build("");
	st = load("full");
	/* weak, but without underscores; the local alias "aa" is shorter */
	at = addr_of("__under");
	check(st, at, "pick", at);
	at = addr_of("longer_name");
	check(st, at, "short_n", at);
	/* global before weak */
	at = addr_of("weakling");
	check(st, at, "worthy_one", at);
	symtab__free(st);
}

static void test_symtab__find_lets_labels_reach_to_the_next_symbol(void **state)
{
	struct symtab *st;
	u64 a, b;

	(void)state;
	build("");
	st = load("full");
	a = addr_of("label_a");
	b = addr_of("label_b");
	check(st, a, "label_a", a);
	check(st, a + 19, "label_a", a);
	check(st, b, "label_b", b);
	check(st, b + 19, "label_b", b);
	/* data in code has no name of its own */
	check(st, addr_of("data_object"), "label_b", b);
	a = addr_of("unsized_fn");
	check(st, a + 99, "unsized_fn", a);
	symtab__free(st);
}

static void test_symtab__find_prefers_a_sized_function_to_a_label(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	build("");
	st = load("full");
	at = addr_of("outer");
	check(st, at + 3, "outer", at);
	check(st, at + 4, "outer", at);
	check(st, at + 9, "outer", at);
	/* the label lies in the function, so it does not name what follows */
	check(st, at + 10, NULL, 0);
	symtab__free(st);
}

static void test_symtab__find_ignores_labels_among_exports_only(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	build("");
	at = addr_of("exported_label");
	st = load("full");
	check(st, at + 7, "exported_label", at);
	symtab__free(st);
	st = load("stripped");
	check(st, at + 7, NULL, 0);
	symtab__free(st);
}

static void test_symtab__find_takes_versions_off(void **state)
{
	static const char script[] = "V1 { global: exported; local: *; };\n";
	struct symtab *st;
	u64 at;

	(void)state;
	workdir__write(&dir, "v.map", script, sizeof(script) - 1);
	build("-Wl,--version-script=v.map");
	at = workdir__addr_of(&dir, "stripped", "exported@@V1");
	assert_true(at != 0);
	st = load("stripped");
	check(st, at, "exported", at);
	symtab__free(st);
	/* .dynsym keeps versions apart, .symtab writes them behind the name */
	assert_true(workdir__run(&dir,
				 COMPILE "-static -no-pie -o full p.c &&"
					 " objcopy --redefine-sym exported=exported@@V1 full"));
	at = addr_of("exported@@V1");
	st = load("full");
	check(st, at, "exported", at);
	symtab__free(st);
}

static void test_symtab__source_is_the_best_table(void **state)
{
	static const struct {
		const char *make;
		enum symtab_source want;
	} cases[] = {
		{ "cp full file", SYMTAB_OWN },
		{ "cp stripped file", SYMTAB_DYNSYM },
		{ "objcopy --add-section .gnu_debugdata=full.xz stripped file", SYMTAB_DEBUGDATA },
		{ "mkdir -p debug/.build-id/ab && cp full debug/.build-id/ab/cd.debug",
		  SYMTAB_SEPARATE },
	};
	struct symtab *st;
	size_t i;

	(void)state;
	if (!workdir_have("xz"))
		skip();
	build("-Wl,--build-id=0xabcd");
	assert_true(workdir__run(&dir, "xz -kf full"));
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(workdir__run(&dir, "%s", cases[i].make));
		st = load("file");
		assert_int_equal(symtab__source(st), cases[i].want);
		symtab__free(st);
	}
	assert_true(workdir__run(&dir, "rm -r debug"));
}

static void test_symtab__load_unpacks_gnu_debugdata(void **state)
{
	struct symtab *st;
	u64 local, exported;

	(void)state;
	if (!workdir_have("xz"))
		skip();
	build("");
	assert_true(workdir__run(&dir, "objcopy --only-keep-debug full mini &&"
				       " objcopy -S --keep-symbol=local_one mini mini &&"
				       " xz -kf mini && objcopy --add-section"
				       " .gnu_debugdata=mini.xz stripped packed"));
	local = addr_of("local_one");
	exported = addr_of("exported");
	st = load("packed");
	check(st, local, "local_one", local);
	check(st, local + 10, NULL, 0);
	check(st, exported, "exported", exported);
	symtab__free(st);
}

static void test_symtab__load_finds_the_debug_file_of_a_moved_program(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	/* what prelink does: the program lies elsewhere, its debug file was not told */
	build("-Wl,--build-id=0xabcdef0123456789 -Wl,-Ttext-segment=0x4000000");
	assert_true(workdir__run(&dir, "mkdir -p debug/.build-id/ab && objcopy --only-keep-debug"
				       " full debug/.build-id/ab/cdef0123456789.debug"));
	build("-Wl,--build-id=0xabcdef0123456789 -Wl,-Ttext-segment=0x7000000");
	at = addr_of("local_one");
	assert_true(at > 0x7000000);
	st = load("stripped");
	check(st, at + 9, "local_one", at);
	check(st, at - 0x3000000, NULL, 0);
	symtab__free(st);
	assert_true(workdir__run(&dir, "rm -r debug"));
}

/* Changes every symbol named so, in a table of `type`. */
static void patch_symbols(char *data, u32 type, const char *name, u64 value_add, u64 size)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)data;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(data + eh->e_shoff);
	u32 i, j;

	for (i = 0; i < eh->e_shnum; i++) {
		const char *strings = data + sh[sh[i].sh_link].sh_offset;
		Elf64_Sym *syms = (Elf64_Sym *)(data + sh[i].sh_offset);

		for (j = 0; sh[i].sh_type == type && j < sh[i].sh_size / sizeof(*syms); j++) {
			if (strcmp(strings + syms[j].st_name, name) != 0)
				continue;
			syms[j].st_value += value_add;
			syms[j].st_size = size;
		}
	}
}

static void test_symtab__load_cuts_symbols_that_leave_the_segment(void **state)
{
	struct symtab *st;
	u64 at, last;
	size_t sz;
	char *data;

	(void)state;
	build("");
	at = addr_of("last");
	last = addr_of("longer_name");
	data = workdir__read(&dir, "full", &sz);
	patch_symbols(data, SHT_SYMTAB, "last", 0, UINT64_MAX);
	patch_symbols(data, SHT_SYMTAB, "local_one", 1ULL << 40, 10);
	patch_symbols(data, SHT_SYMTAB, "short_n", 0, UINT64_MAX - last + 1);
	workdir__write(&dir, "patched", data, sz);
	mem_free(data);
	st = load("patched");
	check(st, at + 9, "last", at);
	check(st, at + 0x100000, NULL, 0);
	check(st, UINT64_MAX, NULL, 0);
	check(st, addr_of("local_one"), NULL, 0);
	check(st, last, "short_n", last);
	symtab__free(st);
}

/* Neither a crash nor a name that is not in the file. */
static void load_damaged(const char *data, size_t sz)
{
	struct symtab_options opt = { .debug_dir = "" };
	struct symtab *st = NULL;
	struct image *img = NULL;
	const char *name;
	u64 at, start;

	if (!image__open_mem(data, sz, "damaged", &img, NULL)) {
		assert_int_equal(symtab__load(img, &opt, &st, NULL), 0);
		image__free(img);
		for (at = 0; at < 0x4000; at += 61) {
			if (symtab__find(st, at, &name, &start))
				assert_true(start <= at && strlen(name) < sz);
		}
		symtab__free(st);
	}
}

static void test_symtab__load_takes_any_damage(void **state)
{
	u32 seed = 3, round;
	size_t sz, i;
	char *data;

	(void)state;
	build("");
	data = workdir__read(&dir, "full", &sz);
	for (i = 0; i < sz; i += 41)
		load_damaged(data, i);
	for (round = 0; round < 3000; round++) {
		/* the headers and tables lie at the ends */
		size_t at = (size_t)rand_r(&seed) % (round % 3 ? sz : 1024);
		char byte = data[at];

		data[at] = (char)rand_r(&seed);
		load_damaged(data, sz);
		data[at] = byte;
	}
	mem_free(data);
}

/* Links "full" as a program with such flags, and takes all names off: "bare". */
static u64 build_bare(const char *flags)
{
	assert_true(workdir__run(&dir, "$CC -w -O1 -nostdlib %s -o full p.c && strip -o bare full",
				 flags));
	return addr_of("_start");
}

static void test_symtab__load_knows_the_entry_of_a_stripped_program(void **state)
{
	static const char *const kinds[] = { "-static -no-pie", "-static-pie", "-fPIC -pie" };
	struct symtab *st;
	size_t i;
	u64 at;

	(void)state;
	if (!workdir_have("cc nm strip"))
		skip();
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		at = build_bare(kinds[i]);
		st = load("bare");
		check(st, at, "_start", at);
		check(st, at + 1, "_start", at);
		check(st, at - 1, NULL, 0);
		check(st, at + 64, NULL, 0);
		/* it does not make the file one with names */
		assert_int_equal(symtab__source(st), SYMTAB_NONE);
		symtab__free(st);
	}
}

static void test_symtab__load_prefers_what_the_file_says_of_its_entry(void **state)
{
	struct symtab *st;
	u64 at;

	(void)state;
	if (!workdir_have("cc nm strip"))
		skip();
	build_bare("-fPIC -pie -rdynamic -Wl,-e,exported");
	at = addr_of("exported");
	st = load("bare");
	check(st, at, "exported", at);
	check(st, at + 10, NULL, 0);
	symtab__free(st);
	/* an exported function begins soon after it */
	build_bare("-fPIC -pie -rdynamic -Wl,-e,gate");
	at = addr_of("gate");
	st = load("bare");
	check(st, at + 15, "_start", at);
	check(st, at + 16, "beside", at + 16);
	check(st, at + 24, NULL, 0);
	symtab__free(st);
}

/* A library may have an entry too, as libc.so.6, which is no _start. */
static void test_symtab__load_does_not_name_the_entry_of_a_library(void **state)
{
	struct symtab *st;

	(void)state;
	build("-Wl,-e,gate");
	st = load("stripped");
	check(st, addr_of("gate"), NULL, 0);
	symtab__free(st);
}

static void test_symtab__load_survives_every_failed_allocation(void **state)
{
	struct symtab_options opt = { .debug_dir = "" };
	struct symtab *st = NULL;
	struct image *img;
	size_t sz;
	char *data;
	u64 nth;
	int r;

	(void)state;
	build("");
	data = workdir__read(&dir, "full", &sz);
	assert_int_equal(image__open_mem(data, sz, "full", &img, NULL), 0);
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = symtab__load(img, &opt, &st, NULL);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 4);
	symtab__free(st);
	image__free(img);
	mem_free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symtab__find_knows_where_a_function_ends),
		cmocka_unit_test(test_symtab__find_does_not_guess_in_a_stripped_file),
		cmocka_unit_test(test_symtab__find_takes_the_best_name),
		cmocka_unit_test(test_symtab__find_lets_labels_reach_to_the_next_symbol),
		cmocka_unit_test(test_symtab__find_prefers_a_sized_function_to_a_label),
		cmocka_unit_test(test_symtab__find_ignores_labels_among_exports_only),
		cmocka_unit_test(test_symtab__find_takes_versions_off),
		cmocka_unit_test(test_symtab__source_is_the_best_table),
		cmocka_unit_test(test_symtab__load_unpacks_gnu_debugdata),
		cmocka_unit_test(test_symtab__load_finds_the_debug_file_of_a_moved_program),
		cmocka_unit_test(test_symtab__load_cuts_symbols_that_leave_the_segment),
		cmocka_unit_test(test_symtab__load_takes_any_damage),
		cmocka_unit_test(test_symtab__load_knows_the_entry_of_a_stripped_program),
		cmocka_unit_test(test_symtab__load_prefers_what_the_file_says_of_its_entry),
		cmocka_unit_test(test_symtab__load_does_not_name_the_entry_of_a_library),
		cmocka_unit_test(test_symtab__load_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("symtab", tests, setup, elf_dir_teardown);
}

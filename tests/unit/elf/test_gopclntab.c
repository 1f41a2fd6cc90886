/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/gopclntab.h"
#include "elf/srcline.h"
#include "elf/symtab.h"
#include "lib/workdir.h"

#define TEXT 0x401000
#define TABLE_VADDR 0x500000

enum age {
	AGE_2,
	AGE_16,
	AGE_18,
	AGE_20,
};

static const u32 magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

/* A table of two functions: main.a at TEXT of 0x40 bytes, main.b of 0x20 behind it. */
struct table {
	u8 bytes[1024];
	size_t len;
};

static void put(struct table *t, u64 value, size_t sz)
{
	while (sz--) {
		t->bytes[t->len++] = (u8)value;
		value >>= 8;
	}
}

static void put_at(struct table *t, size_t off, u64 value, size_t sz)
{
	size_t len = t->len;

	t->len = off;
	put(t, value, sz);
	t->len = len;
}

static size_t put_str(struct table *t, const char *s)
{
	size_t at = t->len;

	while (*s)
		put(t, (u8)*s++, 1);
	put(t, 0, 1);
	return at;
}

static size_t put_bytes(struct table *t, const u8 *bytes, size_t sz)
{
	size_t at = t->len;

	while (sz--)
		put(t, *bytes++, 1);
	return at;
}

/* Value 0 for all 0x40 bytes; the first change is from -1. */
static const u8 file_program[] = { 2, 0x40, 0 };
/* Line 7 for 0x10 bytes, line 9 for 0x20, line 8 for 0x10. */
static const u8 line_program[] = { 16, 0x10, 4, 0x20, 1, 0x10, 0 };

/* Not inlined for 0x10 bytes, then of the first inlined function. */
static const u8 inlined_program[] = { 0, 0x10, 2, 0x10, 0 };

/* A frame of no bytes for 4 bytes of code, of 0x28 for 0x38, then of none again. */
static const u8 frame_program[] = { 2, 4, 80, 0x38, 79, 4, 0 };

/* Where the parts are, as the places that count from them want to know. */
struct places {
	size_t base; /* what functions count from */
	size_t names[2];
	size_t names_base;
	size_t programs[4];
	size_t programs_base;
};

static void put_func(struct table *t, enum age age, u64 addr, const struct places *at, int idx)
{
	put(t, age >= AGE_18 ? addr - TEXT : addr, age >= AGE_18 ? 4 : 8);
	put(t, at->names[idx] - at->names_base, 4);
	put(t, 0, 4);
	put(t, 0, 4);
	put(t, idx ? 0 : at->programs[3] - at->programs_base, 4);
	put(t, at->programs[0] - at->programs_base, 4);
	put(t, at->programs[1] - at->programs_base, 4);
	put(t, idx ? 3 : 0, 4);
	put(t, 0, 4); /* number of the unit's first file, from 1.16 on */
	if (age == AGE_20)
		put(t, 1, 4);
	put(t, 0, 4);
	put(t, 0, 8);
	put(t, idx ? at->programs[2] - at->programs_base : 0, 4);
	put(t, 0, 8);
}

static void put_pairs(struct table *t, enum age age, size_t pairs, size_t funcs_base, size_t a,
		      size_t b)
{
	u64 text = age >= AGE_18 ? 0 : TEXT;
	size_t sz = age >= AGE_18 ? 4 : 8;

	put_at(t, pairs, text, sz);
	put_at(t, pairs + sz, a - funcs_base, sz);
	put_at(t, pairs + 2 * sz, text + 0x40, sz);
	put_at(t, pairs + 3 * sz, b - funcs_base, sz);
	put_at(t, pairs + 4 * sz, text + 0x60, sz);
}

static void make(struct table *t, enum age age, u64 text)
{
	struct places at = { 0 };
	size_t header, pairs = 0, units, files, a, b;

	*t = (struct table){ 0 };
	put(t, magics[age], 4);
	put(t, 0, 2);
	put(t, 1, 1);
	put(t, 8, 1);
	put(t, 2, 8);
	header = t->len;
	if (age == AGE_2) {
		pairs = t->len;
		t->len += 5 * 8 + 4;
	} else {
		t->len += (age == AGE_16 ? 6 : 7) * 8;
	}
	at.names[0] = put_str(t, "main.a");
	at.names[1] = put_str(t, "main.b");
	units = t->len;
	put(t, 0, 4);
	files = put_str(t, "/src/a.go");
	at.programs_base = t->len;
	put(t, 0, 1);
	at.programs[0] = put_bytes(t, file_program, sizeof(file_program));
	at.programs[1] = put_bytes(t, line_program, sizeof(line_program));
	at.programs[2] = put_bytes(t, inlined_program, sizeof(inlined_program));
	at.programs[3] = put_bytes(t, frame_program, sizeof(frame_program));
	if (age == AGE_2) {
		put_at(t, units, files, 4);
		put_at(t, pairs + 40, units, 4);
		at.programs_base = 0;
	} else {
		size_t h = header;

		put_at(t, h, 1, 8);
		if (age >= AGE_18)
			put_at(t, h += 8, text, 8);
		put_at(t, h += 8, at.names[0], 8);
		put_at(t, h += 8, units, 8);
		put_at(t, h += 8, files, 8);
		put_at(t, h += 8, at.programs_base, 8);
		pairs = t->len;
		put_at(t, h + 8, pairs, 8);
		at.base = pairs;
		at.names_base = at.names[0];
		t->len += age >= AGE_18 ? 20 : 40;
	}
	a = t->len;
	put_func(t, age, TEXT, &at, 0);
	b = t->len;
	put_func(t, age, TEXT + 0x40, &at, 1);
	put_pairs(t, age, pairs, at.base, a, b);
}

static int open_table(const struct table *t, u64 text, struct gopclntab **ret)
{
	return gopclntab__open_mem(view__of(t->bytes, t->len), TABLE_VADDR, text, ret, NULL);
}

static void check_func(const struct gopclntab *gp, size_t idx, u64 want_start, u64 want_end,
		       const char *want_name)
{
	const char *name = NULL;
	u64 start, end;

	assert_true(gopclntab__func(gp, idx, &start, &end, &name));
	assert_true(start == want_start);
	assert_true(end == want_end);
	assert_string_equal(name, want_name);
}

static void check_line(const struct gopclntab *gp, u64 addr, u32 want)
{
	const char *file = NULL;
	u32 line = 0;

	assert_true(gopclntab__line(gp, addr, &file, &line));
	assert_string_equal(file, "/src/a.go");
	assert_int_equal(line, want);
}

static void check_frame(const struct gopclntab *gp, u64 addr, u32 want)
{
	const char *name = NULL;
	u32 sz = ~0U;

	assert_true(gopclntab__frame(gp, addr, &sz, &name));
	assert_string_equal(name, "main.a");
	assert_int_equal(sz, want);
}

static void check_table(const struct gopclntab *gp, enum age age)
{
	const char *file;
	u32 line;
	size_t idx;

	assert_int_equal(gopclntab__len(gp), 2);
	check_func(gp, 0, TEXT, TEXT + 0x40, "main.a");
	check_func(gp, 1, TEXT + 0x40, TEXT + 0x60, "main.b");
	assert_false(gopclntab__find(gp, TEXT - 1, &idx));
	assert_true(gopclntab__find(gp, TEXT + 0x3f, &idx) && idx == 0);
	assert_true(gopclntab__find(gp, TEXT + 0x40, &idx) && idx == 1);
	assert_false(gopclntab__find(gp, TEXT + 0x60, &idx));
	check_line(gp, TEXT, 7);
	check_line(gp, TEXT + 0xf, 7);
	check_line(gp, TEXT + 0x10, 9);
	check_line(gp, TEXT + 0x2f, 9);
	check_line(gp, TEXT + 0x30, 8);
	check_line(gp, TEXT + 0x40, 7);
	check_line(gp, TEXT + 0x4f, 7);
	assert_int_equal(gopclntab__line(gp, TEXT + 0x50, &file, &line), age == AGE_2);
	check_frame(gp, TEXT, 0);
	check_frame(gp, TEXT + 3, 0);
	check_frame(gp, TEXT + 4, 0x28);
	check_frame(gp, TEXT + 0x3b, 0x28);
	check_frame(gp, TEXT + 0x3c, 0);
	/* it has no such program, and behind the last there is no function */
	assert_false(gopclntab__frame(gp, TEXT + 0x40, &line, &file));
	assert_false(gopclntab__frame(gp, TEXT + 0x60, &line, &file));
}

static void test_gopclntab__open_mem_reads_every_age(void **state)
{
	struct gopclntab *gp;
	struct table t;
	enum age age;

	(void)state;
	for (age = AGE_2; age <= AGE_20; age++) {
		make(&t, age, TEXT);
		assert_int_equal(open_table(&t, 0, &gp), 0);
		check_table(gp, age);
		gopclntab__free(gp);
	}
	gopclntab__free(NULL);
}

static void test_gopclntab__open_mem_uses_the_given_text_address(void **state)
{
	struct gopclntab *gp;
	struct table t;

	(void)state;
	make(&t, AGE_20, 0);
	assert_int_equal(open_table(&t, TEXT, &gp), 0);
	check_table(gp, AGE_20);
	gopclntab__free(gp);
	/* what the table says itself is surer */
	make(&t, AGE_20, TEXT);
	assert_int_equal(open_table(&t, 0x999000, &gp), 0);
	check_table(gp, AGE_20);
	gopclntab__free(gp);
}

static void test_gopclntab__open_mem_refuses_anything_else(void **state)
{
	static const u8 wrong_quantum[] = { 0xf1, 0xff, 0xff, 0xff, 0, 0, 3, 8 };
	struct gopclntab *gp;
	struct err err = { 0 };
	struct table t;

	(void)state;
	make(&t, AGE_20, TEXT);
	t.bytes[0] = 0xf2;
	assert_int_equal(open_table(&t, 0, &gp), -EINVAL);
	make(&t, AGE_20, TEXT);
	memcpy(t.bytes, wrong_quantum, sizeof(wrong_quantum));
	assert_int_equal(open_table(&t, 0, &gp), -EINVAL);
	/* more functions than bytes */
	make(&t, AGE_20, TEXT);
	put_at(&t, 8, 1 << 20, 8);
	assert_int_equal(open_table(&t, 0, &gp), -EINVAL);
	/* not relocated yet: starts that are not in order */
	make(&t, AGE_16, TEXT);
	put_at(&t, 8, 0, 8);
	assert_int_equal(open_table(&t, 0, &gp), -EINVAL);
	assert_int_equal(gopclntab__open_mem(view__of("", 0), 0, 0, &gp, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "gopclntab"));
}

static void test_gopclntab__of_any_length_stays_inside(void **state)
{
	struct gopclntab *gp;
	struct table t;
	enum age age;
	size_t len;

	(void)state;
	for (age = AGE_2; age <= AGE_20; age++) {
		make(&t, age, TEXT);
		for (len = t.len; len--;) {
			const char *name;
			u8 *copy = malloc(len ? len : 1);
			u64 start, end;
			u32 line;

			assert_non_null(copy);
			memcpy(copy, t.bytes, len);
			if (!gopclntab__open_mem(view__of(copy, len), TABLE_VADDR, 0, &gp, NULL)) {
				gopclntab__func(gp, 0, &start, &end, &name);
				gopclntab__func(gp, 1, &start, &end, &name);
				assert_false(gopclntab__func(gp, 2, &start, &end, &name));
				gopclntab__line(gp, TEXT + 0x41, &name, &line);
				gopclntab__frame(gp, TEXT + 0x3c, &line, &name);
				gopclntab__free(gp);
			}
			free(copy);
		}
	}
}

static void test_gopclntab__open_survives_the_failed_allocation(void **state)
{
	struct gopclntab *gp;
	struct table t;

	(void)state;
	make(&t, AGE_20, TEXT);
	mem_fail_nth(1);
	assert_int_equal(open_table(&t, 0, &gp), -ENOMEM);
	mem_fail_nth(0);
}

/* Real programs, of whatever Go there is. */

static struct workdir dir;
static char go_path[64];

static const char program[] = "package main\n"
			      "import \"os\"\n"
			      "//go:noinline\n"
			      "func leaf(n int) int {\n"
			      "	return len(os.Args) + n\n"
			      "}\n"
			      "func main() {\n"
			      "	os.Exit(leaf(3))\n"
			      "}\n";

static bool have_go(void)
{
	static const char *const places[] = { "/usr/local/go/bin", "/usr/lib/go/bin",
					      "/usr/lib/go-1.19/bin" };
	size_t i;

	if (go_path[0])
		return true;
	if (system("go version >/dev/null 2>&1") == 0)
		snprintf(go_path, sizeof(go_path), "go");
	for (i = 0; !go_path[0] && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(go_path, sizeof(go_path), "%s/go", places[i]);
		if (access(go_path, X_OK))
			go_path[0] = '\0';
	}
	if (!go_path[0])
		print_error("SKIPPED: no go: apt install golang-go\n");
	return go_path[0];
}

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "a.go", program, sizeof(program) - 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Builds "full", and from it "bare", without symbols. */
static bool build(const char *options)
{
	return have_go() && workdir_have("strip nm") &&
	       workdir__run(&dir,
			    "HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off "
			    "CGO_ENABLED=0 %s build %s -o full a.go && strip -o bare full",
			    go_path, options);
}

static struct image *open_image(const char *name)
{
	int fd = workdir__open(&dir, name);
	struct image *img = NULL;

	assert_int_equal(image__open(fd, name, &img, NULL), 0);
	close(fd);
	return img;
}

static int check_call(void *arg, size_t idx, const struct srcline_call *calls, size_t len)
{
	(void)arg;
	assert_int_equal(idx, 0);
	assert_int_equal(len, 1);
	assert_non_null(strstr(calls[0].file, "/a.go"));
	assert_int_equal(calls[0].line, 5);
	return 77;
}

/* Lines as the rest of the program asks for them. */
static void check_srcline(const struct image *img, u64 leaf)
{
	struct symtab_options opt = { .debug_dir = "" };
	struct srcline_want want = { .lines = true,
				     .limit_ns = 10 * NSEC_PER_SEC,
				     .tell = check_call };
	struct srcline_file f;

	assert_int_equal(srcline_file__open(img, &opt, &f), 0);
	assert_true(f.go);
	assert_int_equal(srcline_read(&f, &leaf, 1, &want, NULL), 77);
	srcline_file__done(&f);
}

static void check_program(const char *name, u64 leaf)
{
	struct image *img = open_image(name);
	struct symtab_options opt = { .debug_dir = "" };
	struct gopclntab *gp = NULL;
	struct symtab *st = NULL;
	const char *found = NULL;
	u64 start = 0;
	u32 line = 0;

	assert_int_equal(gopclntab__open(img, &gp, NULL), 0);
	assert_true(gopclntab__len(gp) > 500);
	assert_true(gopclntab__line(gp, leaf, &found, &line));
	assert_non_null(strstr(found, "/a.go"));
	assert_int_equal(line, 5);
	gopclntab__free(gp);
	check_srcline(img, leaf);
	assert_int_equal(symtab__load(img, &opt, &st, NULL), 0);
	image__free(img);
	assert_int_equal(symtab__source(st), SYMTAB_GO);
	assert_true(symtab__find(st, leaf + 1, &found, &start));
	assert_string_equal(found, "main.leaf");
	assert_true(start == leaf);
	symtab__free(st);
}

static void test_gopclntab__open_of_a_stripped_program(void **state)
{
	(void)state;
	if (!build(""))
		skip();
	check_program("bare", workdir__addr_of(&dir, "full", "main.leaf"));
}

static void test_gopclntab__open_of_a_stripped_position_independent_program(void **state)
{
	(void)state;
	if (!build("-buildmode=pie"))
		skip();
	check_program("bare", workdir__addr_of(&dir, "full", "main.leaf"));
}

/* As left by linkers that store addends in the relocations, not in the data. */
static void test_gopclntab__open_looks_up_relocated_addresses(void **state)
{
	static const u8 head[] = { 0xff, 0xff, 0xff, 0, 0, 1, 8 };
	char *bytes, *at;
	size_t sz;

	(void)state;
	if (!build("-buildmode=pie"))
		skip();
	bytes = workdir__read(&dir, "bare", &sz);
	at = memmem(bytes, sz, head, sizeof(head));
	assert_non_null(at);
	memset(at + 23, 0, 8);
	workdir__write(&dir, "zeros", bytes, sz);
	mem_free(bytes);
	check_program("zeros", workdir__addr_of(&dir, "full", "main.leaf"));
}

static void test_gopclntab__open_finds_it_without_section_headers(void **state)
{
	static const u8 none[8];
	char *bytes;
	size_t sz;
	Elf64_Ehdr head;

	(void)state;
	if (!build(""))
		skip();
	bytes = workdir__read(&dir, "bare", &sz);
	memcpy(&head, bytes, sizeof(head));
	memcpy(&head.e_shoff, none, sizeof(head.e_shoff));
	head.e_shnum = 0;
	head.e_shstrndx = 0;
	memcpy(bytes, &head, sizeof(head));
	workdir__write(&dir, "headless", bytes, sz);
	mem_free(bytes);
	check_program("headless", workdir__addr_of(&dir, "full", "main.leaf"));
}

/* Every function that nm knows in the program's own packages has the same name and place here. */
static void test_gopclntab__func_agrees_with_nm(void **state)
{
	struct image *img;
	struct gopclntab *gp;
	char line[1024], *name;
	u64 seen = 0, addr;
	FILE *nm;

	(void)state;
	if (!build("") || !workdir__run(&dir, "nm full | grep -i ' t runtime\\.' >names"))
		skip();
	img = open_image("bare");
	assert_int_equal(gopclntab__open(img, &gp, NULL), 0);
	nm = fopen(workdir__path(&dir, "names"), "r");
	assert_non_null(nm);
	while (fgets(line, sizeof(line), nm)) {
		const char *found;
		u64 start, end;
		size_t idx;

		line[strcspn(line, "\n")] = '\0';
		addr = strtoull(line, &name, 16);
		name += 3;
		/* marks, not functions; ABI wrappers share the name */
		if (!strcmp(name, "runtime.text") || !strcmp(name, "runtime.etext") ||
		    strstr(name, ".abi"))
			continue;
		assert_true(gopclntab__find(gp, addr, &idx));
		assert_true(gopclntab__func(gp, idx, &start, &end, &found));
		assert_true(start == addr);
		assert_string_equal(found, name);
		seen++;
	}
	fclose(nm);
	assert_true(seen > 300);
	gopclntab__free(gp);
	image__free(img);
}

static void test_gopclntab__open_of_a_c_program(void **state)
{
	struct gopclntab *gp;
	struct image *img;

	(void)state;
	if (!workdir_have("cc"))
		skip();
	assert_true(workdir__run(&dir, "echo 'int main(void) { return 0; }' >c.c && $CC -o c c.c"));
	img = open_image("c");
	assert_int_equal(gopclntab__open(img, &gp, NULL), -ENOENT);
	image__free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gopclntab__open_mem_reads_every_age),
		cmocka_unit_test(test_gopclntab__open_mem_uses_the_given_text_address),
		cmocka_unit_test(test_gopclntab__open_mem_refuses_anything_else),
		cmocka_unit_test(test_gopclntab__of_any_length_stays_inside),
		cmocka_unit_test(test_gopclntab__open_survives_the_failed_allocation),
		cmocka_unit_test(test_gopclntab__open_of_a_stripped_program),
		cmocka_unit_test(test_gopclntab__open_of_a_stripped_position_independent_program),
		cmocka_unit_test(test_gopclntab__open_looks_up_relocated_addresses),
		cmocka_unit_test(test_gopclntab__open_finds_it_without_section_headers),
		cmocka_unit_test(test_gopclntab__func_agrees_with_nm),
		cmocka_unit_test(test_gopclntab__open_of_a_c_program),
	};

	return cmocka_run_group_tests_name("gopclntab", tests, setup, teardown);
}

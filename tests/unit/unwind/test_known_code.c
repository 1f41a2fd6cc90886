/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges of our own over the rows of a C program, against the rows alone; and what a Go program
 * has, where there is a compiler for one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "lib/workdir.h"
#include "unwind/go_ends.h"
#include "unwind/known_code.h"
#include "unwind/table.h"

#define GO_PATH "PATH=$PATH:/usr/local/go/bin:/usr/lib/go/bin:/usr/lib/go-1.19/bin\n"

static struct workdir dir;

struct row {
	u64 off;
	struct cfi_rule rule;
};

static int keep_row(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct vec *rows = arg;
	struct row *row = vec__push(rows);

	assert_non_null(row);
	/* the contract of cfi_read(): each behind the one before */
	if (rows->len > 1)
		assert_true(off > row[-1].off);
	*row = (struct row){ off, *rule };
	return 0;
}

static const struct cfi_rule *rule_at(const struct vec *rows, u64 off)
{
	static const struct cfi_rule none = { .cfa = CFI_CFA_NONE };
	const struct row *r = rows->data;
	size_t lo = 0, hi = rows->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &r[lo - 1].rule : &none;
}

static struct image *open_image(const char *name)
{
	struct image *img = NULL;
	struct err err = { 0 };
	int fd = workdir__open(&dir, name);

	if (image__open(fd, name, &img, &err))
		fail_msg("%s", err.msg);
	close(fd);
	return img;
}

static void read_rows(struct known_code *e, const struct image *img, struct vec *rows)
{
	struct err err = { 0 };

	vec__init(rows, sizeof(struct row));
	if (known_code__cfi_read(e, img, "test", keep_row, rows, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(err.code, 0);
}

static bool same_rule(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->cfa == b->cfa && a->off == b->off && a->off2 == b->off2 && a->base == b->base &&
	       a->ra.how == b->ra.how && a->ra.off == b->ra.off && a->fp.how == b->fp.how &&
	       a->fp.off == b->fp.off;
}

static void put(struct known_code *e, u64 off, u64 end, enum cfi_cfa cfa, bool fills)
{
	struct known_range *range = vec__push(&e->ranges);

	assert_non_null(range);
	*range = (struct known_range){ off, end, { .cfa = (u8)cfa }, fills };
}

/* The only range, anew. */
static void put_alone(struct known_code *e, u64 off, u64 end, enum cfi_cfa cfa, bool fills)
{
	e->ranges.len = 0;
	put(e, off, end, cfa, fills);
}

/* What holds at one byte: the rule of a range that has it, else what the rows alone say. */
static void expect_at(const struct known_code *e, const struct vec *alone, const struct vec *rows,
		      u64 off)
{
	const struct known_range *range = e->ranges.data;
	const struct cfi_rule *got = rule_at(rows, off), *own = rule_at(alone, off);

	for (size_t i = 0; i < e->ranges.len; i++) {
		if (off < range[i].off || off >= range[i].end ||
		    (range[i].fills && own->cfa != CFI_CFA_NONE))
			continue;
		assert_int_equal(got->cfa, range[i].rule.cfa);
		return;
	}
	assert_true(same_rule(got, own));
}

static void expect_merged(struct known_code *e, const struct image *img, const struct vec *alone)
{
	const struct row *r = alone->data;
	const struct known_range *range = e->ranges.data;
	struct vec rows;
	size_t i;

	read_rows(e, img, &rows);
	for (i = 0; i < alone->len; i++) {
		expect_at(e, alone, &rows, r[i].off);
		expect_at(e, alone, &rows, r[i].off - 1);
	}
	for (i = 0; i < e->ranges.len; i++) {
		expect_at(e, alone, &rows, range[i].off - 1);
		expect_at(e, alone, &rows, range[i].off);
		expect_at(e, alone, &rows, range[i].end - 1);
		expect_at(e, alone, &rows, range[i].end);
	}
	vec__done(&rows);
}

static bool build_c(void)
{
	static const char program[] = "int f(int n) { char a[n]; return a[0]; }\n"
				      "int g(int n) { return f(n) + 1; }\n"
				      "int main(void) { return g(2) + f(3); }\n";

	workdir__write(&dir, "a.c", program, sizeof(program) - 1);
	return workdir_have("cc") && workdir__run(&dir, "$CC -O0 -o a a.c");
}

/* Every pair of places from a row's offset and its neighbours: begins, ends, both, in between. */
static void test_known_code__cfi_read_covers_the_rows(void **state)
{
	struct known_code e;
	struct vec alone;
	const struct row *r;
	struct image *img;
	size_t i, j;

	(void)state;
	if (!build_c())
		skip();
	img = open_image("a");
	known_code__init(&e);
	read_rows(&e, img, &alone);
	r = alone.data;
	assert_in_range(alone.len, 10, 200);
	for (i = 0; i < alone.len; i++) {
		for (j = i; j < alone.len && j < i + 4; j++) {
			put_alone(&e, r[i].off, r[j].off + 1, CFI_CFA_END, j & 1);
			expect_merged(&e, img, &alone);
			put_alone(&e, r[i].off - 1, r[j].off, CFI_CFA_END, i & 1);
			expect_merged(&e, img, &alone);
			put_alone(&e, r[i].off, r[j].off, CFI_CFA_UNSUPPORTED, !(j & 1));
			if (i < j)
				expect_merged(&e, img, &alone);
		}
	}
	known_code__done(&e);
	vec__done(&alone);
	image__free(img);
}

static void test_known_code__cfi_read_takes_neighbours(void **state)
{
	struct known_code e;
	struct vec alone;
	const struct row *r;
	struct image *img;
	u64 first, last;

	(void)state;
	if (!build_c())
		skip();
	img = open_image("a");
	known_code__init(&e);
	read_rows(&e, img, &alone);
	r = alone.data;
	first = r[0].off;
	last = r[alone.len - 1].off;
	put(&e, first - 64, first - 32, CFI_CFA_END, false);
	put(&e, first - 32, r[3].off, CFI_CFA_UNSUPPORTED, false);
	put(&e, r[3].off, r[3].off + 1, CFI_CFA_END, false);
	put(&e, r[5].off - 1, r[5].off + 1, CFI_CFA_END, false);
	put(&e, last, last + 16, CFI_CFA_END, false);
	put(&e, last + 100, last + 116, CFI_CFA_END, false);
	expect_merged(&e, img, &alone);
	known_code__done(&e);
	vec__done(&alone);
	image__free(img);
}

static void test_go_ends__add_finds_none_in_other_programs(void **state)
{
	struct known_code e;
	struct image *img;
	bool is_go = true;

	(void)state;
	if (!build_c())
		skip();
	img = open_image("a");
	known_code__init(&e);
	assert_int_equal(go_ends__add(&e, img, &is_go), 0);
	assert_false(is_go);
	assert_int_equal(e.ranges.len, 0);
	known_code__done(&e);
	image__free(img);
}

static void test_known_code__cfi_read_reports_code_without_rules(void **state)
{
	static const char program[] = ".globl _start\n_start: nop\n";
	struct known_code e;
	struct err err = { 0 };
	struct image *img;
	struct vec rows;

	(void)state;
	workdir__write(&dir, "b.s", program, sizeof(program) - 1);
	if (!workdir_have("cc") || !workdir__run(&dir, "$CC -nostdlib -static -o b b.s"))
		skip();
	img = open_image("b");
	vec__init(&rows, sizeof(struct row));
	known_code__init(&e);
	assert_int_equal(known_code__cfi_read(&e, img, "bare", keep_row, &rows, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "bare"));
	assert_int_equal(rows.len, 0);
	/* with a range, its rows are all there is */
	put(&e, 0x1010, 0x1020, CFI_CFA_END, false);
	read_rows(&e, img, &rows);
	assert_int_equal(rows.len, 2);
	assert_int_equal(rule_at(&rows, 0x1010)->cfa, CFI_CFA_END);
	assert_int_equal(rule_at(&rows, 0x1020)->cfa, CFI_CFA_NONE);
	known_code__done(&e);
	vec__done(&rows);
	image__free(img);
}

static bool build_go(void)
{
	static const char program[] = "package main\nfunc main() { println(1) }\n";

	workdir__write(&dir, "a.go", program, sizeof(program) - 1);
	if (!workdir__run(&dir, GO_PATH "command -v go")) {
		print_error("SKIPPED: no go: apt install golang-go\n");
		return false;
	}
	if (!workdir_have("nm strip"))
		return false;
	if (!workdir__run(&dir, GO_PATH "export HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off\n"
					"export CGO_ENABLED=0\n"
					"go build -o go a.go && strip -o bare go"))
		fail_msg("go cannot build");
	return true;
}

/* The symbol table says where it is. */
static u64 offset_of(const struct image *img, const char *symbol)
{
	u64 addr = workdir__addr_of(&dir, "go", symbol);
	const struct image_segment *s = image__segment_at(img, addr);

	if (!addr || !s)
		fail_msg("no %s", symbol);
	return addr - s->vaddr + s->off;
}

/* Its unwind rule, if any, has gone. */
static void expect_end(const struct image *img, const struct vec *rows, const char *symbol,
		       enum cfi_cfa want)
{
	u64 off = offset_of(img, symbol);

	assert_int_equal(rule_at(rows, off)->cfa, want);
	assert_int_equal(rule_at(rows, off + 4)->cfa, want);
}

static void expect_ends(const char *name, enum cfi_cfa elsewhere)
{
	struct image *img = open_image(name);
	struct known_code e;
	bool is_go;
	struct vec rows;
	u64 off;

	known_code__init(&e);
	assert_int_equal(go_ends__add(&e, img, &is_go), 0);
	assert_true(is_go);
	assert_in_range(e.ranges.len, 6, 20);
	read_rows(&e, img, &rows);
	expect_end(img, &rows, "runtime.mcall", CFI_CFA_END);
	expect_end(img, &rows, "runtime.goexit.abi0", CFI_CFA_END);
	expect_end(img, &rows, "runtime.mstart.abi0", CFI_CFA_END);
	expect_end(img, &rows, "runtime.rt0_go.abi0", CFI_CFA_END);
	expect_end(img, &rows, "runtime.systemstack.abi0", CFI_CFA_END);
	expect_end(img, &rows, "runtime.morestack.abi0", CFI_CFA_END);
	expect_end(img, &rows, "runtime.asmcgocall.abi0", CFI_CFA_UNSUPPORTED);
	expect_end(img, &rows, "runtime.nanotime1.abi0", CFI_CFA_UNSUPPORTED);
	/* names that begin or end like those of the others */
	expect_end(img, &rows, "runtime.mstart1", elsewhere);
	expect_end(img, &rows, "runtime.goexit1", elsewhere);
	expect_end(img, &rows, "runtime.newproc", elsewhere);
	expect_end(img, &rows, "main.main", elsewhere);
	/* whose address is a return address, behind mcall */
	off = offset_of(img, "runtime.systemstack_switch.abi0");
	/* Shorter than 4 bytes; what is behind it is a gap. */
	assert_int_equal(rule_at(&rows, off)->cfa, elsewhere);
	assert_int_equal(rule_at(&rows, off - 1)->cfa, elsewhere);
	assert_int_equal(rule_at(&rows, off - 2)->cfa, CFI_CFA_END);
	known_code__done(&e);
	vec__done(&rows);
	image__free(img);
}

static void test_go_ends__add_finds_those_of_a_go_program(void **state)
{
	(void)state;
	if (!build_go())
		skip();
	expect_ends("go", CFI_CFA_REG);
}

/* strip takes symbols and unwind rules away. */
static void test_go_ends__add_finds_those_of_a_stripped_one(void **state)
{
	(void)state;
	if (!build_go())
		skip();
	expect_ends("bare", CFI_CFA_NONE);
}

static void test_go_ends__add_returns_no_memory(void **state)
{
	struct known_code e;
	bool is_go;
	struct image *img;

	(void)state;
	if (!build_go())
		skip();
	img = open_image("bare");
	known_code__init(&e);
	mem_fail_nth(1);
	assert_int_equal(go_ends__add(&e, img, &is_go), -ENOMEM);
	assert_true(mem_fail_fired());
	mem_fail_nth(0);
	assert_int_equal(go_ends__add(&e, img, &is_go), 0);
	known_code__done(&e);
	image__free(img);
}

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_code__cfi_read_covers_the_rows),
		cmocka_unit_test(test_known_code__cfi_read_takes_neighbours),
		cmocka_unit_test(test_known_code__cfi_read_reports_code_without_rules),
		cmocka_unit_test(test_go_ends__add_finds_none_in_other_programs),
		cmocka_unit_test(test_go_ends__add_finds_those_of_a_go_program),
		cmocka_unit_test(test_go_ends__add_finds_those_of_a_stripped_one),
		cmocka_unit_test(test_go_ends__add_returns_no_memory),
	};

	return cmocka_run_group_tests_name("known_code", tests, setup, teardown);
}

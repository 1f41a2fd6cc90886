/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of real files, looked up as the walker does it, against the rows that they were made of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/cfi.h"
#include "lib/workdir.h"
#include "unwind/known_code.h"
#include "unwind/roots.h"
#include "unwind/table.h"

#define SEGMENTS 8
#define PAGE_SZ 4096U

static u8 memory[SEGMENTS][CS_SEGMENT_SZ];
static struct cs_unwind_rule dictionary[CS_RULES_MAX];
static struct rules rules;
static struct space space;

static u8 *segment(void *arg, u32 segno)
{
	(void)arg;
	return memory[segno];
}

static int setup(void **state)
{
	(void)state;
	memset(dictionary, 0, sizeof(dictionary));
	memset(memory, 0xaa, sizeof(memory));
	assert_int_equal(rules__init(&rules, dictionary), 0);
	assert_int_equal(space__init(&space, sizeof(memory), segment, NULL), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rules__done(&rules);
	space__done(&space);
	return 0;
}

static int libc_fd(void)
{
	static const char *const paths[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/aarch64-linux-gnu/libc.so.6",
		"/lib64/libc.so.6",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			return fd;
	}
	print_error("SKIPPED: there is no libc.so.6\n");
	skip();
	return -1;
}

static struct table *libc_table(void)
{
	struct table *t = NULL;
	struct err err = { 0 };
	int fd = libc_fd();

	if (table__build_fd(fd, "libc", &rules, &t, &err))
		fail_msg("%s", err.msg);
	close(fd);
	return t;
}

/* The number of the rule, by index and rows alone. */
static u32 look_up(const struct place *p, u64 off)
{
	u64 page = (off >> CS_UNWIND_PAGE_BITS) - p->first_page;
	struct cs_unwind_page entry;
	struct cs_unwind_row row;
	u32 i, rule = 0;

	if (page >= p->pages)
		return 0;
	memcpy(&entry, space__at(&space, p->index + (u32)page * 8), sizeof(entry));
	for (i = 0; i < entry.len; i++) {
		memcpy(&row, space__at(&space, entry.rows + i * 4), sizeof(row));
		if (i == 0)
			assert_int_equal(row.off, 0);
		if (row.off > off % PAGE_SZ)
			break;
		rule = row.rule;
	}
	return rule;
}

struct looking {
	struct place place;
	struct cfi_rule last;
	u64 last_off;
	u32 looked;
};

/* Fields by hand, not as table.c converts them. */
static void expect_rule(const struct cs_unwind_rule *got, const struct cfi_rule *want)
{
	static const u8 kinds[] = {
		[CFI_CFA_NONE] = CS_CFA_NONE,
		[CFI_CFA_PLT] = CS_CFA_PLT,
		[CFI_CFA_SIGNAL] = CS_CFA_SIGNAL,
		[CFI_CFA_END] = CS_CFA_END,
		[CFI_CFA_UNSUPPORTED] = CS_CFA_UNSUPPORTED,
	};
	static const u8 plain[] = { CS_CFA_REG, CS_CFA_SP, CS_CFA_FP };
	static const u8 deref[] = { CS_CFA_UNSUPPORTED, CS_CFA_SP_DEREF, CS_CFA_FP_DEREF };
	static const u8 saved[] = { CS_SAVED_SAME, CS_SAVED_CFA, CS_SAVED_FP };
	u8 kind = kinds[want->cfa];

	if (want->cfa == CFI_CFA_REG)
		kind = plain[want->base];
	else if (want->cfa == CFI_CFA_DEREF)
		kind = deref[want->base];
	assert_int_equal(got->cfa, kind);
	if (kind == CS_CFA_NONE || kind >= CS_CFA_SIGNAL)
		return;
	assert_int_equal(got->cfa_off, want->off);
	if (want->ra.how == CFI_AT_CFA)
		assert_int_equal(got->ra_off, want->ra.off);
	/* by the frame pointer, but that is the caller's already */
	if (want->cfa == CFI_CFA_REG && want->base == CFI_BASE_SP && want->fp.how == CFI_AT_FP) {
		assert_int_equal(got->fp_bx & 15, CS_SAVED_SAME);
		return;
	}
	if (want->fp.how <= CFI_AT_FP) {
		assert_int_equal(got->fp_bx & 15, saved[want->fp.how]);
		assert_int_equal(got->fp_off, want->fp.off);
	} else {
		assert_int_equal(got->fp_bx & 15, CS_SAVED_UNKNOWN);
	}
	if (want->bx.how <= CFI_AT_FP)
		assert_int_equal(got->fp_bx >> 4, saved[want->bx.how]);
}

static int look_at_row(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct looking *l = arg;

	expect_rule(&dictionary[look_up(&l->place, off)], rule);
	/* and what holds just before it, over page ends too */
	if (l->looked)
		expect_rule(&dictionary[look_up(&l->place, off - 1)], &l->last);
	if (l->looked && off / PAGE_SZ > l->last_off / PAGE_SZ)
		expect_rule(&dictionary[look_up(&l->place, off & ~4095ULL)],
			    off % PAGE_SZ ? &l->last : rule);
	l->last = *rule;
	l->last_off = off;
	l->looked++;
	return 0;
}

static void test_table__place_can_be_looked_up(void **state)
{
	struct looking l = { .last_off = 0 };
	struct known_code known;
	struct table *t = libc_table();
	struct image *img = NULL;
	int fd = libc_fd();

	(void)state;
	assert_int_equal(table__place(t, &space, &l.place, NULL), 0);
	assert_int_equal(l.place.first_page, t->first_page);
	assert_int_equal(l.place.pages, table__page_cnt(t));
	assert_int_equal(image__open(fd, "libc", &img, NULL), 0);
	close(fd);
	known_code__init(&known);
	assert_int_equal(roots__add(&known, img), 0);
	assert_int_equal(known_code__cfi_read(&known, img, "libc", look_at_row, &l, NULL), 0);
	known_code__done(&known);
	assert_true(l.looked > 1000);
	assert_int_equal(look_up(&l.place, 0), 0);
	assert_int_equal(look_up(&l.place, 1ULL << 40), 0);
	assert_string_equal(t->build_id, img->build_id);
	image__free(img);
	table__free(t);
	place__free(&l.place, &space);
}

static void test_table__bytes_is_what_placing_takes(void **state)
{
	struct table *t = libc_table();
	struct place p;

	(void)state;
	assert_int_equal(table__place(t, &space, &p, NULL), 0);
	assert_in_range(place__bytes(&p), table__bytes(t), table__bytes(t) + 1024);
	assert_true(place__bytes(&p) == space.used);
	table__free(t);
	place__free(&p, &space);
	assert_true(space.used == 0);
}

/* Places tables until nothing fits, so that indexes and rows meet every edge of segments. */
static void test_table__place_fills_the_space_and_gives_it_back(void **state)
{
	struct table *t = libc_table();
	struct place places[200];
	struct err err = { 0 };
	size_t n = 0, i;
	u64 used;

	(void)state;
	while (n < ARRAY_LEN(places) && !table__place(t, &space, &places[n], &err))
		n++;
	assert_in_range(n, 20, ARRAY_LEN(places) - 1);
	assert_non_null(strstr(err.msg, "no room"));
	assert_true(space.used > sizeof(memory) - 2 * table__bytes(t));
	for (i = 0; i < n; i++) {
		u64 off = (u64)t->first_page * PAGE_SZ + i * 5000;

		assert_int_equal(look_up(&places[i], off), look_up(&places[0], off));
	}
	used = space.used;
	place__free(&places[n / 2], &space);
	assert_true(space.used < used);
	assert_int_equal(table__place(t, &space, &places[n / 2], NULL), 0);
	assert_true(space.used == used);
	for (i = 0; i < n; i++)
		place__free(&places[i], &space);
	assert_true(space.used == 0);
	assert_int_equal(space.holes.len, 1);
	table__free(t);
}

static void test_table__build_reads_the_vdso(void **state)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct table *t = NULL;
	struct err err = { 0 };

	(void)state;
	if (!vdso) {
		print_error("SKIPPED: there is no vDSO\n");
		skip();
	}
	if (table__build_mem(vdso, 2 * PAGE_SZ, "vdso", &rules, &t, &err))
		fail_msg("%s", err.msg);
	assert_in_range(table__page_cnt(t), 1, 8);
	assert_true(t->rows.len > 5);
	table__free(t);
}

static void test_table__build_drops_rows_that_say_nothing_new(void **state)
{
	struct table *t = libc_table();
	const struct cs_unwind_row *row = t->rows.data;
	size_t i;

	(void)state;
	for (i = 1; i < t->rows.len; i++)
		assert_true(row[i].off == 0 || row[i].rule != row[i - 1].rule);
	table__free(t);
}

static void test_table__build_reports_files_without_rules(void **state)
{
	struct table *t = NULL;
	struct err err = { 0 };
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(table__build_fd(fd, "nothing", &rules, &t, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nothing"));
	assert_null(t);
	close(fd);
}

static void test_table__build_returns_no_memory(void **state)
{
	bool fired = true;
	u64 nth;

	(void)state;
	for (nth = 1; fired; nth++) {
		struct table *t = NULL;
		struct err err = { 0 };
		struct place p;
		int fd = libc_fd(), r;

		mem_fail_nth(nth);
		r = table__build_fd(fd, "libc", &rules, &t, &err);
		if (!r)
			r = table__place(t, &space, &p, &err);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		close(fd);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		table__free(t);
		if (!r)
			place__free(&p, &space);
		assert_true(space.used == 0);
	}
	assert_true(nth > 10);
	place__free(NULL, &space);
	table__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table__place_can_be_looked_up),
		cmocka_unit_test(test_table__bytes_is_what_placing_takes),
		cmocka_unit_test(test_table__place_fills_the_space_and_gives_it_back),
		cmocka_unit_test(test_table__build_reads_the_vdso),
		cmocka_unit_test(test_table__build_drops_rows_that_say_nothing_new),
		cmocka_unit_test(test_table__build_reports_files_without_rules),
		cmocka_unit_test(test_table__build_returns_no_memory),
	};

	return cmocka_run_group_tests_name("table", tests, setup, teardown);
}

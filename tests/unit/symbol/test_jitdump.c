/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "symbol/jitdump.h"

/* The bytes of a dump, put together as a writer does. */
struct dump {
	u8 *bytes;
	size_t len;
	size_t record; /* start of the last one */
};

static void put(struct dump *d, const void *data, size_t sz)
{
	d->bytes = realloc(d->bytes, d->len + sz);
	assert_non_null(d->bytes);
	memcpy(d->bytes + d->len, data, sz);
	d->len += sz;
}

static void put32(struct dump *d, u32 value)
{
	put(d, &value, sizeof(value));
}

static void put64(struct dump *d, u64 value)
{
	put(d, &value, sizeof(value));
}

static void begin(struct dump *d)
{
	*d = (struct dump){ 0 };
	put32(d, 0x4a695444);
	put32(d, 1);
	put32(d, 40);
	put32(d, 62);
	put32(d, 0);
	put32(d, 4711);
	put64(d, 1);
	put64(d, 0);
}

static void begin_record(struct dump *d, u32 kind)
{
	d->record = d->len;
	put32(d, kind);
	put32(d, 0);
	put64(d, 5);
}

static void end_record(struct dump *d)
{
	u32 sz = (u32)(d->len - d->record);

	memcpy(d->bytes + d->record + 4, &sz, sizeof(sz));
}

static void put_load(struct dump *d, u64 addr, u64 sz, u64 number, const char *name)
{
	u8 *code;

	begin_record(d, 0);
	put64(d, 0);
	put64(d, addr);
	put64(d, addr);
	put64(d, sz);
	put64(d, number);
	put(d, name, strlen(name) + 1);
	code = calloc(1, sz);
	assert_non_null(code);
	put(d, code, sz);
	free(code);
	end_record(d);
}

static void put_move(struct dump *d, u64 from, u64 to, u64 sz, u64 number)
{
	begin_record(d, 1);
	put64(d, 0);
	put64(d, to);
	put64(d, from);
	put64(d, to);
	put64(d, sz);
	put64(d, number);
	end_record(d);
}

static void begin_debug(struct dump *d, u64 addr, u64 count)
{
	begin_record(d, 2);
	put64(d, addr);
	put64(d, count);
}

static void put_row(struct dump *d, u64 addr, u32 line, const char *file)
{
	put64(d, addr);
	put32(d, line);
	put32(d, 0);
	put(d, file, strlen(file) + 1);
}

static struct jitdump *parse(struct dump *d)
{
	struct jitdump *jd = NULL;

	assert_int_equal(jitdump__new(&jd, NULL), 0);
	assert_int_equal(jitdump__add(jd, view__of(d->bytes, d->len), NULL), 0);
	free(d->bytes);
	return jd;
}

static void check(const struct jitdump *jd, u64 addr, const char *want, u64 want_start)
{
	const char *name = NULL;
	u64 start = 0;

	assert_int_equal(jitdump__find(jd, addr, &name, &start), want != NULL);
	if (!want)
		return;
	assert_string_equal(name, want);
	assert_true(start == want_start);
}

static void check_line(const struct jitdump *jd, u64 addr, const char *want, u32 want_line)
{
	const char *file = NULL;
	u32 line = 0;

	assert_int_equal(jitdump__line(jd, addr, &file, &line), want != NULL);
	if (!want)
		return;
	assert_string_equal(file, want);
	assert_int_equal(line, want_line);
}

static void test_jitdump__find_is_right_at_the_edges(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	put_load(&d, 0x7f00, 0x10, 1, "first");
	put_load(&d, 0x7f10, 8, 2, "second");
	jd = parse(&d);
	assert_int_equal(jitdump__len(jd), 2);
	check(jd, 0x7eff, NULL, 0);
	check(jd, 0x7f00, "first", 0x7f00);
	check(jd, 0x7f0f, "first", 0x7f00);
	check(jd, 0x7f10, "second", 0x7f10);
	check(jd, 0x7f18, NULL, 0);
	check_line(jd, 0x7f00, NULL, 0);
	jitdump__free(jd);
	jitdump__free(NULL);
}

static void test_jitdump__find_believes_the_later_record(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	put_load(&d, 0x1000, 0x100, 1, "old");
	put_load(&d, 0x1040, 0x20, 2, "new");
	put_load(&d, 0x5000, 0x20, 3, "moving");
	put_move(&d, 0x5000, 0x1000, 0x20, 3);
	/* of a number that nobody knows */
	put_move(&d, 0x5000, 0x9000, 0x20, 99);
	jd = parse(&d);
	check(jd, 0x1000, "moving", 0x1000);
	check(jd, 0x1020, "old", 0x1000);
	check(jd, 0x1040, "new", 0x1040);
	check(jd, 0x1060, "old", 0x1000);
	check(jd, 0x9000, NULL, 0);
	jitdump__free(jd);
}

static void test_jitdump__line_goes_with_the_code(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	begin_debug(&d, 0x1000, 3);
	put_row(&d, 0x1000, 10, "/srv/a.js");
	put_row(&d, 0x1010, 12, "\xff");
	put_row(&d, 0x1018, 3, "/srv/b.js");
	end_record(&d);
	put_load(&d, 0x1000, 0x20, 1, "f");
	put_load(&d, 0x2000, 0x20, 2, "g");
	put_move(&d, 0x1000, 0x3000, 0x20, 1);
	/* the rows of a function that never came are not the next one's */
	begin_debug(&d, 0x4000, 1);
	put_row(&d, 0x4000, 99, "/srv/c.js");
	end_record(&d);
	put_load(&d, 0x5000, 0x20, 3, "h");
	jd = parse(&d);
	check_line(jd, 0x1000, "/srv/a.js", 10);
	check_line(jd, 0x100f, "/srv/a.js", 10);
	check_line(jd, 0x1010, "/srv/a.js", 12);
	check_line(jd, 0x101f, "/srv/b.js", 3);
	check_line(jd, 0x3018, "/srv/b.js", 3);
	check_line(jd, 0x2000, NULL, 0);
	check_line(jd, 0x5000, NULL, 0);
	check_line(jd, 0x6000, NULL, 0);
	jitdump__free(jd);
}

/* V8 counts from the start of the ELF file that others will make of it. */
static void test_jitdump__line_without_the_header_of_a_file_to_come(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	begin_debug(&d, 0x1000, 2);
	put_row(&d, 0x1040, 10, "/srv/a.js");
	put_row(&d, 0x1050, 11, "/srv/a.js");
	end_record(&d);
	put_load(&d, 0x1000, 0x20, 1, "f");
	jd = parse(&d);
	check_line(jd, 0x100f, "/srv/a.js", 10);
	check_line(jd, 0x1010, "/srv/a.js", 11);
	jitdump__free(jd);
}

static void test_jitdump__ignores_a_line_without_a_file(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	begin_debug(&d, 0x1000, 3);
	put_row(&d, 0x1000, 10, "\x1b\x04:");
	put_row(&d, 0x1008, 11, "");
	put_row(&d, 0x1010, 12, "/srv/a.js");
	end_record(&d);
	put_load(&d, 0x1000, 0x20, 1, "f");
	jd = parse(&d);
	check_line(jd, 0x1000, NULL, 0);
	check_line(jd, 0x1008, NULL, 0);
	check_line(jd, 0x1010, "/srv/a.js", 12);
	jitdump__free(jd);
}

static void test_jitdump__add_passes_over_other_records(void **state)
{
	struct jitdump *jd;
	struct dump d;

	(void)state;
	begin(&d);
	begin_record(&d, 4);
	put(&d, "unwinding", 9);
	end_record(&d);
	begin_record(&d, 77);
	end_record(&d);
	put_load(&d, 0x1000, 0x10, 1, "f");
	begin_record(&d, 3);
	end_record(&d);
	jd = parse(&d);
	check(jd, 0x1000, "f", 0x1000);
	jitdump__free(jd);
}

static void test_jitdump__add_refuses_other_files(void **state)
{
	struct jitdump *jd = NULL;
	struct err err = { 0 };
	struct dump d;

	(void)state;
	begin(&d);
	d.bytes[0] = 'x';
	assert_int_equal(jitdump__new(&jd, NULL), 0);
	assert_int_equal(jitdump__add(jd, view__of(d.bytes, d.len), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "jitdump"));
	jitdump__free(jd);
	free(d.bytes);
}

static void test_jitdump__add_takes_the_whole_records_of_a_cut_file(void **state)
{
	struct dump d;
	size_t len;

	(void)state;
	begin(&d);
	begin_debug(&d, 0x1000, 1);
	put_row(&d, 0x1000, 10, "/srv/a.js");
	end_record(&d);
	put_load(&d, 0x1000, 0x20, 1, "f");
	put_move(&d, 0x1000, 0x3000, 0x20, 1);
	for (len = 0; len <= d.len; len++) {
		u8 *copy = malloc(len ? len : 1);
		struct jitdump *jd = NULL;
		const char *name;
		u64 start;

		assert_non_null(copy);
		memcpy(copy, d.bytes, len);
		assert_int_equal(jitdump__new(&jd, NULL), 0);
		assert_int_equal(jitdump__add(jd, view__of(copy, len), NULL), 0);
		assert_int_equal(jitdump__find(jd, 0x3000, &name, &start), len == d.len);
		jitdump__free(jd);
		free(copy);
	}
	free(d.bytes);
}

/* A writer at work: the file ends anywhere, and code is larger than what is read at once. */
static void test_jitdump__update_reads_on(void **state)
{
	struct jitdump *jd = NULL;
	struct workdir dir;
	struct dump d;
	size_t first, cut;
	int fd;

	(void)state;
	workdir__init(&dir);
	begin(&d);
	put_load(&d, 0x1000, 0x10, 1, "first");
	first = d.len;
	put_load(&d, 0x100000, 1 << 20, 2, "huge");
	cut = d.len;
	put_load(&d, 0x3000, 0x10, 3, "last");
	workdir__write(&dir, "dump", d.bytes, first + 30);
	fd = workdir__open(&dir, "dump");
	assert_int_equal(jitdump__new(&jd, NULL), 0);
	assert_int_equal(jitdump__update(jd, fd, NULL), 0);
	assert_int_equal(jitdump__len(jd), 1);
	workdir__write(&dir, "dump", d.bytes, cut - 5);
	assert_int_equal(jitdump__update(jd, fd, NULL), 0);
	assert_int_equal(jitdump__len(jd), 2);
	workdir__write(&dir, "dump", d.bytes, d.len);
	assert_int_equal(jitdump__update(jd, fd, NULL), 0);
	assert_int_equal(jitdump__len(jd), 3);
	check(jd, 0x1000, "first", 0x1000);
	check(jd, 0x1fffff, "huge", 0x100000);
	check(jd, 0x3000, "last", 0x3000);
	/* another program of that number */
	d.len = 0;
	free(d.bytes);
	begin(&d);
	put_load(&d, 0x8000, 0x10, 1, "other");
	workdir__write(&dir, "dump", d.bytes, d.len);
	assert_int_equal(jitdump__update(jd, fd, NULL), 0);
	assert_int_equal(jitdump__len(jd), 1);
	check(jd, 0x8000, "other", 0x8000);
	free(d.bytes);
	close(fd);
	jitdump__free(jd);
	workdir__done(&dir);
}

static void test_jitdump__add_survives_every_failed_allocation(void **state)
{
	struct dump d;
	u64 nth;
	int r;

	(void)state;
	begin(&d);
	begin_debug(&d, 0x1000, 1);
	put_row(&d, 0x1000, 10, "/srv/a.js");
	end_record(&d);
	put_load(&d, 0x1000, 0x20, 1, "f");
	put_move(&d, 0x1000, 0x3000, 0x20, 1);
	for (nth = 1;; nth++) {
		struct jitdump *jd = NULL;

		mem_fail_nth(nth);
		r = jitdump__new(&jd, NULL);
		if (!r)
			r = jitdump__add(jd, view__of(d.bytes, d.len), NULL);
		jitdump__free(jd);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 5);
	free(d.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitdump__find_is_right_at_the_edges),
		cmocka_unit_test(test_jitdump__find_believes_the_later_record),
		cmocka_unit_test(test_jitdump__line_goes_with_the_code),
		cmocka_unit_test(test_jitdump__line_without_the_header_of_a_file_to_come),
		cmocka_unit_test(test_jitdump__ignores_a_line_without_a_file),
		cmocka_unit_test(test_jitdump__add_passes_over_other_records),
		cmocka_unit_test(test_jitdump__add_refuses_other_files),
		cmocka_unit_test(test_jitdump__add_takes_the_whole_records_of_a_cut_file),
		cmocka_unit_test(test_jitdump__update_reads_on),
		cmocka_unit_test(test_jitdump__add_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("jitdump", tests, NULL, NULL);
}

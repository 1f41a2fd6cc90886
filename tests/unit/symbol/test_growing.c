/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/workdir.h"
#include "symbol/growing.h"

static struct workdir dir;

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

/* What was taken: records are lines. */
struct taken {
	char text[64];
	size_t len;
	u64 bytes;
	int fail;
};

static s64 take(void *arg, struct view bytes)
{
	struct taken *t = arg;
	const u8 *begin = bytes.p;
	struct view line;

	t->bytes += view__left(&bytes);
	if (t->fail)
		return t->fail;
	while (view__left(&bytes) && bytes.end[-1] != '\n')
		bytes.end--;
	while (view__line(&bytes, &line)) {
		assert_true(t->len + view__left(&line) + 1 < sizeof(t->text));
		memcpy(t->text + t->len, line.p, view__left(&line));
		t->len += view__left(&line);
		t->text[t->len++] = '|';
	}
	return bytes.end - begin;
}

static int read_file(struct growing *g, const char *text, struct taken *t)
{
	int fd, r;

	workdir__write(&dir, "log", text, strlen(text));
	fd = workdir__open(&dir, "log");
	if (growing__is_another(g, fd))
		growing__restart(g);
	r = growing__read(g, fd, take, t);
	close(fd);
	return r;
}

static void test_growing__read_continues_where_it_stopped(void **state)
{
	struct growing g = { 0 };
	struct taken t = { 0 };

	(void)state;
	assert_int_equal(read_file(&g, "one\ntw", &t), 0);
	assert_string_equal(t.text, "one|");
	assert_int_equal(read_file(&g, "one\ntwo\nthree\n", &t), 0);
	assert_string_equal(t.text, "one|two|three|");
	assert_int_equal(read_file(&g, "one\ntwo\nthree\n", &t), 0);
	assert_string_equal(t.text, "one|two|three|");
}

static void test_growing__is_another_after_it_was_written_anew(void **state)
{
	struct growing g = { 0 };
	struct taken t = { 0 };

	(void)state;
	assert_int_equal(read_file(&g, "one\ntwo\n", &t), 0);
	memset(&t, 0, sizeof(t));
	/* longer than before, and shorter */
	assert_int_equal(read_file(&g, "one\n222\nthree\n", &t), 0);
	assert_string_equal(t.text, "one|222|three|");
	memset(&t, 0, sizeof(t));
	assert_int_equal(read_file(&g, "1\n", &t), 0);
	assert_string_equal(t.text, "1|");
}

static void test_growing__read_ends_with_the_error_of_the_taker(void **state)
{
	struct growing g = { 0 };
	struct taken t = { .fail = -ENOMEM };

	(void)state;
	assert_int_equal(read_file(&g, "one\n", &t), -ENOMEM);
	assert_true(g.off == 0);
	assert_int_equal(growing__read(&g, -1, take, &t), -EBADF);
}

/* A sparse file costs its owner nothing. */
static void test_growing__read_says_that_it_stopped_before_the_end(void **state)
{
	struct growing g = { 0 };
	struct taken t = { 0 };
	int fd;

	(void)state;
	workdir__write(&dir, "sparse", "one\n", 4);
	assert_int_equal(truncate(workdir__path(&dir, "sparse"), 0x600000000), 0);
	fd = workdir__open(&dir, "sparse");
	assert_int_equal(growing__read(&g, fd, take, &t), 1);
	assert_string_equal(t.text, "one|");
	assert_true(t.bytes <= GROWING_READ_MAX_SZ);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing__read_continues_where_it_stopped),
		cmocka_unit_test(test_growing__is_another_after_it_was_written_anew),
		cmocka_unit_test(test_growing__read_ends_with_the_error_of_the_taker),
		cmocka_unit_test(test_growing__read_says_that_it_stopped_before_the_end),
	};

	return cmocka_run_group_tests_name("growing", tests, setup, teardown);
}

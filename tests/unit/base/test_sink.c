/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/sink.h"

static void test_sink__mem_is_terminated_when_empty(void **state)
{
	struct sink s;
	size_t len = 9;
	char *text;

	(void)state;
	sink__init_mem(&s);
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, "");
	text = sink__steal(&s, &len);
	assert_string_equal(text, "");
	assert_int_equal(len, 0);
	mem_free(text);
	sink__done(&s);
	sink__done(NULL);
}

static void test_sink__mem_keeps_every_byte(void **state)
{
	struct sink s;
	size_t len, i;
	char *text;

	(void)state;
	sink__init_mem(&s);
	for (i = 0; i < 20000; i++) {
		sink__put(&s, "a\0b", 3);
		sink__puts(&s, "cd");
		sink__puts(&s, "");
		sink__printf(&s, "%s", "e");
	}
	assert_int_equal(s.total_bytes, 120000);
	text = sink__steal(&s, &len);
	assert_int_equal(len, 120000);
	for (i = 0; i < len; i += 6)
		assert_memory_equal(text + i, "a\0bcde", 6);
	assert_int_equal(text[len], '\0');
	mem_free(text);
	/* it may be used again */
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, "");
	sink__puts(&s, "x");
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, "x");
	sink__done(&s);
	sink__done(&s);
	sink__puts(&s, "y");
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, "y");
	sink__done(&s);
}

static void test_sink__mem_is_terminated_at_every_length(void **state)
{
	struct sink s;
	size_t i;

	(void)state;
	sink__init_mem(&s);
	for (i = 1; i < 9000; i++) {
		sink__put(&s, "x", 1);
		assert_int_equal(sink__finish(&s, NULL), 0);
		assert_int_equal(strlen(s.buf), i);
	}
	sink__done(&s);
}

static void test_sink__put_u64_is_printf(void **state)
{
	struct sink out;
	char want[32];
	u64 n = 1;
	u32 i;

	(void)state;
	for (i = 0; i < 200; i++, n = i % 3 ? n * 10 : n * 7 - i) {
		sink__init_mem(&out);
		sink__put_u64(&out, i ? n : 0);
		assert_int_equal(sink__finish(&out, NULL), 0);
		snprintf(want, sizeof(want), "%llu", i ? n : 0);
		assert_string_equal(out.buf, want);
		sink__done(&out);
	}
	sink__init_mem(&out);
	sink__put_u64(&out, ~0ULL);
	assert_memory_equal(out.buf, "18446744073709551615", 20);
	sink__done(&out);
	sink__init_mem(&out);
	sink__put_s64(&out, -1);
	sink__put_s64(&out, 0);
	sink__put_s64(&out, INT64_MIN);
	sink__put_s64(&out, INT64_MAX);
	assert_memory_equal(out.buf, "-10-92233720368547758089223372036854775807", 42);
	sink__done(&out);
}

static void test_sink__printf_longer_than_its_buffer(void **state)
{
	static const int widths[] = { 510, 511, 512, 513, 70000 };
	struct sink s;
	size_t i, len, want = 0;

	(void)state;
	sink__init_mem(&s);
	for (i = 0; i < ARRAY_LEN(widths); i++) {
		sink__printf(&s, "%*d|", widths[i], 7);
		want += (size_t)widths[i] + 1;
	}
	assert_int_equal(sink__finish(&s, NULL), 0);
	len = strlen(s.buf);
	assert_int_equal(len, want);
	assert_int_equal(s.total_bytes, want);
	assert_string_equal(s.buf + len - 2, "7|");
	sink__done(&s);
}

static void test_sink__error_is_sticky_and_the_first(void **state)
{
	struct err err = { 0 };
	struct sink s;
	size_t len = 5;

	(void)state;
	sink__init_mem(&s);
	mem_fail_nth(1);
	sink__puts(&s, "lost");
	sink__puts(&s, "dropped");
	assert_int_equal(s.error, -ENOMEM);
	assert_int_equal(s.total_bytes, 11);
	assert_int_equal(sink__finish(&s, &err), -ENOMEM);
	assert_string_equal(err.msg, "out of memory");
	assert_null(sink__steal(&s, &len));
	assert_int_equal(len, 0);
	sink__done(&s);
}

static void test_sink__printf_reports_a_shortage(void **state)
{
	struct sink s;

	(void)state;
	sink__init_mem(&s);
	sink__puts(&s, "x");
	mem_fail_nth(1);
	sink__printf(&s, "%2000d", 1);
	mem_fail_nth(0);
	assert_int_equal(s.total_bytes, 2001);
	assert_int_equal(sink__finish(&s, NULL), -ENOMEM);
	sink__done(&s);
}

static void test_sink__put_refuses_sizes_that_overflow(void **state)
{
	struct sink s;

	(void)state;
	sink__init_mem(&s);
	sink__puts(&s, "x");
	sink__put(&s, "y", SIZE_MAX);
	assert_int_equal(sink__finish(&s, NULL), -ENOMEM);
	sink__done(&s);
	sink__init_mem(&s);
	sink__put(&s, "y", SIZE_MAX / 2);
	assert_int_equal(sink__finish(&s, NULL), -ENOMEM);
	sink__done(&s);
}

static void test_sink__printf_of_what_cannot_be_printed_is_an_error(void **state)
{
	struct sink s;

	(void)state;
	sink__init_mem(&s);
	/* a wide character that the C locale has no bytes for */
	sink__printf(&s, "x%ls", L"\x20ac");
	sink__puts(&s, "y");
	assert_int_equal(sink__finish(&s, NULL), -EINVAL);
	sink__done(&s);
}

/* Everything written to a temporary file, which is removed. */
static int temp_file(void)
{
	char path[] = "/tmp/coldspot-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static void test_sink__fd_writes_all_in_order(void **state)
{
	static char big[200000], back[600000];
	struct sink s;
	size_t total = 0, sz, i;
	int fd = temp_file();

	(void)state;
	for (i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 31 >> 3);
	sink__init_fd(&s, fd);
	/* sizes around the buffer's own, and below and above it */
	for (sz = 1; sz < sizeof(big); sz = sz * 2 + 1) {
		sink__put(&s, big, sz);
		total += sz;
	}
	sink__put(&s, big, 65536);
	total += 65536;
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_int_equal(s.total_bytes, total);
	assert_int_equal(lseek(fd, 0, SEEK_END), total);
	assert_int_equal(pread(fd, back, sizeof(back), 0), total);
	for (sz = 1, i = 0; sz < sizeof(big); i += sz, sz = sz * 2 + 1)
		assert_memory_equal(back + i, big, sz);
	assert_memory_equal(back + i, big, 65536);
	sink__done(&s);
	close(fd);
}

static void test_sink__fd_writes_nothing_before_it_must(void **state)
{
	struct sink s;
	int fd = temp_file();

	(void)state;
	sink__init_fd(&s, fd);
	assert_int_equal(sink__finish(&s, NULL), 0);
	sink__puts(&s, "abc");
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 3);
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 3);
	sink__done(&s);
	close(fd);
}

static void test_sink__fd_reports_a_full_device(void **state)
{
	struct err err = { 0 };
	struct sink s;
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_true(fd >= 0);
	sink__init_fd(&s, fd);
	sink__puts(&s, "x");
	assert_int_equal(sink__finish(&s, &err), -ENOSPC);
	assert_string_equal(err.msg, "cannot write: No space left on device");
	close(fd);
	/* the first error stays, although the descriptor is now worse */
	sink__puts(&s, "x");
	assert_int_equal(sink__finish(&s, NULL), -ENOSPC);
	sink__done(&s);
}

static void test_sink__fd_reports_a_reader_that_left(void **state)
{
	struct sink s;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	sink__init_fd(&s, fds[1]);
	sink__puts(&s, "x");
	assert_int_equal(sink__finish(&s, NULL), -EPIPE);
	sink__done(&s);
	close(fds[1]);
}

static void *read_slowly(void *arg)
{
	size_t *total = arg;
	char buf[4096];
	ssize_t n;

	while ((n = read((int)total[0], buf, sizeof(buf))) > 0) {
		total[1] += (size_t)n;
		usleep(100);
	}
	return NULL;
}

static void test_sink__fd_waits_for_a_pipe_that_does_not_block(void **state)
{
	static char big[300000];
	size_t reader[2] = { 0 };
	pthread_t thread;
	struct sink s;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	reader[0] = (size_t)fds[0];
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, reader), 0);
	sink__init_fd(&s, fds[1]);
	sink__put(&s, big, sizeof(big));
	assert_int_equal(sink__finish(&s, NULL), 0);
	close(fds[1]);
	pthread_join(thread, NULL);
	assert_int_equal(reader[1], sizeof(big));
	sink__done(&s);
	close(fds[0]);
}

static void test_sink__steal_of_fd_is_null(void **state)
{
	struct sink s;
	size_t len = 3;

	(void)state;
	sink__init_fd(&s, 1);
	assert_null(sink__steal(&s, &len));
	sink__puts(&s, "not written");
	assert_null(sink__steal(&s, &len));
	assert_int_equal(len, 0);
	sink__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sink__mem_is_terminated_when_empty),
		cmocka_unit_test(test_sink__mem_keeps_every_byte),
		cmocka_unit_test(test_sink__mem_is_terminated_at_every_length),
		cmocka_unit_test(test_sink__put_u64_is_printf),
		cmocka_unit_test(test_sink__printf_longer_than_its_buffer),
		cmocka_unit_test(test_sink__error_is_sticky_and_the_first),
		cmocka_unit_test(test_sink__printf_reports_a_shortage),
		cmocka_unit_test(test_sink__put_refuses_sizes_that_overflow),
		cmocka_unit_test(test_sink__printf_of_what_cannot_be_printed_is_an_error),
		cmocka_unit_test(test_sink__fd_writes_all_in_order),
		cmocka_unit_test(test_sink__fd_writes_nothing_before_it_must),
		cmocka_unit_test(test_sink__fd_reports_a_full_device),
		cmocka_unit_test(test_sink__fd_reports_a_reader_that_left),
		cmocka_unit_test(test_sink__fd_waits_for_a_pipe_that_does_not_block),
		cmocka_unit_test(test_sink__steal_of_fd_is_null),
	};

	return cmocka_run_group_tests_name("base/sink", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

struct fixture {
	char dir[64];
	char path[96];
};

static int setup(void **state)
{
	static struct fixture fx;

	snprintf(fx.dir, sizeof(fx.dir), "/tmp/coldspot-test-XXXXXX");
	if (!mkdtemp(fx.dir))
		return -1;
	snprintf(fx.path, sizeof(fx.path), "%s/file", fx.dir);
	*state = &fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	unlink(fx->path);
	return rmdir(fx->dir);
}

static void put(const struct fixture *fx, const void *data, size_t sz)
{
	FILE *f = fopen(fx->path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, sz, f), sz);
	assert_int_equal(fclose(f), 0);
}

static void test_file_read_gives_all_and_a_nul(void **state)
{
	const struct fixture *fx = *state;
	char *data;
	size_t sz;

	put(fx, "a\0b\n", 4);
	assert_int_equal(file_read(fx->path, 100, &data, &sz, NULL), 0);
	assert_int_equal(sz, 4);
	assert_memory_equal(data, "a\0b\n\0", 5);
	mem_free(data);
	put(fx, "", 0);
	assert_int_equal(file_read(fx->path, 0, &data, &sz, NULL), 0);
	assert_int_equal(sz, 0);
	assert_string_equal(data, "");
	mem_free(data);
}

static void test_file_read_keeps_the_limit(void **state)
{
	const struct fixture *fx = *state;
	struct err err = { 0 };
	static char big[200000];
	char *data = NULL, want[128];
	size_t sz;

	put(fx, big, sizeof(big));
	assert_int_equal(file_read(fx->path, sizeof(big), &data, &sz, NULL), 0);
	assert_int_equal(sz, sizeof(big));
	mem_free(data);
	data = NULL;
	assert_int_equal(file_read(fx->path, sizeof(big) - 1, &data, &sz, &err), -EFBIG);
	assert_null(data);
	snprintf(want, sizeof(want), "'%s' is larger than 199999 bytes", fx->path);
	assert_string_equal(err.msg, want);
	/* an endless file ends at the limit as well */
	assert_int_equal(file_read("/dev/zero", 1000000, &data, &sz, NULL), -EFBIG);
	assert_null(data);
}

static void test_file_read_reads_proc_files_of_size_zero(void **state)
{
	char *data;
	size_t sz;

	(void)state;
	assert_int_equal(file_read("/proc/self/maps", 1 << 24, &data, &sz, NULL), 0);
	assert_true(sz > 100);
	assert_int_equal(strlen(data), sz);
	mem_free(data);
}

static void test_file_read_names_what_it_cannot_open(void **state)
{
	struct err err = { 0 };
	char *data = NULL;
	size_t sz;

	(void)state;
	assert_int_equal(file_read("/nonexistent/x", 10, &data, &sz, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot open '/nonexistent/x': No such file or directory");
	assert_int_equal(file_read("/tmp", 10, &data, &sz, &err), -EISDIR);
	assert_string_equal(err.msg, "cannot read '/tmp': Is a directory");
	assert_null(data);
}

static void test_file_read_leaves_no_descriptor_open(void **state)
{
	const struct fixture *fx = *state;
	int before = dup(0), after;
	char *data;
	size_t sz;
	u64 value;

	close(before);
	put(fx, "12", 2);
	assert_int_equal(file_read(fx->path, 10, &data, &sz, NULL), 0);
	mem_free(data);
	assert_int_equal(file_read(fx->path, 1, &data, &sz, NULL), -EFBIG);
	assert_int_equal(file_read("/tmp", 1, &data, &sz, NULL), -EISDIR);
	assert_int_equal(file_read_u64(fx->path, &value, NULL), 0);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void test_file_read_does_not_wait_for_a_fifo(void **state)
{
	const struct fixture *fx = *state;
	char *data;
	size_t sz;

	unlink(fx->path);
	assert_int_equal(mkfifo(fx->path, 0600), 0);
	alarm(5);
	assert_int_equal(file_read(fx->path, 10, &data, &sz, NULL), 0);
	alarm(0);
	assert_int_equal(sz, 0);
	mem_free(data);
	unlink(fx->path);
}

static void test_file_read_survives_a_shortage_anywhere(void **state)
{
	const struct fixture *fx = *state;
	struct err err = { 0 };
	static char big[200000];
	char *data = NULL;
	size_t sz;
	u32 n;
	int r;

	put(fx, big, sizeof(big));
	for (n = 1;; n++) {
		mem_fail_nth(n);
		r = file_read(fx->path, sizeof(big), &data, &sz, &err);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_null(data);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(n > 1);
	mem_free(data);
}

static void test_file_read_fd_begins_at_the_offset(void **state)
{
	const struct fixture *fx = *state;
	struct err err = { 0 };
	char *data;
	size_t sz;
	int fd;

	put(fx, "hello", 5);
	fd = open(fx->path, O_RDONLY);
	assert_int_equal(lseek(fd, 2, SEEK_SET), 2);
	assert_int_equal(file_read_fd(fd, "x", 3, &data, &sz, NULL), 0);
	assert_string_equal(data, "llo");
	mem_free(data);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 5);
	close(fd);
	assert_int_equal(file_read_fd(-1, "x", 3, &data, &sz, &err), -EBADF);
	assert_string_equal(err.msg, "cannot read 'x': Bad file descriptor");
}

static void test_file_read_u64_wants_one_number(void **state)
{
	static const char *const bad[] = { "",	  "\n",	  "-1\n",  "1 2\n",
					   "12x", "0x10", "1\n\n", "18446744073709551616" };
	const struct fixture *fx = *state;
	struct err err = { 0 };
	u64 value = 5;
	size_t i;

	put(fx, "42\n", 3);
	assert_int_equal(file_read_u64(fx->path, &value, NULL), 0);
	assert_int_equal(value, 42);
	put(fx, " \t18446744073709551615 \n", 24);
	assert_int_equal(file_read_u64(fx->path, &value, NULL), 0);
	assert_true(value == ~0ULL);
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		put(fx, bad[i], strlen(bad[i]));
		assert_int_equal(file_read_u64(fx->path, &value, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "does not hold a number"));
		assert_true(value == ~0ULL);
	}
	assert_int_equal(file_read_u64("/nonexistent/x", &value, &err), -ENOENT);
	assert_int_equal(file_read_u64("/proc/sys/kernel/pid_max", &value, NULL), 0);
	assert_true(value > 100);
}

static void test_file_map__open_maps_the_bytes(void **state)
{
	const struct fixture *fx = *state;
	struct file_map m;
	int fd;

	put(fx, "hello", 5);
	fd = open(fx->path, O_RDONLY);
	assert_int_equal(file_map__open(&m, fd, fx->path, NULL), 0);
	close(fd);
	assert_int_equal(m.sz, 5);
	assert_memory_equal(m.data, "hello", 5);
	file_map__done(&m);
	assert_null(m.data);
	file_map__done(&m);
	file_map__done(NULL);
}

static void test_file_map__open_refuses_anything_but_a_file(void **state)
{
	const struct fixture *fx = *state;
	struct err err = { 0 };
	struct file_map m;
	int fds[2], fd;

	put(fx, "", 0);
	fd = open(fx->path, O_RDONLY);
	assert_int_equal(file_map__open(&m, fd, "e", &err), -EINVAL);
	assert_string_equal(err.msg, "'e' is empty");
	file_map__done(&m);
	close(fd);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(file_map__open(&m, fds[0], "p", &err), -EINVAL);
	assert_string_equal(err.msg, "'p' is not a regular file");
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(file_map__open(&m, -1, "b", &err), -EBADF);
	put(fx, "x", 1);
	fd = open(fx->path, O_WRONLY);
	assert_int_equal(file_map__open(&m, fd, "w", &err), -EACCES);
	assert_string_equal(err.msg, "cannot map 'w': Permission denied");
	file_map__done(&m);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_read_gives_all_and_a_nul),
		cmocka_unit_test(test_file_read_keeps_the_limit),
		cmocka_unit_test(test_file_read_reads_proc_files_of_size_zero),
		cmocka_unit_test(test_file_read_names_what_it_cannot_open),
		cmocka_unit_test(test_file_read_leaves_no_descriptor_open),
		cmocka_unit_test(test_file_read_does_not_wait_for_a_fifo),
		cmocka_unit_test(test_file_read_survives_a_shortage_anywhere),
		cmocka_unit_test(test_file_read_fd_begins_at_the_offset),
		cmocka_unit_test(test_file_read_u64_wants_one_number),
		cmocka_unit_test(test_file_map__open_maps_the_bytes),
		cmocka_unit_test(test_file_map__open_refuses_anything_but_a_file),
	};

	return cmocka_run_group_tests_name("base/file", tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/lookup.h"
#include "capture/runtime/python_module.h"

#define LOOP "_PyEval_EvalFrameDefault"

static int read_path(const char *path, struct cs_python *ret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	assert_true(fd >= 0);
	r = python_module__read(fd, path, ret, err);
	close(fd);
	return r;
}

/* Calls `fn` for each file of a CPython 3.x on this machine; their number. */
static size_t each_python(void (*fn)(const char *path, u32 minor))
{
	static const char *const patterns[] = {
		"/usr/bin/python3.[0-9]*",
		"/usr/lib/*/libpython3.[0-9]*.so.1.0",
		"~/.pyenv/versions/*/lib/libpython3.[0-9]*.so.1.0",
	};
	glob_t found = { 0 };
	size_t i, seen = 0;

	for (i = 0; i < ARRAY_LEN(patterns); i++)
		glob(patterns[i], GLOB_TILDE | (i ? GLOB_APPEND : 0), NULL, &found);
	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		const char *digits = strstr(strrchr(path, '/'), "python3.") + strlen("python3.");

		if (strstr(path, "config"))
			continue;
		fn(path, (u32)strtoul(digits, NULL, 10));
		seen++;
	}
	globfree(&found);
	if (!seen) {
		print_message("SKIPPED: no CPython on this machine\n");
		skip();
	}
	return seen;
}

static void check_version(const char *path, u32 minor)
{
	struct cs_python facts;
	struct err err = { 0 };
	int r = read_path(path, &facts, &err);

	if (minor < 8 || minor > 13) {
		char words[32];

		snprintf(words, sizeof(words), "Python 3.%u", minor);
		assert_int_equal(r, -ENOTSUP);
		assert_non_null(strstr(err.msg, words));
		assert_non_null(strstr(err.msg, path));
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(facts.version, 3U << 8 | minor);
	assert_true(facts.ranges >= 1);
	assert_true(facts.eval[0].end - facts.eval[0].start > 4096);
	assert_true(facts.frame_sz > 32 && facts.code_sz > 64 && facts.thread_sz > 64);
}

static void test_python_module__read_knows_every_version(void **state)
{
	(void)state;
	each_python(check_version);
}

static void check_copy(const char *path, u32 minor)
{
	struct cs_python facts, copy;
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("copy", MFD_CLOEXEC);
	static char buf[1 << 16];
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) > 0)
		assert_int_equal(write(to, buf, (size_t)n), n);
	if (minor >= 8 && minor <= 13) {
		assert_int_equal(python_module__read(from, path, &facts, NULL), 0);
		assert_int_equal(python_module__read(to, "/srv/env/bin/anything", &copy, NULL), 0);
		assert_memory_equal(&facts, &copy, offsetof(struct cs_python, eval));
	}
	close(from);
	close(to);
}

static void test_python_module__read_needs_no_name(void **state)
{
	(void)state;
	each_python(check_copy);
}

struct cold {
	u64 hot;
	u64 hot_sz;
	u64 cold;
	u64 cold_sz;
};

static bool take(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct cold *c = arg;

	if (strcmp(name, LOOP) == 0) {
		c->hot = vaddr;
		c->hot_sz = sz;
	}
	if (strcmp(name, LOOP ".cold") == 0) {
		c->cold = vaddr;
		c->cold_sz = sz;
	}
	return true;
}

/* Where a symbol says which piece is the cold one, the jumps never lead to another one. */
static void check_cold(const char *path, u32 minor)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cold named = { 0 };
	struct lookup_piece piece;
	struct image *img;

	(void)minor;
	assert_int_equal(image__open(fd, path, &img, NULL), 0);
	lookup_symbols(img, LOOKUP_DYNSYM, take, &named);
	assert_true(named.hot && named.hot_sz);
	lookup_symbols(img, LOOKUP_SYMTAB, take, &named);
	if (lookup_cold_piece(img, named.hot, named.hot + named.hot_sz, &piece) && named.cold) {
		assert_true(piece.start == named.cold);
		assert_true(piece.end == named.cold + named.cold_sz);
	}
	image__free(img);
	close(fd);
}

static void test_python_module__cold_part_is_found_by_its_name(void **state)
{
	(void)state;
	each_python(check_cold);
}

/* Debian's static build is stripped, and cut by a profile. */
static void test_python_module__read_finds_the_cold_piece_without_a_name(void **state)
{
	struct cs_python facts;

	(void)state;
	if (access("/usr/bin/python3.11", R_OK)) {
		print_message("SKIPPED: no /usr/bin/python3.11\n");
		skip();
	}
	assert_int_equal(read_path("/usr/bin/python3.11", &facts, NULL), 0);
	assert_int_equal(facts.ranges, 2);
	assert_true(facts.eval[1].end - facts.eval[1].start > 1024);
}

static void test_python_module__read_refuses_the_rest(void **state)
{
	struct cs_python facts;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_path("/proc/self/exe", &facts, &err), -ENOENT);
	assert_int_equal(read_path("/etc/passwd", &facts, &err), -ENOENT);
	assert_int_equal(read_path("/dev/null", &facts, &err), -ENOENT);
}

/* A file that ends too early must not be read behind its end. */
static void check_cut(const char *path, u32 minor)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("cut", MFD_CLOEXEC);
	static char buf[1 << 16];
	struct cs_python facts;
	off_t len = 0, cut;
	ssize_t n;

	(void)minor;
	while ((n = read(from, buf, sizeof(buf))) > 0) {
		assert_int_equal(write(to, buf, (size_t)n), n);
		len += n;
	}
	for (cut = len; cut > 64; cut -= len / 24 + 1) {
		assert_int_equal(ftruncate(to, cut), 0);
		python_module__read(to, "libpython3.so", &facts, NULL);
	}
	close(from);
	close(to);
}

static void test_python_module__read_survives_cut_files(void **state)
{
	(void)state;
	each_python(check_cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_module__read_knows_every_version),
		cmocka_unit_test(test_python_module__read_needs_no_name),
		cmocka_unit_test(test_python_module__cold_part_is_found_by_its_name),
		cmocka_unit_test(test_python_module__read_finds_the_cold_piece_without_a_name),
		cmocka_unit_test(test_python_module__read_refuses_the_rest),
		cmocka_unit_test(test_python_module__read_survives_cut_files),
	};

	return cmocka_run_group_tests_name("python_module", tests, NULL, NULL);
}

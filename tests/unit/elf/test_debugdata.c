/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/debugdata.h"
#include "lib/elf_dir.h"

static const char source[] = "int exported(void) { return 1; }\n";

static int setup(void **state)
{
	(void)state;
	return elf_dir_setup(source);
}

/* Puts the output of a command into .gnu_debugdata of a fresh "p", and opens it. */
static int open_packed(const char *command, struct err *err)
{
	struct image *img = NULL, *inner = NULL;
	void *data = NULL;
	int r, fd;

	if (!workdir_have("cc objcopy xz"))
		skip();
	assert_true(workdir__run(&dir,
				 "$CC -shared -nostdlib -o full p.c && { %s; } >packed &&"
				 " objcopy --add-section .gnu_debugdata=packed full p",
				 command));
	fd = workdir__open(&dir, "p");
	assert_int_equal(image__open(fd, "p", &img, NULL), 0);
	close(fd);
	r = debugdata_open(img, &data, &inner, err);
	image__free(img);
	if (!r) {
		assert_non_null(data);
		assert_int_equal(inner->type, IMAGE_DYN);
		image__free(inner);
		mem_free(data);
	}
	return r;
}

static void test_debugdata_open_unpacks_an_elf_file(void **state)
{
	(void)state;
	assert_int_equal(open_packed("xz -c full", NULL), 0);
	assert_int_equal(open_packed("xz -9e -c full", NULL), 0);
}

static void test_debugdata_open_without_the_section(void **state)
{
	struct image *img, *inner;
	void *data;
	int fd;

	(void)state;
	if (!workdir_have("cc"))
		skip();
	assert_true(workdir__run(&dir, "$CC -shared -nostdlib -o none p.c"));
	fd = workdir__open(&dir, "none");
	assert_int_equal(image__open(fd, "none", &img, NULL), 0);
	close(fd);
	assert_int_equal(debugdata_open(img, &data, &inner, NULL), -ENOENT);
	image__free(img);
}

static void test_debugdata_open_refuses_damage(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_packed("printf 'not xz at all'", &err), -EINVAL);
	assert_non_null(strstr(err.msg, ".gnu_debugdata"));
	assert_int_equal(open_packed("xz -c full | head -c 200", NULL), -EINVAL);
	assert_int_equal(open_packed("echo text | xz -c", NULL), -EINVAL);
	assert_int_equal(open_packed("printf '' | xz -c", NULL), -EINVAL);
}

static void test_debugdata_open_bounds_the_output(void **state)
{
	(void)state;
	/* 20 KiB that want to be 140 MiB */
	assert_int_equal(open_packed("{ cat full; head -c 140M /dev/zero; } | xz -0 -c", NULL),
			 -EINVAL);
}

static void test_debugdata_open_survives_every_failed_allocation(void **state)
{
	struct image *img, *inner;
	void *data;
	u64 nth;
	int r, fd;

	(void)state;
	assert_int_equal(open_packed("xz -c full", NULL), 0);
	fd = workdir__open(&dir, "p");
	assert_int_equal(image__open(fd, "p", &img, NULL), 0);
	close(fd);
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = debugdata_open(img, &data, &inner, NULL);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 1);
	image__free(inner);
	mem_free(data);
	image__free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debugdata_open_unpacks_an_elf_file),
		cmocka_unit_test(test_debugdata_open_without_the_section),
		cmocka_unit_test(test_debugdata_open_refuses_damage),
		cmocka_unit_test(test_debugdata_open_bounds_the_output),
		cmocka_unit_test(test_debugdata_open_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("debugdata", tests, setup, elf_dir_teardown);
}

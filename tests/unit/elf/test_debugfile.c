/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/debugfile.h"
#include "lib/elf_dir.h"

static const char source[] = "int exported(void) { return 1; }\n";

static int setup(void **state)
{
	(void)state;
	return elf_dir_setup(source);
}

/* Builds "p" and "prog.debug" anew, with no debug file anywhere else. */
static void build(const char *build_id)
{
	elf_dir_build("rm -rf debug .debug root p prog.debug && mkdir debug .debug root &&"
		      " $CC -shared -nostdlib -Wl,--build-id=%s -o p p.c &&"
		      " objcopy --only-keep-debug p prog.debug && strip p",
		      build_id);
}

/* 0 if the debug file of "p" is found and is the right one; `root` is another root, or NULL. */
static int find_in(const char *path, const char *root)
{
	char debug_dir[256];
	struct image *img = NULL, *debug = NULL;
	struct symtab_options opt = { .path = path };
	int r, root_fd = -1, fd = workdir__open(&dir, "p");

	snprintf(debug_dir, sizeof(debug_dir), "%s", workdir__path(&dir, "debug"));
	opt.debug_dir = debug_dir;
	if (root)
		root_fd = open(workdir__path(&dir, root), O_PATH | O_DIRECTORY | O_CLOEXEC);
	opt.root_fds = &root_fd;
	opt.root_fds_len = root ? 1 : 0;
	assert_int_equal(image__open(fd, "p", &img, NULL), 0);
	close(fd);
	r = debugfile_open(img, &opt, &debug);
	if (!r)
		assert_string_equal(debug->build_id, img->build_id);
	image__free(debug);
	image__free(img);
	if (root_fd >= 0)
		close(root_fd);
	return r;
}

static int find(const char *path)
{
	return find_in(path, NULL);
}

static void test_debugfile_open_by_build_id(void **state)
{
	(void)state;
	build("0x0123456789abcdef");
	assert_int_equal(find(NULL), -ENOENT);
	assert_true(workdir__run(&dir, "mkdir -p debug/.build-id/01 &&"
				       " cp prog.debug debug/.build-id/01/23456789abcdef.debug"));
	assert_int_equal(find(NULL), 0);
}

static void test_debugfile_open_refuses_another_build(void **state)
{
	(void)state;
	build("0x1111111111111111");
	assert_true(workdir__run(&dir, "cp prog.debug other.debug"));
	build("0x2222222222222222");
	assert_true(workdir__run(&dir, "mkdir -p debug/.build-id/22 &&"
				       " cp other.debug debug/.build-id/22/22222222222222.debug"));
	assert_int_equal(find(NULL), -ENOENT);
}

static void test_debugfile_open_by_link(void **state)
{
	static const char *const places[] = { ".", ".debug", "debug$PWD" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(places); i++) {
		build("none");
		assert_true(workdir__run(&dir,
					 "objcopy --add-gnu-debuglink=prog.debug p && mkdir x &&"
					 " mv prog.debug x && mkdir -p %s && mv x/prog.debug %s &&"
					 " rmdir x",
					 places[i], places[i]));
		assert_int_equal(find(workdir__path(&dir, "p")), 0);
		/* without the path of the program there is nowhere to look */
		assert_int_equal(find(NULL), -ENOENT);
		assert_int_equal(find("p"), -ENOENT);
	}
}

static void test_debugfile_open_by_link_wants_the_checksum(void **state)
{
	(void)state;
	build("none");
	assert_true(workdir__run(&dir, "objcopy --add-gnu-debuglink=prog.debug p &&"
				       " printf x >>prog.debug"));
	assert_int_equal(find(workdir__path(&dir, "p")), -ENOENT);
}

static void test_debugfile_open_by_link_looks_on_after_a_wrong_one(void **state)
{
	(void)state;
	build("none");
	assert_true(workdir__run(&dir, "objcopy --add-gnu-debuglink=prog.debug p &&"
				       " cp prog.debug .debug && printf x >>prog.debug"));
	assert_int_equal(find(workdir__path(&dir, "p")), 0);
}

static void test_debugfile_open_by_link_believes_the_build_id(void **state)
{
	(void)state;
	build("0x3333333333333333");
	/* a debug file may be changed after the link was made: compressed, say */
	assert_true(workdir__run(&dir, "objcopy --add-gnu-debuglink=prog.debug p &&"
				       " printf x >>prog.debug"));
	assert_int_equal(find(workdir__path(&dir, "p")), 0);
}

/* Gives "p" a debug link with these bytes. */
static int find_by_link(const void *link, size_t sz)
{
	workdir__write(&dir, "link", link, sz);
	assert_true(workdir__run(&dir, "objcopy -R .gnu_debuglink p &&"
				       " objcopy --add-section .gnu_debuglink=link p"));
	return find(workdir__path(&dir, "p"));
}

static void test_debugfile_open_refuses_odd_links(void **state)
{
	char link[20] = "./prog.debug", *good;
	size_t sz;

	(void)state;
	build("none");
	assert_int_equal(find_by_link("prog.debug", 10), -ENOENT);
	assert_int_equal(find_by_link("prog.debug\0\1\2", 13), -ENOENT);
	assert_int_equal(find_by_link("\0\0\0\0\1\2\3\4", 8), -ENOENT);
	/* the right checksum does not excuse a path */
	assert_true(workdir__run(&dir, "objcopy -R .gnu_debuglink p &&"
				       " objcopy --add-gnu-debuglink=prog.debug p &&"
				       " objcopy --dump-section .gnu_debuglink=good p"));
	good = workdir__read(&dir, "good", &sz);
	assert_int_equal(sz, 16);
	memcpy(link + 16, good + 12, 4);
	assert_int_equal(find_by_link(good, sz), 0);
	assert_int_equal(find_by_link(link, sizeof(link)), -ENOENT);
	mem_free(good);
	assert_int_equal(find_by_link("..\0\0\1\2\3\4", 8), -ENOENT);
}

static void test_debugfile_open_looks_into_other_roots(void **state)
{
	(void)state;
	build("0x0123456789abcdef");
	assert_int_equal(find_in("/opt/bin/p", "root"), -ENOENT);
	assert_true(workdir__run(
		&dir, "mkdir -p root/usr/lib/debug/.build-id/01 &&"
		      " cp prog.debug root/usr/lib/debug/.build-id/01/23456789abcdef.debug"));
	assert_int_equal(find_in("/opt/bin/p", "root"), 0);
	assert_int_equal(find_in("/opt/bin/p", NULL), -ENOENT);
	/* by a link beside the program, as the container sees it */
	build("none");
	assert_true(workdir__run(&dir, "objcopy --add-gnu-debuglink=prog.debug p &&"
				       " mkdir -p root/opt/bin && cp prog.debug root/opt/bin"));
	assert_int_equal(find_in("/opt/bin/p", "root"), 0);
}

static void test_debugfile_open_stays_in_a_root(void **state)
{
	(void)state;
	build("0x0123456789abcdef");
	/* right outside, and absent inside: a link that is followed from our root would find it */
	assert_true(workdir__run(&dir, "mkdir -p root/usr/lib/debug/.build-id/01 &&"
				       " ln -s $PWD/prog.debug"
				       " root/usr/lib/debug/.build-id/01/23456789abcdef.debug"));
	assert_int_equal(find_in(NULL, "root"), -ENOENT);
	assert_true(workdir__run(&dir, "mkdir -p root$PWD && cp prog.debug root$PWD"));
	assert_int_equal(find_in(NULL, "root"), 0);
}

static void test_debugfile_open_does_not_wait_for_a_fifo(void **state)
{
	(void)state;
	build("none");
	assert_true(workdir__run(&dir,
				 "objcopy --add-gnu-debuglink=prog.debug p && rm prog.debug &&"
				 " mkfifo prog.debug"));
	assert_int_equal(find(workdir__path(&dir, "p")), -ENOENT);
	assert_true(workdir__run(&dir, "rm prog.debug"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debugfile_open_by_build_id),
		cmocka_unit_test(test_debugfile_open_refuses_another_build),
		cmocka_unit_test(test_debugfile_open_by_link),
		cmocka_unit_test(test_debugfile_open_by_link_wants_the_checksum),
		cmocka_unit_test(test_debugfile_open_by_link_looks_on_after_a_wrong_one),
		cmocka_unit_test(test_debugfile_open_by_link_believes_the_build_id),
		cmocka_unit_test(test_debugfile_open_refuses_odd_links),
		cmocka_unit_test(test_debugfile_open_looks_into_other_roots),
		cmocka_unit_test(test_debugfile_open_stays_in_a_root),
		cmocka_unit_test(test_debugfile_open_does_not_wait_for_a_fifo),
	};

	return cmocka_run_group_tests_name("debugfile", tests, setup, elf_dir_teardown);
}

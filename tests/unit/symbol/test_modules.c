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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/self_memory.h"
#include "elf/variable/variable.h"
#include "lib/workdir.h"
#include "symbol/modules.h"

static const char source[] = "int exported(void) { return 1; }\n"
			     "long first_variable = 1, second_variable = 2;\n";

static const struct module_search no_search = { .where = { .debug_dir = "" } };

/* Of a file whose generation is not known. */
#define ID(d, i) (&(struct file_id){ .dev = (d), .ino = (i) })
#define ID_GEN(d, i, g) (&(struct file_id){ .dev = (d), .ino = (i), .generation = (g) })

static struct workdir dir;
static struct stat lib;
static u64 exported;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "p.c", source, sizeof(source) - 1);
	if (!workdir_have("cc nm"))
		return 0;
	if (!workdir__run(&dir, "$CC -shared -nostdlib -Wl,--build-id=0xdeadbeef -o lib p.c") ||
	    stat(workdir__path(&dir, "lib"), &lib))
		return -1;
	exported = workdir__addr_of(&dir, "lib", "exported");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static void init(struct modules *m)
{
	if (!exported)
		skip();
	assert_int_equal(modules__init(m), 0);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The name of `exported` by what is known of (dev, ino). */
static enum frame_reason look_up(struct modules *m, u64 dev, u64 ino, const char *path)
{
	const struct module_code *code = modules__get(m, ID(dev, ino), path, &no_search);
	enum frame_reason reason;
	const char *name = NULL;
	u64 off = 0;

	assert_non_null(code);
	if (!module_code__find(code, exported, &name, &off, &reason))
		return reason;
	assert_string_equal(name, "exported");
	assert_true(off == 0);
	return FRAME_NAMED;
}

static void test_modules__give_takes_the_descriptor(void **state)
{
	int a = workdir__open(&dir, "p.c"), b = workdir__open(&dir, "p.c");
	struct modules m;

	(void)state;
	init(&m);
	assert_int_equal(modules__give(&m, ID(1, 2), a), 0);
	assert_true(is_open(a));
	assert_int_equal(modules__give(&m, ID(1, 2), b), 0);
	assert_false(is_open(b));
	modules__done(&m);
	assert_false(is_open(a));
	modules__done(NULL);
}

static size_t count_open(void)
{
	size_t cnt = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		cnt += is_open(fd);
	return cnt;
}

static void test_modules__get_reads_and_closes_the_given_file(void **state)
{
	size_t before = count_open();
	struct modules m;
	int fd;

	(void)state;
	init(&m);
	fd = workdir__open(&dir, "lib");
	assert_int_equal(modules__give(&m, ID(1, 2), fd), 0);
	assert_int_equal(look_up(&m, 1, 2, "/no/such/file"), FRAME_NAMED);
	/* neither that descriptor nor another for the same file */
	assert_int_equal(count_open(), before);
	/* again, from what is kept */
	assert_int_equal(look_up(&m, 1, 2, "/no/such/file"), FRAME_NAMED);
	/* the same inode of another device is another file */
	assert_int_equal(look_up(&m, 3, 2, "/no/such/file"), FRAME_FILE_GONE);
	modules__done(&m);
}

static void test_module_code__find_says_that_there_is_no_symbol(void **state)
{
	enum frame_reason reason = FRAME_NAMED;
	const struct module_code *code;
	struct modules m;
	const char *name;
	u64 off;

	(void)state;
	init(&m);
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "lib")), 0);
	code = modules__get(&m, ID(1, 2), "lib", &no_search);
	assert_non_null(code);
	assert_false(module_code__find(code, 1ULL << 40, &name, &off, &reason));
	assert_int_equal(reason, FRAME_NO_SYMBOL);
	modules__done(&m);
}

static void test_modules__get_opens_by_path(void **state)
{
	struct modules m;

	(void)state;
	init(&m);
	assert_int_equal(look_up(&m, lib.st_dev, lib.st_ino, workdir__path(&dir, "lib")),
			 FRAME_NAMED);
	assert_int_equal(look_up(&m, lib.st_dev, lib.st_ino + 1, workdir__path(&dir, "lib")),
			 FRAME_FILE_GONE);
	modules__done(&m);
}

static void test_modules__get_tells_a_file_that_is_no_elf(void **state)
{
	struct modules m;

	(void)state;
	init(&m);
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "p.c")), 0);
	assert_int_equal(look_up(&m, 1, 2, "x"), FRAME_FILE_BAD);
	/* a better file may come */
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "lib")), 0);
	assert_int_equal(look_up(&m, 1, 2, "x"), FRAME_NAMED);
	modules__done(&m);
}

static void test_modules__give_after_the_path_failed(void **state)
{
	struct modules m;

	(void)state;
	init(&m);
	assert_int_equal(look_up(&m, 1, 2, "/no/such/file"), FRAME_FILE_GONE);
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "lib")), 0);
	assert_int_equal(look_up(&m, 1, 2, "/no/such/file"), FRAME_NAMED);
	modules__done(&m);
}

static void test_modules__build_id_of_given_files(void **state)
{
	struct modules m;

	(void)state;
	init(&m);
	assert_string_equal(modules__build_id(&m, ID(1, 2)), "");
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "lib")), 0);
	assert_string_equal(modules__build_id(&m, ID(1, 2)), "deadbeef");
	assert_int_equal(modules__give(&m, ID(1, 3), workdir__open(&dir, "p.c")), 0);
	assert_string_equal(modules__build_id(&m, ID(1, 3)), "");
	assert_int_equal(look_up(&m, 1, 3, "x"), FRAME_FILE_BAD);
	/* it stays known when the file has been read, and does not hinder that */
	assert_int_equal(look_up(&m, 1, 2, "x"), FRAME_NAMED);
	assert_string_equal(modules__build_id(&m, ID(1, 2)), "deadbeef");
	modules__done(&m);
}

/* The function at the start of the text, or the reason. */
static const char *name_of(struct modules *m, const struct file_id *file, enum frame_reason *reason)
{
	const struct module_code *code = modules__get(m, file, "/no/such/file", &no_search);
	const char *name = NULL;
	u64 off;

	assert_non_null(code);
	return module_code__find(code, exported, &name, &off, reason) ? name : NULL;
}

static void make_second_lib(void)
{
	assert_true(workdir__run(&dir, "sed s/exported/imported/ p.c >q.c && $CC -shared -nostdlib"
				       " -Wl,--build-id=0xcafe -o lib2 q.c"));
	assert_true(workdir__addr_of(&dir, "lib2", "imported") == exported);
}

static void test_modules__get_keeps_generations_apart(void **state)
{
	enum frame_reason reason;
	struct modules m;

	(void)state;
	init(&m);
	make_second_lib();
	/* a compiler deleted the first and wrote the second: they had the same inode */
	assert_int_equal(modules__give(&m, ID_GEN(1, 2, 7), workdir__open(&dir, "lib")), 0);
	assert_int_equal(modules__give(&m, ID_GEN(1, 2, 8), workdir__open(&dir, "lib2")), 0);
	assert_string_equal(modules__build_id(&m, ID_GEN(1, 2, 7)), "deadbeef");
	assert_string_equal(modules__build_id(&m, ID_GEN(1, 2, 8)), "cafe");
	assert_string_equal(name_of(&m, ID_GEN(1, 2, 7), &reason), "exported");
	assert_string_equal(name_of(&m, ID_GEN(1, 2, 8), &reason), "imported");
	/* a third, which was gone before it was opened */
	assert_string_equal(modules__build_id(&m, ID_GEN(1, 2, 9)), "");
	assert_null(name_of(&m, ID_GEN(1, 2, 9), &reason));
	assert_int_equal(reason, FRAME_FILE_GONE);
	modules__done(&m);
}

static void test_modules__get_takes_an_unknown_generation_for_no_other(void **state)
{
	enum frame_reason reason;
	struct modules m;

	(void)state;
	init(&m);
	make_second_lib();
	assert_int_equal(modules__give(&m, ID_GEN(1, 2, 7), workdir__open(&dir, "lib")), 0);
	/* not even when there is only one candidate */
	assert_string_equal(modules__build_id(&m, ID(1, 2)), "");
	assert_null(name_of(&m, ID(1, 2), &reason));
	assert_int_equal(reason, FRAME_FILE_GONE);
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "lib2")), 0);
	assert_string_equal(name_of(&m, ID(1, 2), &reason), "imported");
	assert_string_equal(name_of(&m, ID_GEN(1, 2, 7), &reason), "exported");
	modules__done(&m);
}

static void test_modules__get_opens_no_path_to_a_later_file(void **state)
{
	struct module_search search = no_search;
	struct modules m;
	const char *path = workdir__path(&dir, "lib");
	const struct file_id *file = ID(lib.st_dev, lib.st_ino);
	u64 changed_ns = (u64)lib.st_ctim.tv_sec * NSEC_PER_SEC + (u64)lib.st_ctim.tv_nsec;

	(void)state;
	init(&m);
	/* the trace began before the file was made */
	search.since_ns = changed_ns - 1;
	assert_int_equal(modules__get(&m, file, path, &search)->reason, FRAME_FILE_GONE);
	modules__done(&m);
	init(&m);
	search.since_ns = changed_ns + NSEC_PER_SEC;
	assert_int_equal(modules__get(&m, file, path, &search)->reason, FRAME_NAMED);
	modules__done(&m);
}

/* A copy of the library, mapped or not, whose names have been read. */
static const struct module_code *read_copy(struct modules *m, const char *name,
					   struct file_id *ret_file)
{
	struct stat st;

	assert_true(workdir__run(&dir, "cp lib %s", name));
	assert_int_equal(stat(workdir__path(&dir, name), &st), 0);
	*ret_file = (struct file_id){ .dev = st.st_dev, .ino = st.st_ino, .generation = 7 };
	assert_int_equal(modules__give(m, ret_file, workdir__open(&dir, name)), 0);
	return modules__get(m, ret_file, workdir__path(&dir, name), &no_search);
}

static bool is_kept(struct modules *m, const struct module_code *code, u64 now_ns)
{
	modules__begin(m, now_ns);
	assert_int_equal(modules__release_unused(m, &no_search), 0);
	return code->symtab;
}

static void test_modules__release_unused_reads_a_file_again(void **state)
{
	struct module_search search = no_search;
	const struct module_code *code;
	const char *path;
	struct modules m;

	(void)state;
	init(&m);
	path = workdir__path(&dir, "lib");
	search.since_ns = ~0ULL; /* the file was there before */
	modules__begin(&m, NSEC_PER_SEC);
	assert_int_equal(modules__give(&m, ID(lib.st_dev, lib.st_ino), workdir__open(&dir, "lib")),
			 0);
	code = modules__get(&m, ID(lib.st_dev, lib.st_ino), path, &search);
	assert_int_equal(code->reason, FRAME_NAMED);
	assert_true(is_kept(&m, code, MODULE_KEPT_NS));
	assert_false(is_kept(&m, code, MODULE_KEPT_NS + NSEC_PER_SEC));
	code = modules__get(&m, ID(lib.st_dev, lib.st_ino), path, &search);
	assert_int_equal(code->reason, FRAME_NAMED);
	assert_non_null(code->symtab);
	/* it is needed by this very profile */
	assert_int_equal(modules__release_unused(&m, &search), 0);
	assert_non_null(code->symtab);
	modules__done(&m);
}

static void test_modules__release_unused_keeps_a_deleted_file_while_it_is_mapped(void **state)
{
	const struct module_code *code;
	struct file_id file;
	struct modules m;
	void *mapped;
	int fd;

	(void)state;
	init(&m);
	modules__begin(&m, NSEC_PER_SEC);
	code = read_copy(&m, "mapped", &file);
	assert_int_equal(code->reason, FRAME_NAMED);
	fd = workdir__open(&dir, "mapped");
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(mapped != MAP_FAILED);
	close(fd);
	assert_int_equal(unlink(workdir__path(&dir, "mapped")), 0);
	assert_true(is_kept(&m, code, 2 * MODULE_KEPT_NS));
	munmap(mapped, 4096);
	/* processes are not looked at each time */
	assert_true(is_kept(&m, code, 3 * MODULE_KEPT_NS - 1));
	assert_false(is_kept(&m, code, 3 * MODULE_KEPT_NS));
	code = modules__get(&m, &file, workdir__path(&dir, "mapped"), &no_search);
	assert_int_equal(code->reason, FRAME_FILE_GONE);
	modules__done(&m);
}

static void test_modules__get_survives_every_failed_allocation(void **state)
{
	const struct module_code *code;
	struct modules m;
	u64 nth;
	int r;

	(void)state;
	if (!exported)
		skip();
	for (nth = 1;; nth++) {
		int fd = workdir__open(&dir, "lib");

		mem_fail_nth(nth);
		r = modules__init(&m);
		if (r)
			close(fd);
		else
			r = modules__give(&m, ID(1, 2), fd);
		code = r ? NULL : modules__get(&m, ID(1, 2), "x", &no_search);
		if (!mem_fail_fired())
			break;
		assert_null(code);
		modules__done(&m);
		assert_false(is_open(fd));
	}
	mem_fail_nth(0);
	assert_non_null(code);
	assert_true(nth > 5);
	modules__done(&m);
}

static bool begins(struct modules *m, u64 ino, u64 off)
{
	const struct module_code *code = modules__get(m, ID(1, ino), "/gone", &no_search);
	const char *name;

	assert_non_null(code);
	return module_code__begins(code, off, &name) && !strcmp(name, "second");
}

/* Not where the byte before is a function's, nor where it may be one's that has no name. */
static void test_module_code__begins_only_after_non_function_bytes(void **state)
{
	static const char text[] =
		"__asm__(\".text; .globl first, second; .type first,%function;\"\n"
		"\".type second,%function; first: .fill 16,1,0x90;\"\n"
		"\".size first,16; .fill 16,1,0x90; second: .fill 16,1,0x90;\"\n"
		"\".size second,16\");\n";
	struct modules m;
	u64 first;

	(void)state;
	init(&m);
	workdir__write(&dir, "q.c", text, sizeof(text) - 1);
	assert_true(workdir__run(&dir, "$CC -shared -nostdlib -o q q.c && strip -o bare q"));
	first = workdir__addr_of(&dir, "q", "first");
	assert_int_equal(modules__give(&m, ID(1, 2), workdir__open(&dir, "q")), 0);
	assert_int_equal(modules__give(&m, ID(1, 3), workdir__open(&dir, "bare")), 0);
	assert_true(begins(&m, 2, first + 32));
	assert_false(begins(&m, 2, first + 31));
	assert_false(begins(&m, 2, first + 33));
	assert_false(begins(&m, 2, first + 16));
	assert_false(begins(&m, 3, first + 32));
	assert_false(begins(&m, 4, first + 32));
	modules__done(&m);
}

/* In a process of its own, for a limit cannot be taken back. Room for a 16th of what there is. */
static int names_without_room(void)
{
	const struct module_code *code;
	u64 far = 1ULL << 40, used;
	struct modules m;

	if (self_memory_limit(far))
		return 2; /* a sanitizer has more than that */
	used = far - self_memory_room();
	if (modules__init(&m) || modules__give(&m, ID(1, 2), workdir__open(&dir, "lib")) ||
	    self_memory_limit(used + used / 16))
		return 1;
	code = modules__get(&m, ID(1, 2), "x", &no_search);
	if (!code || code->reason != FRAME_NO_MEMORY || code->symtab || code->image)
		return 1;
	modules__done(&m);
	return 0;
}

static void test_modules__get_does_without_names_near_the_limit_of_memory(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	if (!exported)
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(names_without_room());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(status, 0);
}

/* Where a variable is in the file's data. */
static u64 data_off_of(const char *name)
{
	char found[32] = "";
	struct image *img;
	u64 off, in = 1;
	int fd = open(workdir__path(&dir, "lib"), O_RDONLY | O_CLOEXEC);

	assert_int_equal(image__open(fd, "lib", &img, NULL), 0);
	close(fd);
	for (off = 0; off < (u64)lib.st_size; off += 8)
		if (variable_find(img, off, found, sizeof(found), &in) && !strcmp(found, name) &&
		    !in)
			break;
	image__free(img);
	assert_true(off < (u64)lib.st_size);
	return off;
}

static void check_variable(struct modules *m, const char *path, u64 off, const char *expected)
{
	struct object_variable got = { .off = 7 };
	const struct file_id *id = ID(lib.st_dev, lib.st_ino);

	if (!expected) {
		assert_false(modules__variable(m, id, path, off, &no_search, &got));
		return;
	}
	assert_true(modules__variable(m, id, path, off, &no_search, &got));
	assert_string_equal(got.name, expected);
	assert_int_equal(got.off, 0);
}

static void test_modules__variable_is_found_in_later_windows(void **state)
{
	const char *path = workdir__path(&dir, "lib");
	char kept[300];
	struct modules m;

	(void)state;
	init(&m);
	snprintf(kept, sizeof(kept), "%s", path);
	check_variable(&m, kept, data_off_of("first_variable"), NULL); /* the file is not given */
	assert_int_equal(modules__give(&m, ID(lib.st_dev, lib.st_ino),
				       open(kept, O_RDONLY | O_CLOEXEC)),
			 0);
	check_variable(&m, kept, data_off_of("first_variable"), "first_variable");
	/* names are looked up, and the file is released */
	assert_int_equal(look_up(&m, lib.st_dev, lib.st_ino, kept), FRAME_NAMED);
	check_variable(&m, "/nowhere", data_off_of("first_variable"), "first_variable");
	check_variable(&m, kept, data_off_of("second_variable"), "second_variable");
	check_variable(&m, "/nowhere", data_off_of("second_variable"), "second_variable");
	check_variable(&m, kept, 0, NULL);
	modules__done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules__variable_is_found_in_later_windows),
		cmocka_unit_test(test_modules__give_takes_the_descriptor),
		cmocka_unit_test(test_modules__get_reads_and_closes_the_given_file),
		cmocka_unit_test(test_module_code__find_says_that_there_is_no_symbol),
		cmocka_unit_test(test_modules__get_opens_by_path),
		cmocka_unit_test(test_modules__get_tells_a_file_that_is_no_elf),
		cmocka_unit_test(test_modules__give_after_the_path_failed),
		cmocka_unit_test(test_modules__build_id_of_given_files),
		cmocka_unit_test(test_modules__get_keeps_generations_apart),
		cmocka_unit_test(test_modules__get_takes_an_unknown_generation_for_no_other),
		cmocka_unit_test(test_modules__get_opens_no_path_to_a_later_file),
		cmocka_unit_test(test_module_code__begins_only_after_non_function_bytes),
		cmocka_unit_test(test_modules__release_unused_reads_a_file_again),
		cmocka_unit_test(
			test_modules__release_unused_keeps_a_deleted_file_while_it_is_mapped),
		cmocka_unit_test(test_modules__get_survives_every_failed_allocation),
		cmocka_unit_test(test_modules__get_does_without_names_near_the_limit_of_memory),
	};

	return cmocka_run_group_tests_name("modules", tests, setup, teardown);
}

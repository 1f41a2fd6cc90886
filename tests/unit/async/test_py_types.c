/* SPDX-License-Identifier: Apache-2.0 */
/* What objects are, by the names of their types, and where versions of CPython keep things. */
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
#include <unistd.h>

#include "async/py_dict.h"
#include "lib/python/py_world.h"

#define MINOR_MIN 8
#define MINOR_MAX 13

static struct task_memory mem;

static void test_types__are_known_by_name(void **state)
{
	struct py_types types;
	struct py_world w;

	(void)state;
	py_world__init(&w, 11);
	py_types__init(&types);
	for (u32 kind = PY_OTHER; kind <= PY_NONE; kind++)
		assert_int_equal(py_types__kind(&types, &mem, w.types[kind]), kind);
	assert_int_equal(py_types__kind(&types, &mem, w.types[PY_WORLD_CODE]), PY_OTHER);
	assert_int_equal(py_types__kind(&types, &mem, 0), PY_OTHER);
	assert_int_equal(py_types__kind(&types, &mem, PY_WORLD_AT + PY_WORLD_SZ), PY_OTHER);
	py_types__done(&types);
}

/* A class statement makes types on the heap, whose names have no dot. */
static void test_types__of_a_program_cannot_pass_for_those_of_cpython(void **state)
{
	struct py_types types;
	struct py_world w;

	(void)state;
	py_world__init(&w, 11);
	py_types__init(&types);
	assert_int_equal(py_types__kind(&types, &mem, py_world__type(&w, "coroutine", true, 0)),
			 PY_OTHER);
	assert_int_equal(py_types__kind(&types, &mem,
					py_world__type(&w, "MyTask", true, w.types[PY_TASK])),
			 PY_TASK);
	assert_int_equal(py_types__kind(&types, &mem,
					py_world__type(&w, "MyDict", true, w.types[PY_DICT])),
			 PY_OTHER);
	py_types__done(&types);
}

/* What was read once is not read again. */
static void test_types__are_remembered(void **state)
{
	struct py_types types;
	struct py_world w;
	u64 calls;

	(void)state;
	py_world__init(&w, 11);
	py_types__init(&types);
	py_types__kind(&types, &mem, w.types[PY_SET]);
	calls = mem.calls;
	assert_int_equal(py_types__kind(&types, &mem, w.types[PY_SET]), PY_SET);
	assert_int_equal(mem.calls, calls);
	py_types__done(&types);
}

static void test_dict__gives_values_in_every_version(void **state)
{
	static const char *const keys[] = { "sys", "builtins", "asyncio.tasks" };
	const u64 values[] = { PY_WORLD_AT + 16, PY_WORLD_AT + 32, PY_WORLD_AT + 48 };
	struct py_world w;
	u64 got, dict;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		for (u32 split = 0; split < 2; split++) {
			py_world__init(&w, minor);
			dict = py_world__dict(&w, keys, values, ARRAY_LEN(keys), split);
			for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
				assert_true(py_dict__get(&mem, &w.python, dict, keys[i], &got));
				assert_int_equal(got, values[i]);
			}
			assert_false(py_dict__get(&mem, &w.python, dict, "sy", &got));
			assert_false(py_dict__get(&mem, &w.python, dict, "sys2", &got));
		}
	}
}

/* What is no dict any more. */
static void test_dict__does_not_follow_what_it_cannot_be(void **state)
{
	static const char *const keys[] = { "sys" };
	const u64 values[] = { PY_WORLD_AT };
	struct py_world w;
	u64 got, dict;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		py_world__init(&w, minor);
		dict = py_world__dict(&w, keys, values, 1, false);
		py_world__put(py_world__get(dict + 32) + (minor < 11 ? 32 : 24), ~0ULL);
		assert_false(py_dict__get(&mem, &w.python, dict, "sys", &got));
		py_world__put(dict + 32, 8);
		assert_false(py_dict__get(&mem, &w.python, dict, "sys", &got));
	}
}

static void test_layout__knows_3_8_to_3_13(void **state)
{
	(void)state;
	for (u32 minor = 0; minor < 20; minor++) {
		const struct py_offsets *off = py_offsets_of(3U << 8 | minor);

		assert_true(!off == (minor < MINOR_MIN || minor > MINOR_MAX));
		if (!off)
			continue;
		assert_true(off->name + sizeof(u64) <= PY_TASK_SZ);
		assert_true(off->state + sizeof(u32) <= PY_FUTURE_SZ);
		assert_true(off->waiter < off->coro && off->coro < off->name);
	}
}

/* Those of this machine that are not known are refused by name. */
static void test_layout__refuses_another_version_by_its_name(void **state)
{
	glob_t found = { 0 };
	size_t refused = 0;

	(void)state;
	glob("/usr/bin/python[23].[0-9]*", 0, NULL, &found);
	glob("~/.pyenv/versions/*/lib/libpython3.*.so.1.0", GLOB_TILDE | GLOB_APPEND, NULL, &found);
	glob("~/.pyenv/versions/*/bin/python3.[0-9]*", GLOB_TILDE | GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = found.gl_pathv[i], words[32];
		const char *digits = strstr(strrchr(path, '/'), "python3.");
		struct map_range range = { .path = path };
		struct err err = { 0 };
		struct py_layout l;
		u32 minor = digits ? (u32)strtoul(digits + 8, NULL, 10) : MINOR_MIN;
		int fd = open(path, O_RDONLY | O_CLOEXEC), r;

		if (strstr(path, "config") || (minor >= MINOR_MIN && minor <= MINOR_MAX)) {
			close(fd);
			continue;
		}
		r = py_layout__open(&l, fd, &range, &err);
		close(fd);
		if (r == -ENOENT) /* the interpreter is in its library */
			continue;
		snprintf(words, sizeof(words), "Python 3.%u", minor);
		assert_int_equal(r, -ENOTSUP);
		assert_non_null(strstr(err.msg, words));
		assert_non_null(strstr(err.msg, "its asyncio cannot be read"));
		refused++;
	}
	globfree(&found);
	if (!refused) {
		print_message("SKIPPED: no Python of another version on this machine\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types__are_known_by_name),
		cmocka_unit_test(test_types__of_a_program_cannot_pass_for_those_of_cpython),
		cmocka_unit_test(test_types__are_remembered),
		cmocka_unit_test(test_dict__gives_values_in_every_version),
		cmocka_unit_test(test_dict__does_not_follow_what_it_cannot_be),
		cmocka_unit_test(test_layout__knows_3_8_to_3_13),
		cmocka_unit_test(test_layout__refuses_another_version_by_its_name),
	};

	return cmocka_run_group_tests_name("py_types", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The way from the state of the interpreter to the sets of tasks, in each version of CPython. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "async/py_layout.h"
#include "lib/python/py_world.h"

#define MINOR_MIN 8
#define MINOR_MAX 13
#define TYPE_BASIC_SZ 32

struct fixture {
	struct py_world w;
	struct py_types types;
	struct py_layout l;
	struct task_memory mem;
	struct err err;
	u64 set;
	u64 eager;
	u64 task_type;
	u64 interpreter;
};

/* An instance of WeakSet, whose only attribute is its set. */
static u64 weak_set(struct fixture *f)
{
	static const char *const keys[] = { "data" };
	struct py_world *w = &f->w;
	u64 values = py_world__alloc(w, 64), before = py_world__alloc(w, 64);
	u64 obj = py_world__object(w, w->types[PY_OTHER], 64);

	(void)before; /* the words in front of it */
	py_world__put(values, f->set);
	switch (w->minor) {
	case 11:
		py_world__put(obj - 32, values);
		break;
	case 12:
		py_world__put(obj - 24, values - 1);
		break;
	case 13:
		py_world__put(obj + 24, f->set);
		break;
	default:
		py_world__put(obj + 16, py_world__dict(w, keys, &f->set, 1, true));
	}
	return obj;
}

static u64 module_of(struct fixture *f, u64 dict)
{
	return py_world__holder(&f->w, PY_MODULE, dict);
}

static void put_modules(struct fixture *f, u64 tasks)
{
	static const char *const keys[] = { "sys", "builtins", "asyncio.tasks" };
	u64 empty = py_world__dict(&f->w, keys, NULL, 0, false);
	const u64 modules[] = { module_of(f, empty), module_of(f, empty), module_of(f, tasks) };

	py_world__put(f->interpreter + 4000,
		      py_world__dict(&f->w, keys, modules, tasks ? 3 : 2, false));
	f->l.modules = 0;
}

static void setup(struct fixture *f, u32 minor)
{
	const char *keys[] = { "_c_register_task", "Task", NULL, "_eager_tasks" };
	u64 values[4];

	*f = (struct fixture){ 0 };
	py_world__init(&f->w, minor);
	py_types__init(&f->types);
	f->l.python = f->w.python;
	f->l.off = f->w.off;
	f->l.dict_type = f->w.types[PY_DICT];
	f->set = py_world__set(&f->w, NULL, 0, 8);
	f->eager = py_world__set(&f->w, NULL, 0, 8);
	f->task_type = f->w.types[PY_TASK];
	f->interpreter = py_world__alloc(&f->w, 8192);
	f->l.runtime = py_world__alloc(&f->w, 1024);
	py_world__put(f->l.runtime + 40, f->interpreter);
	keys[2] = minor >= 12 ? "_scheduled_tasks" : "_all_tasks";
	values[0] = f->w.types[PY_OTHER];
	values[1] = f->task_type;
	values[2] = weak_set(f);
	values[3] = f->eager;
	put_modules(f, py_world__dict(&f->w, keys, values, minor >= 12 ? 4 : 3, false));
}

static int find(struct fixture *f)
{
	return py_layout__find(&f->l, &f->types, &f->mem, &f->err);
}

static void test_layout__finds_the_sets(void **state)
{
	struct fixture f;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		setup(&f, minor);
		assert_int_equal(find(&f), 0);
		assert_int_equal(f.l.scheduled, f.set);
		assert_int_equal(f.l.eager, minor >= 12 ? f.eager : 0);
		py_types__done(&f.types);
	}
}

static void test_layout__waits_for_asyncio(void **state)
{
	struct fixture f;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		setup(&f, minor);
		put_modules(&f, 0);
		assert_int_equal(find(&f), -EAGAIN);
		assert_non_null(strstr(f.err.msg, "has not imported asyncio"));
		py_world__put(f.l.runtime + 40, 0);
		f.l.modules = 0;
		assert_int_equal(find(&f), -EAGAIN);
		assert_non_null(strstr(f.err.msg, "has not started"));
		py_types__done(&f.types);
	}
}

/* A task of another size has its fields elsewhere. */
static void test_layout__refuses_a_task_that_is_not_of_its_version(void **state)
{
	struct fixture f;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		char words[32];

		setup(&f, minor);
		py_world__put(f.task_type + TYPE_BASIC_SZ, f.w.off->basic_sz + 8);
		assert_int_equal(find(&f), -ENOTSUP);
		snprintf(words, sizeof(words), "Python 3.%u", minor);
		assert_non_null(strstr(f.err.msg, words));
		py_types__done(&f.types);
	}
}

static void test_layout__refuses_a_set_that_is_none(void **state)
{
	struct fixture f;

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		setup(&f, minor);
		py_world__put(f.set + PY_OB_TYPE, f.w.types[PY_NONE]);
		assert_int_equal(find(&f), -ENOTSUP);
		assert_non_null(strstr(f.err.msg, "were not found"));
		py_types__done(&f.types);
	}
}

static void test_layout__says_that_memory_may_not_be_read(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 11);
	f.mem.denied = true;
	assert_int_equal(find(&f), -EACCES);
	py_types__done(&f.types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout__finds_the_sets),
		cmocka_unit_test(test_layout__waits_for_asyncio),
		cmocka_unit_test(test_layout__refuses_a_task_that_is_not_of_its_version),
		cmocka_unit_test(test_layout__refuses_a_set_that_is_none),
		cmocka_unit_test(test_layout__says_that_memory_may_not_be_read),
	};

	return cmocka_run_group_tests_name("py_layout", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The sets of tasks, whole and in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "async/py_list.h"
#include "lib/python/py_world.h"

#define MANY 300
#define SLOTS 1024

struct fixture {
	struct py_world w;
	struct py_types types;
	struct py_layout l;
	struct task_memory mem;
	struct py_list list;
	u64 objects[MANY];
};

static void setup(struct fixture *f, u64 eager)
{
	*f = (struct fixture){ 0 };
	py_world__init(&f->w, 12);
	py_types__init(&f->types);
	py_list__init(&f->list);
	for (u32 i = 0; i < MANY; i++)
		f->objects[i] = py_world__alloc(&f->w, 16);
	f->l.scheduled = py_world__set(&f->w, f->objects, MANY, SLOTS);
	if (eager)
		f->l.eager = py_world__set(&f->w, f->objects, eager, 8);
}

static void teardown(struct fixture *f)
{
	py_types__done(&f->types);
	py_list__done(&f->list);
}

static int read_part(struct fixture *f, u32 one_in, u64 seed)
{
	const struct py_part part = { one_in, seed };

	return py_list__read(&f->list, &f->l, &f->types, &f->mem, &part);
}

static const struct py_ref *at(const struct fixture *f, size_t i)
{
	return vec__at(&f->list.refs, i);
}

static size_t index_of(const struct fixture *f, u64 addr)
{
	for (size_t i = 0; i < MANY; i++) {
		if (f->objects[i] == addr)
			return i;
	}
	return MANY;
}

static void test_list__has_every_element_once(void **state)
{
	u32 seen[MANY] = { 0 };
	struct fixture f;

	(void)state;
	setup(&f, 2);
	assert_int_equal(read_part(&f, 1, 7), 0);
	assert_int_equal(f.list.refs.len, MANY + 2);
	assert_int_equal(f.list.len, MANY + 2);
	for (size_t i = 0; i < f.list.refs.len; i++) {
		assert_int_equal(at(&f, i)->weight, 1);
		assert_int_equal(at(&f, i)->direct, i >= MANY);
		seen[index_of(&f, at(&f, i)->addr)]++;
	}
	for (u32 i = 0; i < MANY; i++)
		assert_int_equal(seen[i], i < 2 ? 2 : 1);
	assert_int_equal(py_list__count(&f.l, &f.types, &f.mem), MANY);
	teardown(&f);
}

static void test_list__weights_of_a_part_add_up_to_all(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 3);
	for (u32 one_in = 2; one_in < 1000; one_in += one_in / 2) {
		u64 sum = 0;

		assert_int_equal(read_part(&f, one_in, one_in * 31), 0);
		assert_int_equal(f.list.refs.len,
				 (MANY + one_in - 1) / one_in + (3 + one_in - 1) / one_in);
		for (size_t i = 0; i < f.list.refs.len; i++) {
			sum += at(&f, i)->weight;
			for (size_t j = 0; j < i; j++)
				assert_true(at(&f, i)->addr != at(&f, j)->addr ||
					    at(&f, i)->direct != at(&f, j)->direct);
		}
		assert_int_equal(sum, MANY + 3);
		assert_int_equal(f.list.len, MANY + 3);
	}
	teardown(&f);
}

/* Each element stands for itself on average: no one is preferred, in no corner of the table. */
static void test_list__parts_have_no_bias(void **state)
{
	const u32 tries = 4000, one_in = 17;
	u64 sums[MANY] = { 0 };
	double chi = 0, expected = tries;
	struct fixture f;

	(void)state;
	setup(&f, 0);
	for (u64 seed = 0; seed < tries; seed++) {
		assert_int_equal(read_part(&f, one_in, seed * 0x9e3779b97f4a7c15ULL), 0);
		for (size_t i = 0; i < f.list.refs.len; i++)
			sums[index_of(&f, at(&f, i)->addr)] += at(&f, i)->weight;
	}
	for (u32 i = 0; i < MANY; i++) /* of a weight of 16.7 with a chance of 1 in 16.7 */
		chi += ((double)sums[i] - expected) * ((double)sums[i] - expected) /
		       (expected * 15.7);
	assert_true(chi > MANY * 0.7 && chi < MANY * 1.4);
	teardown(&f);
}

/* A loop that runs a task, in a dict whose keys are loops. */
static void run_one(struct fixture *f, u64 task)
{
	static const char *const keys[] = { "loop", "no loop any more" };
	const u64 values[] = { task, 0 };

	f->l.python = f->w.python;
	f->l.current = py_world__dict(&f->w, keys, values, 2, false);
}

/* What runs is read every time, at any place in the list, and stands for itself. */
static void test_list__always_has_what_runs(void **state)
{
	u32 at_begin = 0, at_end = 0;
	struct fixture f;

	(void)state;
	setup(&f, 0);
	run_one(&f, f.objects[7]);
	for (u64 seed = 0; seed < 1000; seed++) {
		u32 found = 0;
		u64 sum = 0;

		assert_int_equal(read_part(&f, 50, seed * 0x9e3779b97f4a7c15ULL), 0);
		assert_int_equal(f.list.refs.len, MANY / 50 + 1);
		assert_int_equal(f.list.current.len, 1);
		assert_int_equal(f.list.current.at[0], f.objects[7]);
		for (size_t i = 0; i < f.list.refs.len; i++) {
			sum += at(&f, i)->weight;
			if (!at(&f, i)->certain)
				continue;
			found++;
			assert_int_equal(at(&f, i)->addr, f.objects[7]);
			assert_int_equal(at(&f, i)->weight, 1);
			assert_true(at(&f, i)->direct);
			at_begin += i == 0;
			at_end += i + 1 == f.list.refs.len;
		}
		assert_int_equal(found, 1);
		assert_int_equal(sum, MANY);
	}
	assert_in_range(at_begin, 80, 220); /* of 143 */
	assert_in_range(at_end, 80, 220);
	assert_int_equal(read_part(&f, 1, 1), 0); /* it is among all */
	assert_int_equal(f.list.refs.len, MANY);
	assert_int_equal(f.list.current.len, 0);
	teardown(&f);
}

/* It is of the set of eager tasks, from which it is left out. */
static void test_list__has_an_eager_one_that_runs_once(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 3);
	run_one(&f, f.objects[1]);
	for (u32 one_in = 2; one_in < 400; one_in += one_in / 2) {
		for (u64 seed = 0; seed < 50; seed++) {
			u64 sum = 0, found = 0;

			assert_int_equal(read_part(&f, one_in, seed * 0x9e3779b97f4a7c15ULL), 0);
			for (size_t i = 0; i < f.list.refs.len; i++) {
				sum += at(&f, i)->weight;
				found += at(&f, i)->direct && at(&f, i)->addr == f.objects[1];
			}
			assert_int_equal(sum, MANY + 3);
			assert_int_equal(found, 1);
		}
	}
	teardown(&f);
}

/* Few tasks of many cost few readings. */
static void test_list__of_few_does_not_read_the_table(void **state)
{
	struct fixture f;
	u64 before;

	(void)state;
	setup(&f, 0);
	read_part(&f, 100, 1);
	before = f.mem.calls;
	read_part(&f, 100, 2);
	assert_in_range(f.mem.calls - before, 2, 3);
	teardown(&f);
}

static void test_list__of_an_empty_set_is_empty(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 0);
	f.l.scheduled = py_world__set(&f.w, NULL, 0, 8);
	for (u32 one_in = 1; one_in < 4; one_in++) {
		assert_int_equal(read_part(&f, one_in, 1), 0);
		assert_int_equal(f.list.refs.len, 0);
	}
	teardown(&f);
}

static void test_list__refuses_what_is_no_set(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 0);
	py_world__put(f.l.scheduled + 32, 1000); /* no power of two */
	assert_int_equal(read_part(&f, 1, 1), -ESRCH);
	py_world__put(f.l.scheduled + 32, SLOTS - 1);
	py_world__put(f.l.scheduled + 40, 16); /* a table that is gone */
	assert_int_equal(read_part(&f, 1, 1), -ESRCH);
	assert_int_equal(read_part(&f, 5, 1), -ESRCH);
	py_world__put(f.l.scheduled + 8, f.w.types[PY_DICT]);
	assert_int_equal(read_part(&f, 1, 1), -ESRCH);
	f.mem.denied = true;
	assert_int_equal(read_part(&f, 1, 1), -EACCES);
	assert_int_equal(py_list__count(&f.l, &f.types, &f.mem), 0);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__has_every_element_once),
		cmocka_unit_test(test_list__weights_of_a_part_add_up_to_all),
		cmocka_unit_test(test_list__parts_have_no_bias),
		cmocka_unit_test(test_list__always_has_what_runs),
		cmocka_unit_test(test_list__has_an_eager_one_that_runs_once),
		cmocka_unit_test(test_list__of_few_does_not_read_the_table),
		cmocka_unit_test(test_list__of_an_empty_set_is_empty),
		cmocka_unit_test(test_list__refuses_what_is_no_set),
	};

	return cmocka_run_group_tests_name("py_list", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of asyncio in a pass: what each is found to do, and what a change in between does to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "async/py_reader.h"
#include "base/mem.h"
#include "lib/python/py_world.h"

#define MINOR_MIN 8
#define MINOR_MAX 13
#define SEEN_MAX 64

struct saw {
	struct task_seen t; /* without what it borrows */
	char name[64];
	char reason[64];
	u32 frames;
};

struct fixture {
	struct py_world w;
	struct py_tasks tasks;
	struct python_codes records;
	struct task_memory mem;
	struct process p;
	struct memory_window window;
	struct py_reader reader;
	u64 refs[SEEN_MAX];
	u32 refs_len;
	u64 loop_code; /* of all coroutines */
	u64 random;
	struct saw seen[SEEN_MAX];
	u32 len;
	/* what changes, when this is read for the second time */
	u64 watched;
	u32 reads;
	u64 changed;
	u64 word;
};

static struct fixture *setup(u32 minor)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	assert_non_null(f);
	py_world__init(&f->w, minor);
	assert_int_equal(python_codes__init(&f->records), 0);
	assert_int_equal(py_tasks__init(&f->tasks, &f->records), 0);
	f->tasks.layout.python = f->w.python;
	f->tasks.layout.off = f->w.off;
	process__init(&f->p, (u32)getpid(), NULL, &f->window);
	py_reader__init(&f->reader);
	f->loop_code = py_world__code(&f->w, "serve", 1);
	return f;
}

static void teardown(struct fixture *f)
{
	py_world__on_read(NULL, NULL);
	py_reader__done(&f->reader);
	py_tasks__done(&f->tasks);
	python_codes__done(&f->records);
	process__done(&f->p);
	mem_free(f);
}

static u64 add(struct fixture *f, enum py_world_coro state, u64 waiter, const char *name)
{
	u64 held = waiter ? py_world__holder(&f->w, PY_WRAPPER, waiter) : 0;
	u64 coro = py_world__coro(&f->w, f->loop_code, 1, state, held);
	u64 task = py_world__task(&f->w, coro, waiter, name);

	f->refs[f->refs_len++] = py_world__holder(&f->w, PY_WEAKREF, task);
	return task;
}

static int see(void *arg, const struct task_seen *t)
{
	struct fixture *f = arg;
	struct saw *s = &f->seen[f->len++];

	s->t = *t;
	s->frames = t->python ? t->python->len : 0;
	snprintf(s->name, sizeof(s->name), "%s", t->name ? t->name : "");
	snprintf(s->reason, sizeof(s->reason), "%s", t->reason ? t->reason : "");
	return 0;
}

static int pass(struct fixture *f, u32 one_in)
{
	struct task_pass p = { .one_in = one_in,
			       .random = f->random * 0x9e3779b97f4a7c15ULL,
			       .depth = 8,
			       .each = see,
			       .arg = f };
	u64 len;
	int r;

	f->len = 0;
	process__forget(&f->p);
	if (!f->tasks.layout.scheduled)
		f->tasks.layout.scheduled = py_world__set(&f->w, f->refs, f->refs_len, 128);
	r = py_reader__pass(&f->reader, &f->tasks, &f->mem, &f->p, &p, &len);
	if (!r)
		assert_int_equal(len, f->refs_len);
	return r;
}

static void change(void *arg, u64 addr)
{
	struct fixture *f = arg;

	if (addr == f->watched && ++f->reads == 2)
		py_world__put(f->changed, f->word);
}

static void test_reader__tells_what_tasks_do(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);

		add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->len, 1);
		assert_int_equal(f->seen[0].t.state, TASK_WAITS);
		assert_int_equal(f->seen[0].t.weight, 1);
		assert_int_equal(f->seen[0].frames, 1);
		assert_false(f->seen[0].t.torn);
		assert_string_equal(f->seen[0].name, "serve");
		assert_string_equal(f->seen[0].reason, "future");
		teardown(f);

		f = setup(minor);
		add(f, PY_WORLD_AWAITS, py_world__future(&f->w, true), "Task-1");
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->seen[0].t.state, TASK_READY);
		teardown(f);

		f = setup(minor);
		add(f, PY_WORLD_NEW, 0, "mail-7");
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->seen[0].t.state, TASK_READY);
		assert_string_equal(f->seen[0].name, "mail-*");
		teardown(f);

		f = setup(minor);
		add(f, PY_WORLD_RUNS, 0, "Task-1");
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->seen[0].t.state, TASK_RUNS);
		assert_int_equal(f->seen[0].frames, 1); /* no thread is known to run it */
		teardown(f);
	}
}

static void test_reader__names_the_task_that_another_waits_for(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 code = py_world__code(&f->w, "fetch", 0);
		u64 coro = py_world__coro(&f->w, code, 1, PY_WORLD_AWAITS,
					  py_world__future(&f->w, false));

		add(f, PY_WORLD_AWAITS, py_world__task(&f->w, coro, 0, "Task-2"), "Task-1");
		assert_int_equal(pass(f, 1), 0);
		assert_string_equal(f->seen[0].reason, "task fetch");
		teardown(f);
	}
}

static void test_reader__leaves_out_what_is_over(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 task = add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");

		py_world__put(task + f->w.off->state, 1);
		f->refs[f->refs_len++] =
			py_world__holder(&f->w, PY_WEAKREF,
					 py_world__object(&f->w, f->w.types[PY_NONE], 16));
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->len, 0);
		teardown(f);
	}
}

/* What changed between two readings is torn: it counts, without a stack. */
static void test_reader__counts_torn_readings(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 task = add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");

		assert_int_equal(pass(f, 1), 0);
		f->watched = task;
		f->changed = task + f->w.off->waiter;
		f->word = 0;
		py_world__on_read(change, f);
		assert_int_equal(pass(f, 1), 0);
		assert_int_equal(f->reads, 2);
		assert_int_equal(f->len, 1);
		assert_true(f->seen[0].t.torn);
		assert_int_equal(f->seen[0].t.state, TASK_WAITS);
		assert_int_equal(f->seen[0].frames, 0);
		assert_string_equal(f->seen[0].reason, "future");
		teardown(f);
	}
}

/* A part of many stands for all of them. */
static void test_reader__of_a_part_has_weights(void **state)
{
	struct fixture *f = setup(12);
	u64 sum = 0;

	(void)state;
	for (u32 i = 0; i < 40; i++)
		add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");
	assert_int_equal(pass(f, 7), 0);
	assert_int_equal(f->len, 6);
	for (u32 i = 0; i < f->len; i++)
		sum += f->seen[i].t.weight;
	assert_int_equal(sum, 40);
	teardown(f);
}

/* One of 40 that runs is read in every pass, once, and the others stand for the rest. */
static void test_reader__of_a_part_always_has_what_runs(void **state)
{
	static const char *const keys[] = { "loop" };
	struct fixture *f = setup(12);
	u64 sum = 0, task, passes = 400;

	(void)state;
	for (u32 i = 0; i < 39; i++)
		add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");
	task = add(f, PY_WORLD_RUNS, 0, "Task-1");
	f->tasks.layout.current = py_world__dict(&f->w, keys, &task, 1, false);
	for (f->random = 1; f->random <= passes; f->random++) {
		u32 ran = 0;

		assert_int_equal(pass(f, 7), 0);
		for (u32 i = 0; i < f->len; i++) {
			sum += f->seen[i].t.weight;
			ran += f->seen[i].t.state == TASK_RUNS;
			if (f->seen[i].t.state == TASK_RUNS)
				assert_int_equal(f->seen[i].t.weight, 1);
		}
		assert_int_equal(ran, 1);
	}
	assert_int_equal(sum, 40 * passes);
	teardown(f);
}

static void test_reader__of_a_process_that_is_gone_ends(void **state)
{
	struct fixture *f = setup(11);

	(void)state;
	add(f, PY_WORLD_AWAITS, py_world__future(&f->w, false), "Task-1");
	assert_int_equal(pass(f, 1), 0);
	f->mem.gone = true;
	assert_int_equal(pass(f, 1), -ESRCH);
	f->mem.denied = true;
	assert_int_equal(pass(f, 1), -EACCES);
	teardown(f);
}

/* A task of another module is not read as one of the C module. */
static void test_reader__does_not_read_tasks_of_others(void **state)
{
	struct fixture *f = setup(11);
	u64 task = add(f, PY_WORLD_AWAITS, 0, "Task-1");

	(void)state;
	py_world__put(task + PY_OB_TYPE, py_world__type(&f->w, "Task", true, 0));
	assert_int_equal(pass(f, 1), 0);
	assert_int_equal(f->len, 1);
	assert_int_equal(f->seen[0].t.state, TASK_UNREAD);
	teardown(f);
}

static void test_name__leaves_out_numbers_and_names_of_asyncio(void **state)
{
	char name[PY_NAME_SZ];

	(void)state;
	assert_true(py_task_name("mail-12", name));
	assert_string_equal(name, "mail-*");
	assert_true(py_task_name("Task-a", name));
	assert_string_equal(name, "Task-a");
	assert_true(py_task_name("Task", name));
	assert_false(py_task_name("Task-12", name));
	assert_false(py_task_name("", name));
	assert_false(py_task_name("a\nb", name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader__tells_what_tasks_do),
		cmocka_unit_test(test_reader__names_the_task_that_another_waits_for),
		cmocka_unit_test(test_reader__leaves_out_what_is_over),
		cmocka_unit_test(test_reader__counts_torn_readings),
		cmocka_unit_test(test_reader__of_a_part_has_weights),
		cmocka_unit_test(test_reader__of_a_part_always_has_what_runs),
		cmocka_unit_test(test_reader__of_a_process_that_is_gone_ends),
		cmocka_unit_test(test_reader__does_not_read_tasks_of_others),
		cmocka_unit_test(test_name__leaves_out_numbers_and_names_of_asyncio),
	};

	return cmocka_run_group_tests_name("py_reader", tests, NULL, NULL);
}

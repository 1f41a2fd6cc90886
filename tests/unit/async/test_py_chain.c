/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines that await each other, of each version of CPython. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "async/py_chain.h"
#include "base/mem.h"
#include "lib/python/py_world.h"

#define MINOR_MIN 8
#define MINOR_MAX 13

struct fixture {
	struct py_world w;
	struct py_layout l;
	struct py_types types;
	struct py_codes codes;
	struct python_codes records;
	struct task_memory mem;
	struct process p;
	struct memory_window window;
	struct py_chain chain;
	struct python_frames frames;
};

static struct fixture *setup(u32 minor)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	assert_non_null(f);
	py_world__init(&f->w, minor);
	f->l.python = f->w.python;
	f->l.off = f->w.off;
	py_types__init(&f->types);
	assert_int_equal(python_codes__init(&f->records), 0);
	assert_int_equal(py_codes__init(&f->codes, &f->records), 0);
	process__init(&f->p, (u32)getpid(), NULL, &f->window);
	return f;
}

static void teardown(struct fixture *f)
{
	py_types__done(&f->types);
	py_codes__done(&f->codes);
	python_codes__done(&f->records);
	process__done(&f->p);
	mem_free(f);
}

static void read_chain(struct fixture *f, u64 coro, u32 depth)
{
	const struct py_reading r = { &f->l, &f->types, &f->codes, &f->mem, &f->p };
	struct py_chain *c = &f->chain;

	process__forget(&f->p);
	py_chain__begin(c, coro, depth);
	assert_int_equal(py_chains__read(&c, 1, &r), 0);
	py_chain__frames(c, &f->frames);
}

/* The instruction of a frame, leaf first. */
static u32 instr_of(const struct fixture *f, u32 i)
{
	return f->frames.frame[i].instr - cs_pc_instr(cs_pc_code(0, 0));
}

/* outer awaits a wrapper of inner, which awaits leaf, which awaits a future. */
static u64 three(struct fixture *f)
{
	struct py_world *w = &f->w;
	u64 leaf = py_world__coro(w, py_world__code(w, "leaf", 0), 3, PY_WORLD_AWAITS,
				  py_world__holder(w, PY_WRAPPER, py_world__future(w, false)));
	u64 inner = py_world__coro(w, py_world__code(w, "inner", 5), 2, PY_WORLD_AWAITS, leaf);

	return py_world__coro(w, py_world__code(w, "outer", 2), 1, PY_WORLD_AWAITS,
			      py_world__holder(w, PY_WRAPPER, inner));
}

static void test_chain__is_followed_to_the_innermost(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);

		read_chain(f, three(f), 0);
		assert_false(f->chain.bad || f->chain.cut);
		assert_int_equal(f->chain.state, PY_CORO_WAITS);
		assert_int_equal(f->frames.len, 3);
		for (u32 i = 0; i < 3; i++)
			assert_int_equal(instr_of(f, i), 3 - i);
		assert_int_equal(f->frames.frame[2].code, f->chain.root_code);
		assert_string_equal(strtab__get(&f->codes.names, f->chain.root_name), "outer");
		teardown(f);
	}
}

static void test_chain__has_the_state_of_its_outermost(void **state)
{
	static const enum py_coro_state want[] = {
		[PY_WORLD_NEW] = PY_CORO_NEW,
		[PY_WORLD_AWAITS] = PY_CORO_WAITS,
		[PY_WORLD_RUNS] = PY_CORO_RUNS,
		[PY_WORLD_OVER] = PY_CORO_OVER,
	};

	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		for (u32 i = 0; i < ARRAY_LEN(want); i++) {
			struct fixture *f = setup(minor);
			u64 code = py_world__code(&f->w, "f", 1);

			read_chain(f, py_world__coro(&f->w, code, 1, i, 0), 0);
			assert_int_equal(f->chain.state, want[i]);
			assert_false(f->chain.bad);
			/* only a new one and one that waits have a frame that says where */
			assert_int_equal(f->frames.len, i != PY_WORLD_OVER || minor > 10);
			teardown(f);
		}
	}
}

static void test_chain__without_a_coroutine_is_empty(void **state)
{
	struct fixture *f = setup(11);

	(void)state;
	read_chain(f, 0, 0);
	assert_int_equal(f->frames.len, 0);
	assert_int_equal(f->chain.state, PY_CORO_UNKNOWN);
	teardown(f);
}

/* The innermost are kept. */
static void test_chain__is_cut_at_its_depth(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);

		read_chain(f, three(f), 2);
		assert_true(f->chain.cut);
		assert_int_equal(f->frames.len, 2);
		assert_int_equal(instr_of(f, 0), 3);
		assert_string_equal(strtab__get(&f->codes.names, f->chain.root_name), "outer");
		teardown(f);
	}
}

/* Memory that was reused may have anything. */
static void test_chain__in_a_circle_ends(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 code = py_world__code(&f->w, "f", 0);
		u64 held = py_world__holder(&f->w, PY_WRAPPER, 0);
		u64 coro = py_world__coro(&f->w, code, 1, PY_WORLD_AWAITS, held);

		py_world__put(held + PY_HELD, coro);
		read_chain(f, coro, 0);
		assert_true(f->chain.bad && f->chain.cut);
		teardown(f);
	}
}

static void test_chain__of_what_is_no_code_is_bad(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 code = py_world__code(&f->w, "f", 0);
		u64 coro = py_world__coro(&f->w, code, 1, PY_WORLD_AWAITS, 0);

		py_world__put(code + PY_OB_TYPE, f->w.types[PY_DICT]);
		read_chain(f, coro, 0);
		assert_true(f->chain.bad);
		assert_int_equal(f->frames.len, 0);
		read_chain(f, PY_WORLD_AT + PY_WORLD_SZ, 0);
		assert_true(f->chain.bad);
		teardown(f);
	}
}

/* It goes on between two readings: to another instruction, or to its end. */
static void test_chain__is_torn_if_the_outermost_went_on(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 coro = three(f);
		u8 now[PY_CORO_SZ];

		read_chain(f, coro, 0);
		assert_true(task_memory__read(&f->mem, f->chain.root_at, now, f->chain.root_sz));
		assert_false(py_chain__is_torn(&f->chain, &f->l, now));
		py_world__step(&f->w, coro, 9);
		assert_true(task_memory__read(&f->mem, f->chain.root_at, now, f->chain.root_sz));
		assert_true(py_chain__is_torn(&f->chain, &f->l, now));
		teardown(f);
	}
}

/* All of it changes while it runs; it is torn if it does not run any more. */
static void test_chain__that_still_runs_is_not_torn(void **state)
{
	(void)state;
	for (u32 minor = MINOR_MIN; minor <= MINOR_MAX; minor++) {
		struct fixture *f = setup(minor);
		u64 code = py_world__code(&f->w, "f", 1);
		u64 coro = py_world__coro(&f->w, code, 1, PY_WORLD_RUNS, 0);
		u8 now[PY_CORO_SZ];

		read_chain(f, coro, 0);
		py_world__step(&f->w, coro, 9);
		assert_true(task_memory__read(&f->mem, f->chain.root_at, now, f->chain.root_sz));
		assert_false(py_chain__is_torn(&f->chain, &f->l, now));
		now[minor >= 11 ? f->l.off->running : 108] = 0xff;
		/* to 3.9 its frame does not say that it runs */
		assert_int_equal(py_chain__is_torn(&f->chain, &f->l, now), minor >= 10);
		teardown(f);
	}
}

/* Since 3.13 a generator that yields has a state of its own: what is on top is not awaited. */
static void test_chain__does_not_follow_what_is_yielded(void **state)
{
	struct fixture *f = setup(13);
	u64 coro = three(f);

	(void)state;
	*(signed char *)(uintptr_t)(coro + f->l.off->running) = -2;
	read_chain(f, coro, 0);
	assert_int_equal(f->frames.len, 1);
	assert_int_equal(f->chain.state, PY_CORO_WAITS);
	assert_false(f->chain.bad);
	teardown(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain__is_followed_to_the_innermost),
		cmocka_unit_test(test_chain__has_the_state_of_its_outermost),
		cmocka_unit_test(test_chain__without_a_coroutine_is_empty),
		cmocka_unit_test(test_chain__is_cut_at_its_depth),
		cmocka_unit_test(test_chain__in_a_circle_ends),
		cmocka_unit_test(test_chain__of_what_is_no_code_is_bad),
		cmocka_unit_test(test_chain__is_torn_if_the_outermost_went_on),
		cmocka_unit_test(test_chain__that_still_runs_is_not_torn),
		cmocka_unit_test(test_chain__does_not_follow_what_is_yielded),
	};

	return cmocka_run_group_tests_name("py_chain", tests, NULL, NULL);
}

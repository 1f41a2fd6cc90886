/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of Tokio in memory of our own: how their lists are found and followed, and what breaks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "async/tokio/tk_reader.h"
#include "async/tokio/tk_search.h"
#include "base/mem.h"

#define AREA_SZ 65536
#define TASKS_MAX 16
#define TASK_WORDS 32
#define TRAILER 128
#define VTABLE 0x5000
#define OWNER 7

static struct tk_reader reader;

struct fixture {
	u64 *area;
	u64 *tasks[TASKS_MAX]; /* in the area */
	struct maps maps;
	struct map_range range;
	struct tk_tasks t;
	struct task_memory mem;
	u32 states[TASK_STATES];
	u32 torn;
	struct task_seen last;
};

static u64 addr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static struct fixture *setup(u32 minor)
{
	struct fixture *f = mem_alloc(sizeof(*f));
	struct tk_type *type;

	assert_non_null(f);
	f->area = mmap(NULL, AREA_SZ, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f->area, MAP_FAILED);
	f->range = (struct map_range){ .start = addr(f->area),
				       .end = addr(f->area) + AREA_SZ,
				       .path = "" };
	f->maps = (struct maps){ .ranges = &f->range, .len = 1 };
	f->mem.tgid = (u32)getpid();
	f->t.program.minor = minor;
	tk_layout__init(&f->t.layout);
	tk_list__init(&f->t.list);
	type = vec__push(&f->t.layout.types);
	*type = (struct tk_type){ .addr = VTABLE, .trailer = TRAILER, .name = "shop::serve" };
	f->t.layout.first = f->t.layout.last = VTABLE;
	assert_int_equal(map64__set(&f->t.layout.by_addr, VTABLE, 0), 0);
	for (u32 i = 0; i < TASKS_MAX; i++)
		f->tasks[i] = f->area + 1024 + i * TASK_WORDS;
	return f;
}

static void teardown(struct fixture *f)
{
	munmap(f->area, AREA_SZ);
	tk_layout__done(&f->t.layout);
	tk_list__done(&f->t.list);
	mem_free(f);
}

/* A list of the tasks [first, end), whose words are at `place`. */
static void link_tasks(struct fixture *f, u64 *place, u32 first, u32 end)
{
	for (u32 i = first; i < end; i++) {
		u64 *t = f->tasks[i];

		t[0] = 3 << TK_REF_SHIFT;
		t[TK_VTABLE / 8] = VTABLE;
		t[TK_OWNER / 8] = OWNER;
		t[TRAILER / 8] = i > first ? addr(f->tasks[i - 1]) : 0;
		t[TRAILER / 8 + 1] = i + 1 < end ? addr(f->tasks[i + 1]) : 0;
	}
	place[0] = first < end ? addr(f->tasks[first]) : 0;
	place[1] = first < end ? addr(f->tasks[end - 1]) : 0;
}

static int search(struct fixture *f)
{
	struct err err;

	return tk_search(&f->t.layout, &f->mem, &f->maps, &f->t.program, &err);
}

static size_t read_list(struct fixture *f)
{
	assert_int_equal(tk_list__read(&f->t.list, &f->t.layout, &f->mem), 0);
	return f->t.list.nodes.len;
}

static int see(void *arg, const struct task_seen *t)
{
	struct fixture *f = arg;

	f->states[t->state] += t->weight;
	f->torn += t->torn;
	f->last = *t;
	return 0;
}

static u64 pass(struct fixture *f, u32 one_in)
{
	const struct task_pass p = {
		.one_in = one_in, .budget_ns = ~0U, .depth = 8, .each = see, .arg = f
	};
	u64 len, list_ns;

	memset(f->states, 0, sizeof(f->states));
	assert_int_equal(tk_reader__pass(&reader, &f->t, &f->mem, &p, &len, &list_ns), 0);
	return len;
}

static void test_search__finds_a_list_by_its_tasks(void **state)
{
	struct fixture *f = setup(24);

	(void)state;
	link_tasks(f, f->area + 100, 0, 5);
	f->area[103] = OWNER;
	/* a copy, such as one on a stack */
	memcpy(f->area + 200, f->area + 100, 16);
	assert_int_equal(search(f), 0);
	assert_int_equal(f->t.layout.places.len, 1);
	assert_int_equal(((struct tk_place *)vec__at(&f->t.layout.places, 0))->at,
			 addr(f->area + 100));
	assert_int_equal(read_list(f), 5);
	assert_int_equal(f->t.list.lost, 0);
	teardown(f);
}

static void test_search__finds_where_the_links_are(void **state)
{
	struct fixture *f = setup(24);

	(void)state;
	link_tasks(f, f->area + 100, 0, 5);
	f->area[98] = OWNER;
	for (u32 i = 0; i < 5; i++) {
		memmove(f->tasks[i] + TRAILER / 8 + 2, f->tasks[i] + TRAILER / 8, 16);
		f->tasks[i][TRAILER / 8] = 1;
		f->tasks[i][TRAILER / 8 + 1] = 2;
	}
	assert_int_equal(search(f), 0);
	assert_int_equal(f->t.layout.links, 16);
	assert_int_equal(read_list(f), 5);
	teardown(f);
}

/* Four lists behind their locks, of which three are empty. */
static void test_search__finds_all_lists_of_a_runtime(void **state)
{
	struct fixture *f = setup(53);
	u64 *shards = f->area + 300;

	(void)state;
	link_tasks(f, shards + 3 * 2 + 1, 0, 3);
	f->area[50] = addr(shards);
	f->area[51] = 4;
	f->area[54] = 3;
	f->area[55] = OWNER;
	assert_int_equal(search(f), 0);
	assert_int_equal(f->t.layout.places.len, 4);
	assert_int_equal(read_list(f), 3);
	link_tasks(f, shards + 1, 8, 10);
	assert_int_equal(read_list(f), 5);
	teardown(f);
}

static void test_search__refuses_tasks_without_a_list(void **state)
{
	struct fixture *f = setup(24);

	(void)state;
	link_tasks(f, f->area + 100, 0, 5);
	f->area[100] = 0;
	assert_int_equal(search(f), 0);
	assert_int_equal(search(f), 0);
	assert_int_equal(search(f), -ENOTSUP);
	teardown(f);
}

static struct fixture *setup_list(u32 len)
{
	struct fixture *f = setup(24);

	link_tasks(f, f->area + 100, 0, len);
	f->area[103] = OWNER;
	assert_int_equal(search(f), 0);
	assert_int_equal(read_list(f), len);
	return f;
}

static void test_list__follows_changes(void **state)
{
	struct fixture *f = setup_list(5);

	(void)state;
	link_tasks(f, f->area + 100, 0, 8);
	assert_int_equal(read_list(f), 8);
	/* the second one is over */
	f->tasks[0][TRAILER / 8 + 1] = addr(f->tasks[2]);
	f->tasks[2][TRAILER / 8] = addr(f->tasks[0]);
	memset(f->tasks[1], 0xaa, TASK_WORDS * 8);
	assert_int_equal(read_list(f), 7);
	assert_int_equal(f->t.list.lost, 0);
	link_tasks(f, f->area + 100, 0, 0);
	assert_int_equal(read_list(f), 0);
	assert_int_equal(f->t.list.lost, 0);
	teardown(f);
}

static void test_list__counts_what_it_cannot_follow(void **state)
{
	struct fixture *f = setup_list(5);

	(void)state;
	f->tasks[2][TRAILER / 8] = addr(f->tasks[4]); /* it does not point back */
	assert_int_equal(read_list(f), 2);
	assert_int_equal(f->t.list.lost, 3);
	teardown(f);
}

static void test_list__does_not_go_in_circles(void **state)
{
	struct fixture *f = setup_list(5);

	(void)state;
	f->tasks[4][TRAILER / 8 + 1] = addr(f->tasks[0]);
	f->tasks[0][TRAILER / 8] = 0;
	assert_int_equal(read_list(f), 5);
	assert_int_equal(f->t.list.lost, 1);
	teardown(f);
}

static void test_list__does_not_cross_into_another_runtime(void **state)
{
	struct fixture *f = setup_list(5);

	(void)state;
	f->tasks[3][TK_OWNER / 8] = OWNER + 1;
	assert_int_equal(read_list(f), 3);
	assert_int_equal(f->t.list.lost, 2);
	teardown(f);
}

static void test_list__of_a_runtime_that_ended_is_dropped(void **state)
{
	struct fixture *f = setup_list(5);

	(void)state;
	memset(f->area, 0xaa, AREA_SZ);
	assert_int_equal(read_list(f), 0);
	assert_int_equal(read_list(f), 0);
	assert_int_equal(f->t.list.lost, 0);
	assert_int_equal(f->t.layout.places.len, 0);
	teardown(f);
}

static void test_reader__tells_states(void **state)
{
	struct fixture *f = setup_list(6);

	(void)state;
	f->tasks[1][0] |= TK_RUNNING;
	f->tasks[2][0] |= TK_NOTIFIED;
	f->tasks[3][0] |= TK_RUNNING | TK_NOTIFIED;
	f->tasks[4][0] |= TK_COMPLETE;
	assert_int_equal(pass(f, 1), 6);
	assert_int_equal(f->states[TASK_WAITS], 2);
	assert_int_equal(f->states[TASK_RUNS], 2);
	assert_int_equal(f->states[TASK_READY], 1);
	assert_int_equal(f->states[TASK_UNREAD], 0);
	assert_int_equal(f->torn, 0);
	assert_string_equal(f->last.name, "shop::serve");
	assert_string_equal(f->last.reason, "future");
	assert_int_equal(f->last.loop, OWNER);
	teardown(f);
}

static void test_reader__reads_a_part(void **state)
{
	struct fixture *f = setup_list(6);

	(void)state;
	assert_int_equal(pass(f, 3), 6);
	assert_int_equal(f->states[TASK_WAITS], 6);
	teardown(f);
}

static void test_reader__shows_what_is_lost(void **state)
{
	struct fixture *f = setup_list(6);

	(void)state;
	f->tasks[3][TK_VTABLE / 8] = VTABLE + 8;
	assert_int_equal(pass(f, 1), 3);
	assert_int_equal(f->states[TASK_WAITS], 3);
	assert_int_equal(f->states[TASK_UNREAD], 3);
	teardown(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search__finds_a_list_by_its_tasks),
		cmocka_unit_test(test_search__finds_where_the_links_are),
		cmocka_unit_test(test_search__finds_all_lists_of_a_runtime),
		cmocka_unit_test(test_search__refuses_tasks_without_a_list),
		cmocka_unit_test(test_list__follows_changes),
		cmocka_unit_test(test_list__counts_what_it_cannot_follow),
		cmocka_unit_test(test_list__does_not_go_in_circles),
		cmocka_unit_test(test_list__does_not_cross_into_another_runtime),
		cmocka_unit_test(test_list__of_a_runtime_that_ended_is_dropped),
		cmocka_unit_test(test_reader__tells_states),
		cmocka_unit_test(test_reader__reads_a_part),
		cmocka_unit_test(test_reader__shows_what_is_lost),
	};

	return cmocka_run_group_tests_name("tk_list", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/tree_cause.h"
#include "base/mem.h"
#include "lib/lit.h"

static const char text[] = "arch x86_64\ntask 1/1 y\n"
			   "wait S sys=futex blocked=60us\n u main\n u lock\n"
			   "wait S sys=clock_nanosleep blocked=30us\n u main\n u nap\n"
			   "wait S sys=futex blocked=10us\n u main\n u nap\n"
			   "task 2/2 b\n"
			   "wait S sys=clock_nanosleep blocked=50us\n u main\n u nap\n";

struct built {
	struct profile *p;
	struct arena a;
	struct tree t;
	struct tree_causes causes;
};

static void build(struct built *b, const char *literal)
{
	const struct tree_options opt = { 0 };

	b->p = lit(literal);
	arena__init(&b->a);
	assert_int_equal(tree__build(b->p, &opt, &b->a, &b->t, NULL), 0);
	assert_int_equal(tree_causes__build(b->p, &b->t, &b->a, NULL, &b->causes, NULL), 0);
}

static void done(struct built *b)
{
	arena__done(&b->a);
	profile__free(b->p);
}

/* The first node of that name behind node `from`. */
static u32 node(const struct built *b, const char *name, u32 from)
{
	u32 i;

	for (i = from; i < b->t.len; i++) {
		if (strcmp(b->t.nodes[i].name, name) == 0)
			return i;
	}
	fail_msg("no node '%s'", name);
	return 0;
}

static void assert_cause(const struct built *b, u32 i, u32 cause, u64 us, bool clear)
{
	assert_int_equal(b->causes.of_node[i].cause, cause);
	assert_int_equal(b->causes.of_node[i].ns, us * 1000);
	assert_int_equal(tree_cause__is_clear(&b->causes.of_node[i], &b->t.nodes[i]), clear);
}

static void test_tree_causes__are_those_with_the_most_time(void **state)
{
	struct built b;
	u32 second;

	(void)state;
	build(&b, text);
	second = node(&b, "b", 0);
	assert_cause(&b, node(&b, "lock", 0), CAUSE_FUTEX, 60, true);
	assert_cause(&b, node(&b, "nap", node(&b, "y", 0)), CAUSE_SLEEP, 30, true);
	assert_cause(&b, node(&b, "y", 0), CAUSE_FUTEX, 70, true);
	assert_cause(&b, second, CAUSE_SLEEP, 50, true);
	assert_cause(&b, 0, CAUSE_SLEEP, 80, false); /* 80 of 150 */
	assert_int_equal(b.causes.ns[CAUSE_FUTEX], 70000);
	assert_int_equal(b.causes.ns[CAUSE_SLEEP], 80000);
	assert_int_equal(b.causes.ns[CAUSE_DISK], 0);
	done(&b);
}

static void test_tree_causes__of_equals_take_the_first(void **state)
{
	struct built b;

	(void)state;
	build(&b, "arch x86_64\ntask 1/1 a\nwait S sys=clock_nanosleep blocked=5us\n u x\n"
		  "wait S sys=futex blocked=5us\n u x\n");
	assert_cause(&b, node(&b, "x", 0), CAUSE_FUTEX, 5, false);
	done(&b);
}

static void test_tree_causes__has_no_cause_without_time(void **state)
{
	struct built b;

	(void)state;
	build(&b, "");
	assert_cause(&b, 0, CAUSE_CNT, 0, false);
	done(&b);
}

static void test_tree__of_wait_is_where_its_time_went(void **state)
{
	struct built b;
	u64 self[64] = { 0 };
	u32 i;

	(void)state;
	build(&b, text);
	assert_true(b.t.len <= 64);
	for (i = 1; i < b.p->waits_len; i++)
		self[b.t.of_wait[i]] += b.p->waits[i].blocked_ns + b.p->waits[i].runq_ns;
	for (i = 0; i < b.t.len; i++)
		assert_int_equal(self[i], b.t.nodes[i].self_ns);
	done(&b);
}

static void test_tree_causes__report_every_allocation_that_fails(void **state)
{
	struct built b;
	u64 nth = 1;
	bool fired;

	(void)state;
	build(&b, text);
	do {
		int r;

		mem_fail_nth(nth++);
		r = tree_causes__build(b.p, &b.t, &b.a, NULL, &b.causes, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
	} while (fired);
	assert_true(nth > 2);
	done(&b);
}

static void test_tree_causes__have_one_name_for_waits_for_work(void **state)
{
	struct built b;

	(void)state;
	build(&b, "arch x86_64\ntask 1/1 a\nwait S sys=epoll_wait blocked=5us\n u event_loop\n"
		  "wait S sys=poll blocked=1us\n u f\n");
	assert_cause(&b, node(&b, "event_loop", 0), CAUSE_SHOWN_IDLE, 5, true);
	assert_cause(&b, node(&b, "f", 0), CAUSE_POLL, 1, true);
	assert_int_equal(b.causes.ns[CAUSE_SHOWN_IDLE], 5000);
	assert_int_equal(b.causes.ns[CAUSE_POLL], 1000);
	assert_string_equal(cause_shown_name(CAUSE_SHOWN_IDLE), "idle");
	assert_string_equal(cause_shown_name(CAUSE_POLL), "poll");
	assert_string_equal(cause_shown_name(CAUSE_CNT), "none");
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_causes__are_those_with_the_most_time),
		cmocka_unit_test(test_tree_causes__have_one_name_for_waits_for_work),
		cmocka_unit_test(test_tree_causes__of_equals_take_the_first),
		cmocka_unit_test(test_tree_causes__has_no_cause_without_time),
		cmocka_unit_test(test_tree__of_wait_is_where_its_time_went),
		cmocka_unit_test(test_tree_causes__report_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("tree_cause", tests, NULL, NULL);
}

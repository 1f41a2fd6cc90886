/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "analysis/name/stack_of_wait.h"
#include "analysis/view/shown.h"
#include "analysis/view/wait_stacks.h"
#include "base/mem.h"
#include "lib/lit.h"

static const struct shown_options one = { .wakers = WAKERS_ONE };
static const struct shown_options one_comm = { .wakers = WAKERS_ONE, .waker_comms = true };
static const struct shown_options chain = { .wakers = WAKERS_CHAIN };

#define CHAIN                                                                                      \
	"period 1ms\n"                                                                             \
	"task 1/1 a\n"                                                                             \
	"wait S sys=futex blocked=8ms runq=1ms count=4 samples=4 var=9\n"                          \
	" u main\n u take\n k futex_wait\n"                                                        \
	" woken B running=5ms woken=600us count=2\n"                                               \
	" woken T interrupt=1ms woken=100us count=1\n"                                             \
	"wait R runq=3ms count=2 flags=preempted\n u main\n k sys\n"                               \
	"wait S sys=read blocked=2ms count=1\n u main\n k read\n"                                  \
	" woken C unknown=2ms count=1\n"                                                           \
	"task 1/2 b\n"                                                                             \
	"task 1/3 c\n"                                                                             \
	"waker T hardirq\n k asm_sysvec_apic_timer_interrupt\n k hrtimer_wakeup\n"                 \
	"waker C 1/3 c next=T\n u start\n u last\n k futex_wake\n"                                 \
	"waker B 1/2 b next=C\n u start\n u give\n k sys\n k futex_wake\n"

/* Of a row, leaf first. */
static void stack_text(const struct profile *p, u32 leaf, char *text, size_t sz)
{
	struct labels l;
	size_t used = 0;

	text[0] = '\0';
	assert_int_equal(labels__init(&l, p, NULL), 0);
	for (; leaf; leaf = p->stacks[leaf].parent)
		used += (size_t)snprintf(text + used, sz - used, "%s%s", used ? " " : "",
					 labels__frame(&l, p->stacks[leaf].frame));
	labels__done(&l);
}

static void assert_kernel(const struct profile *p, u32 row, const char *expected)
{
	char text[1024];

	stack_text(p, p->waits[row].kstack, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void assert_sums(const struct profile *p, const struct profile *view)
{
	u64 *sums = mem_array((size_t)p->waits_len * 5, sizeof(u64));
	u32 i;

	assert_non_null(sums);
	for (i = 1; i < view->waits_len; i++) {
		const struct profile_wait *w = &view->waits[i];
		u64 *sum = sums + (size_t)w->part_of * 5;

		assert_in_range(w->part_of, 1, p->waits_len - 1);
		sum[0] += w->blocked_ns;
		sum[1] += w->runq_ns;
		sum[2] += w->count;
		sum[3] += w->samples;
		sum[4] += w->var_us2;
		assert_int_equal(w->task, p->waits[w->part_of].task);
		assert_int_equal(w->object, p->waits[w->part_of].object);
		assert_int_equal(stack_of_wait(view, w->ustack), p->waits[w->part_of].ustack);
	}
	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		const u64 *sum = sums + (size_t)i * 5;

		assert_int_equal(sum[0], w->blocked_ns);
		assert_int_equal(sum[1], w->runq_ns);
		assert_int_equal(sum[2], w->count);
		assert_int_equal(sum[3], w->samples);
		assert_int_equal(sum[4], w->var_us2);
	}
	mem_free(sums);
}

static void test_wake_view__splits_a_wait_by_waker(void **state)
{
	struct profile *p = lit(CHAIN);
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &one, NULL), 0);
	assert_int_equal(s.p->waits_len, 6);
	assert_kernel(s.p, 2, "b-2 start give sys futex_wake -- futex_wait");
	assert_int_equal(s.p->waits[2].blocked_ns, 5000000);
	assert_int_equal(s.p->waits[2].runq_ns, 600000);
	assert_int_equal(s.p->waits[2].count, 2);
	assert_int_equal(s.p->wakers[s.p->waits[2].waker].tid, 2);
	assert_kernel(s.p, 1,
		      "[timer interrupt] asm_sysvec_apic_timer_interrupt hrtimer_wakeup -- "
		      "futex_wait");
	assert_kernel(s.p, 3, NO_WAKER_KNOWN " -- futex_wait");
	assert_int_equal(s.p->waits[3].waker, 0);
	assert_int_equal(s.p->waits[3].blocked_ns, 2000000);
	assert_kernel(s.p, 4, NO_WAKER_PREEMPTED " -- sys");
	assert_kernel(s.p, 5, "c-3 start last futex_wake -- read");
	assert_sums(p, s.p);
	shown__done(&s);
	profile__free(p);
}

static void test_wake_view__follows_a_chain_to_its_end(void **state)
{
	struct profile *p = lit(CHAIN);
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &chain, NULL), 0);
	assert_kernel(s.p, 2,
		      "[timer interrupt] asm_sysvec_apic_timer_interrupt hrtimer_wakeup -- "
		      "c-3 start last futex_wake -- b-2 start give sys futex_wake -- futex_wait");
	assert_sums(p, s.p);
	shown__done(&s);
	profile__free(p);
}

static void test_wake_view__says_why_a_chain_ends(void **state)
{
	static const struct {
		const char *waker, *expected;
	} cases[] = {
		{ "1/2 b end=running", "[running] b-2 w -- k" },
		{ "1/2 b end=depth", "[chain too deep] b-2 w -- k" },
		{ "7/8 stranger end=unrecorded", "[waker not recorded] stranger-8 w -- k" },
		{ "1/2 b end=unknown", "[waker unknown] b-2 w -- k" },
		{ "softirq", "[softirq] w -- k" },
		{ "other", "[waker unknown] w -- k" },
	};
	char text[512];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p;
		struct shown s;

		snprintf(text, sizeof(text),
			 "sides kernel\ntask 1/1 a\nwait S blocked=1ms\n k k\n"
			 " woken W unknown=1ms count=1\ntask 1/2 b\nwaker W %s\n k w\n",
			 cases[i].waker);
		p = lit(text);
		assert_int_equal(shown__init(&s, p, &chain, NULL), 0);
		assert_kernel(s.p, 1, cases[i].expected);
		shown__done(&s);
		profile__free(p);
	}
}

static void test_wake_view__says_why_there_is_no_waker(void **state)
{
	struct profile *p = lit("task 1/1 a\n"
				"wait R runq=1ms flags=new\n k k\n"
				"wait R runq=1ms flags=preempted,throttled\n k k\n"
				"wait S blocked=1ms flags=open\n k k\n"
				"wait S blocked=1ms\n"
				"wait S blocked=1ms flags=lost count=0\n"
				"waker W softirq\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &one, NULL), 0);
	assert_int_equal(s.p->waits_len, p->waits_len);
	assert_kernel(s.p, 1, NO_WAKER_NEW " -- k");
	assert_kernel(s.p, 2, NO_WAKER_THROTTLED " -- k");
	assert_kernel(s.p, 3, NO_WAKER_OPEN " -- k");
	assert_kernel(s.p, 4, NO_WAKER_KNOWN " -- " NOTE_MISSED_KERNEL);
	assert_kernel(s.p, 5, "");
	shown__done(&s);
	profile__free(p);
}

static void test_wake_view__goes_on_behind_the_user_stack_without_kernel_stacks(void **state)
{
	struct profile *p = lit("sides user\ntask 1/1 a\nwait S blocked=1ms\n u main\n u take\n"
				" woken W unknown=1ms count=1\n"
				"waker W 7/8 b end=unrecorded\n u start\n u give\n");
	char text[256];
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &one_comm, NULL), 0);
	stack_text(s.p, s.p->waits[1].ustack, text, sizeof(text));
	assert_string_equal(text, "b start give -- take main");
	assert_int_equal(s.p->waits[1].kstack, 0);
	shown__done(&s);
	profile__free(p);
}

/* As with --by waker: it is not divided again. */
static void test_wake_view__takes_waits_that_are_divided(void **state)
{
	struct profile *p = lit(CHAIN);
	struct waker_rows rows;
	struct cause_memo memo;
	struct causes divided, shown_causes;
	struct shown s;
	u32 i;

	(void)state;
	assert_int_equal(waker_rows__init(&rows, p, NULL), 0);
	memo = (struct cause_memo){ .p = rows.p };
	assert_int_equal(shown__init(&s, rows.p, &one, NULL), 0);
	assert_int_equal(s.p->waits_len, 6);
	assert_kernel(s.p, 2, "b-2 start give sys futex_wake -- futex_wait");
	assert_kernel(s.p, 3, NO_WAKER_KNOWN " -- futex_wait");
	for (i = 1; i < s.p->waits_len; i++) {
		assert_int_equal(s.p->waits[i].blocked_ns, rows.rows[i].blocked_ns);
		assert_int_equal(s.p->waits[i].runq_ns, rows.rows[i].runq_ns);
		assert_int_equal(s.p->waits[i].count, rows.rows[i].count);
	}
	assert_int_equal(causes__init(&divided, rows.p, NULL, NULL), 0);
	assert_int_equal(causes__recall(&shown_causes, s.p, &memo, NULL), 0);
	for (i = 1; i < s.p->waits_len; i++)
		assert_int_equal(causes__of(&shown_causes, i), causes__of(&divided, i));
	causes__done(&divided);
	causes__done(&shown_causes);
	cause_memo__done(&memo);
	shown__done(&s);
	waker_rows__done(&rows);
	profile__free(p);
}

static void test_wake_view__is_the_profile_itself_without_wakers(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1ms\n k k\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &chain, NULL), 0);
	assert_ptr_equal(s.p, p);
	shown__done(&s);
	profile__free(p);
}

/* Frames of wakers would decide other rules. */
static void assert_causes(const struct profile *p, const struct shown_options *opt, bool with_memo)
{
	struct cause_memo memo = { .p = p };
	struct causes of_waits, of_rows;
	struct shown s;
	u32 i;

	assert_int_equal(shown__init(&s, p, opt, NULL), 0);
	assert_int_equal(causes__init(&of_waits, p, NULL, NULL), 0);
	assert_int_equal(causes__recall(&of_rows, s.p, with_memo ? &memo : NULL, NULL), 0);
	for (i = 1; i < s.p->waits_len; i++) {
		u32 wait = s.p->waits[i].part_of;

		if (s.p->waits[i].flags & WAIT_ON_CPU)
			continue;
		assert_int_equal(causes__of(&of_rows, i), causes__of(&of_waits, wait));
		assert_int_equal(causes__class(&of_rows, i), causes__class(&of_waits, wait));
	}
	causes__done(&of_rows);
	causes__done(&of_waits);
	cause_memo__done(&memo);
	shown__done(&s);
}

static void test_wake_view__keeps_causes_and_places(void **state)
{
	struct profile *p =
		lit("on_cpu_hz 1000\non_cpu_samples 3\ntask 1/1 a on=3ms\n"
		    "wait S sys=futex blocked=3ms count=2\n u main\n k futex_wait\n"
		    " woken W unknown=1ms count=1\n"
		    "wait S sys=futex blocked=1ms\n u main\n u pthread_cond_wait\n k futex_wait\n"
		    " woken W unknown=1ms count=1\n"
		    "hot on=3ms samples=3\n u main\n"
		    "waker W 7/8 b end=unrecorded\n u main\n u pthread_mutex_unlock\n u fsync\n"
		    " k jbd2_log_wait_commit\n k io_schedule\n");
	const struct shown_options wall = { .wakers = WAKERS_ONE, .view = VIEW_WALL };
	struct labels labels;
	struct places places;
	struct shown s;
	u32 text;

	(void)state;
	assert_causes(p, &one, true);
	assert_causes(p, &one, false);
	assert_causes(p, &wall, true);
	assert_int_equal(shown__init(&s, p, &wall, NULL), 0);
	assert_int_equal(s.p->waits_len, 5);
	assert_int_equal(s.p->waits[4].flags, WAIT_ON_CPU);
	assert_int_equal(labels__init(&labels, s.p, NULL), 0);
	assert_int_equal(places__init(&places, s.p, &labels, NULL), 0);
	assert_int_equal(places__kernel(&places, s.p->waits[1].kstack, &text), 0);
	assert_string_equal(places__text(&places, text), "futex_wait");
	places__done(&places);
	labels__done(&labels);
	shown__done(&s);
	profile__free(p);
}

/* Waits with equal keys in a view of shown stacks keep their own wakers. */
static void test_wake_view__sums_up_in_every_golden_profile(void **state)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct shown s;

	(void)state;
	if (literal_load("tests/golden/wakers/profile.lit", &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(shown__init(&s, p, &one, NULL), 0);
	assert_true(s.p->waits_len > p->waits_len);
	assert_sums(p, s.p);
	shown__done(&s);
	assert_int_equal(shown__init(&s, p, &chain, NULL), 0);
	assert_sums(p, s.p);
	assert_causes(p, &chain, true);
	shown__done(&s);
	profile__free(p);
}

static void test_wake_view__survives_every_failed_allocation(void **state)
{
	struct profile *p = lit(CHAIN);
	struct shown s;
	u64 nth = 0;
	bool fired;

	(void)state;
	do {
		struct err err = { 0 };
		int r;

		mem_fail_nth(++nth);
		r = shown__init(&s, p, &chain, &err);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		assert_int_equal(fired, err.msg[0] != '\0');
		shown__done(&s);
	} while (fired);
	assert_true(nth > 10);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wake_view__splits_a_wait_by_waker),
		cmocka_unit_test(test_wake_view__follows_a_chain_to_its_end),
		cmocka_unit_test(test_wake_view__says_why_a_chain_ends),
		cmocka_unit_test(test_wake_view__says_why_there_is_no_waker),
		cmocka_unit_test(
			test_wake_view__goes_on_behind_the_user_stack_without_kernel_stacks),
		cmocka_unit_test(test_wake_view__takes_waits_that_are_divided),
		cmocka_unit_test(test_wake_view__is_the_profile_itself_without_wakers),
		cmocka_unit_test(test_wake_view__keeps_causes_and_places),
		cmocka_unit_test(test_wake_view__sums_up_in_every_golden_profile),
		cmocka_unit_test(test_wake_view__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("wake_view", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "profile/inlining.h"
#include "profile/wake_wait.h"
#include "profile/windows/merge.h"
#include "unit/profile/wakers_sample.h"

static void assert_sound(const struct profile *p)
{
	struct err err = { 0 };

	assert_non_null(p);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
}

static void test_builder__waker_makes_equal_ones_one(void **state)
{
	struct builder *b = wakers_builder();
	struct profile_waker w;
	struct profile *p;
	u32 id;

	(void)state;
	w = wakers_thread(b);
	assert_int_equal(builder__waker(b, &w, &id), 0);
	assert_int_equal(id, WAKERS_THREAD);
	w.flags = WAKER_EXITING | WAKER_SELF;
	assert_int_equal(builder__waker(b, &w, &id), 0);
	assert_int_equal(id, 4);
	p = wakers_freeze(b);
	assert_sound(p);
	assert_int_equal(p->wakers_len, 5);
	assert_int_equal(p->wakers[4].next, WAKERS_IRQ);
	profile__free(p);
}

static void test_builder__wake_adds_up_equal_ones(void **state)
{
	struct builder *b = wakers_builder();
	struct profile_wake w = wakers_part(WAKERS_THREAD, DOING_WOKEN, 10);
	struct profile *p;

	(void)state;
	w.count = 1;
	assert_int_equal(builder__wake(b, &w), 0);
	assert_int_equal(builder__wake(b, &w), 0);
	w.waker = WAKERS_STRANGER;
	assert_int_equal(builder__wake(b, &w), 0);
	p = wakers_freeze(b);
	assert_sound(p);
	assert_int_equal(p->wakes_len, 3);
	assert_int_equal(p->wakes[1].ns, 20);
	assert_int_equal(p->wakes[1].count, 2);
	profile__free(p);
}

/* Adds the waker of the sample with one u32 changed. */
static void assert_refused(size_t off, u32 value, const char *sentence)
{
	struct builder *b = wakers_builder();
	struct profile_waker w = wakers_thread(b);
	struct err err = { 0 };
	struct profile *p;
	u32 id = 7;

	*(u32 *)((char *)&w + off) = value;
	assert_int_equal(builder__waker(b, &w, &id), -EINVAL);
	assert_int_equal(id, 0);
	assert_int_equal(builder__freeze(b, &p, &err), -EINVAL);
	assert_string_equal(err.msg, sentence);
	builder__free(b);
}

#define WAKER(member) offsetof(struct profile_waker, member)

static void test_builder__waker_refuses_what_does_not_exist(void **state)
{
	static const struct {
		size_t off;
		u32 value;
		const char *sentence;
	} faults[] = {
		{ WAKER(task), 3,
		  "cannot build a profile: a waker has a thread that does not exist" },
		{ WAKER(comm), 99,
		  "cannot build a profile: a waker has a string that does not exist" },
		{ WAKER(group_comm), 99,
		  "cannot build a profile: a waker has a string that does not exist" },
		{ WAKER(context), WAKER_CONTEXTS,
		  "cannot build a profile: a waker is of an unknown kind" },
		{ WAKER(end), CHAIN_ENDS, "cannot build a profile: a waker is of an unknown kind" },
		{ WAKER(flags), 8, "cannot build a profile: a waker is of an unknown kind" },
		{ WAKER(ustack), 5,
		  "cannot build a profile: a waker has a stack that does not exist" },
		{ WAKER(kstack), 5,
		  "cannot build a profile: a waker has a stack that does not exist" },
		{ WAKER(next), 4,
		  "cannot build a profile: a waker goes on with one that does not exist" },
		{ WAKER(next), 0,
		  "cannot build a profile: a waker goes on and has an end, or neither" },
		{ WAKER(end), CHAIN_DEPTH,
		  "cannot build a profile: a waker goes on and has an end, or neither" },
		{ WAKER(context), WAKER_SOFTIRQ,
		  "cannot build a profile: an interrupt is a thread" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(faults); i++)
		assert_refused(faults[i].off, faults[i].value, faults[i].sentence);
}

static void test_builder__wake_refuses_what_does_not_exist(void **state)
{
	struct profile_wake w = wakers_part(4, DOING_RUNNING, 1);
	struct builder *b = wakers_builder();
	struct profile *p;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(builder__wake(b, &w), -EINVAL);
	assert_int_equal(builder__freeze(b, &p, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "cannot build a profile: a wake has a waker that does not exist");
	builder__free(b);
	b = wakers_builder();
	w.waker = 0;
	assert_int_equal(builder__wake(b, &w), -EINVAL);
	builder__free(b);
	b = wakers_builder();
	w = wakers_part(1, DOING_CNT, 1);
	assert_int_equal(builder__wake(b, &w), -EINVAL);
	builder__free(b);
	b = wakers_builder();
	w = wakers_part(1, DOING_RUNNING, ~0ULL);
	assert_int_equal(builder__wake(b, &w), 0);
	assert_int_equal(builder__wake(b, &w), -EINVAL);
	builder__free(b);
}

static void test_builder__waker_growth_is_what_is_allocated(void **state)
{
	struct builder *b = wakers_builder();

	(void)state;
	assert_true(builder__waker_growth(b, 1) < 4096);
	assert_true(builder__waker_growth(b, 1000000) > 1000000 * sizeof(struct profile_wake));
	builder__free(b);
}

/* Breaks the sample in one way. */
struct fault {
	void (*break_it)(struct profile *p);
	const char *sentence;
};

static void zero_waker(struct profile *p)
{
	p->wakers[0].tid = 1;
}

static void zero_wake(struct profile *p)
{
	p->wakes[0].ns = 1;
}

static void not_recorded(struct profile *p)
{
	p->hdr.wakers = 0;
}

static void header_flag(struct profile *p)
{
	p->hdr.wakers = 2;
}

static void waker_context(struct profile *p)
{
	p->wakers[1].context = WAKER_CONTEXTS;
}

static void waker_end(struct profile *p)
{
	p->wakers[1].end = CHAIN_ENDS;
}

static void waker_flags(struct profile *p)
{
	p->wakers[2].flags = 8;
}

static void waker_user_stack(struct profile *p)
{
	p->wakers[2].ustack = p->stacks_len;
}

static void waker_kernel_stack(struct profile *p)
{
	p->wakers[2].kstack = p->stacks_len;
}

static void waker_self(struct profile *p)
{
	p->wakers[2].next = 2;
}

static void waker_stops(struct profile *p)
{
	p->wakers[2].next = 0;
}

static void waker_goes_on(struct profile *p)
{
	p->wakers[2].end = CHAIN_RUNNING;
}

static void waker_comm(struct profile *p)
{
	p->wakers[2].comm = 99;
}

static void waker_group_comm(struct profile *p)
{
	p->wakers[2].group_comm = 99;
}

static void waker_task(struct profile *p)
{
	p->wakers[2].task = 3;
}

static void waker_tid(struct profile *p)
{
	p->wakers[2].tid = 11;
}

static void waker_interrupt(struct profile *p)
{
	p->wakers[1].tgid = 5;
}

static void test_profile__check_finds_faults_of_wakers(void **state)
{
	static const struct fault faults[] = {
		{ zero_waker, "element 0 of the wakers is not zero" },
		{ zero_wake, "element 0 of the wakes is not zero" },
		{ not_recorded, "there are wakers, and none were recorded" },
		{ header_flag, "the header has an unknown flag" },
		{ waker_context, "waker 1 is of an unknown kind" },
		{ waker_end, "waker 1 is of an unknown kind" },
		{ waker_flags, "waker 2 is of an unknown kind" },
		{ waker_user_stack, "waker 2 has a stack that does not exist" },
		{ waker_kernel_stack, "waker 2 has a stack that does not exist" },
		{ waker_self, "waker 2 comes before the one behind it, 2" },
		{ waker_stops, "waker 2 goes on and has an end, or neither" },
		{ waker_goes_on, "waker 2 goes on and has an end, or neither" },
		{ waker_comm, "waker 2 has a string that does not exist" },
		{ waker_group_comm, "waker 2 has a string that does not exist" },
		{ waker_task, "waker 2 has a thread that does not exist" },
		{ waker_tid, "waker 2 is another thread than it says" },
		{ waker_interrupt, "waker 1 is an interrupt and a thread" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(faults); i++) {
		struct profile *p = wakers_profile();
		struct err err = { 0 };

		assert_sound(p);
		faults[i].break_it(p);
		assert_int_equal(profile__check(p, &err), -EINVAL);
		assert_string_equal(err.msg, faults[i].sentence);
		profile__free(p);
	}
}

static void wake_waker(struct profile *p)
{
	p->wakes[1].waker = 0;
}

static void wake_doing(struct profile *p)
{
	p->wakes[2].doing = DOING_CNT;
}

static void wake_did_stack(struct profile *p)
{
	p->wakes[1].did_kstack = p->stacks_len;
}

static void wake_did_flags(struct profile *p)
{
	p->wakes[1].did_flags = WAIT_ON_CPU;
}

static void wake_counts(struct profile *p)
{
	p->wakes[2].count = 1;
}

static void wake_did(struct profile *p)
{
	p->wakes[2].did_sysno = 0;
}

static void wake_no_wait(struct profile *p)
{
	p->wakes[2].sysno = 7;
}

static void wake_blocked(struct profile *p)
{
	p->wakes[2].ns++;
}

static void wake_blocked_overflows(struct profile *p)
{
	p->wakes[1].ns = p->wakes[2].ns = 1ULL << 63;
}

static void wake_runq(struct profile *p)
{
	p->wakes[3].ns++;
}

static void wake_count(struct profile *p)
{
	p->wakes[3].count++;
}

static void wake_bursts(struct profile *p)
{
	p->wakes[3].bursts = p->wakes[3].count + 1;
}

static void wake_crowd(struct profile *p)
{
	p->wakes[3].crowd = p->wakes[3].count + 1;
}

static void wake_brief(struct profile *p)
{
	p->wakes[2].brief = 1;
}

static void wake_again(struct profile *p)
{
	p->wakes[3].again = 1;
}

static void wake_brief_ns(struct profile *p)
{
	p->wakes[3].brief_ns = 1;
}

static void test_profile__check_finds_faults_of_wakes(void **state)
{
	static const struct fault faults[] = {
		{ wake_waker, "wake 1 has a waker that does not exist" },
		{ wake_doing, "wake 2 has a doing that does not exist" },
		{ wake_did_stack, "wake 1 has a stack that does not exist" },
		{ wake_did_flags, "wake 1 has a flag that does not exist" },
		{ wake_counts, "wake 2 counts waits twice" },
		{ wake_did, "wake 2 has a wait of a waker that was not blocked" },
		{ wake_no_wait, "wake 2 is of a wait that does not exist" },
		{ wake_blocked, "the wakes of wait 1 are more than its sum" },
		{ wake_blocked_overflows, "the wakes of wait 1 are more than its sum" },
		{ wake_runq, "the wakes of wait 1 are more than its sum" },
		{ wake_count, "the wakes of wait 1 count more than it" },
		{ wake_bursts, "wake 3 has more of a kind than it counts" },
		{ wake_crowd, "wake 3 has more of a kind than it counts" },
		{ wake_brief, "wake 2 has more of a kind than it counts" },
		{ wake_again, "wake 3 has more of a kind than it counts" },
		{ wake_brief_ns, "wake 3 has brief runs without a wakeup" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(faults); i++) {
		struct profile *p = wakers_profile();
		struct err err = { 0 };

		assert_sound(p);
		faults[i].break_it(p);
		assert_int_equal(profile__check(p, &err), -EINVAL);
		assert_string_equal(err.msg, faults[i].sentence);
		profile__free(p);
	}
}

static void test_wake_waits__finds_the_wait_of_each(void **state)
{
	struct profile *p = wakers_profile();
	u32 *waits = NULL, i;

	(void)state;
	p->wakes[5].owner_tid = 1;
	assert_int_equal(wake_waits(p, &waits), 0);
	for (i = 1; i < 5; i++)
		assert_int_equal(waits[i], 1);
	assert_int_equal(waits[0], 0);
	assert_int_equal(waits[5], 0);
	assert_int_equal(wake_wait_key(&p->wakes[1]).sysno, 202);
	assert_int_equal(wake_wait_key(&p->wakes[1]).pad, 0);
	mem_free(waits);
	profile__free(p);
}

static void test_wake_waits__survives_any_lack_of_memory(void **state)
{
	struct profile *p = wakers_profile();
	u32 *waits;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = wake_waits(p, &waits);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_null(waits);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 2);
	mem_free(waits);
	profile__free(p);
}

static u64 leaf_addr(const struct profile *p, u32 stack)
{
	return p->frames[p->stacks[stack].frame].addr;
}

static void assert_same_waker(const struct profile *p, const struct profile *q, u32 i)
{
	const struct profile_waker *a = &p->wakers[i], *b = &q->wakers[i];

	assert_int_equal(p->tasks[a->task].tid, q->tasks[b->task].tid);
	assert_string_equal(profile__str(p, a->comm), profile__str(q, b->comm));
	assert_string_equal(profile__str(p, a->group_comm), profile__str(q, b->group_comm));
	assert_int_equal(leaf_addr(p, a->ustack), leaf_addr(q, b->ustack));
	assert_int_equal(leaf_addr(p, a->kstack), leaf_addr(q, b->kstack));
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->tgid, b->tgid);
	assert_int_equal(a->context, b->context);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->next, b->next);
	assert_int_equal(a->flags, b->flags);
}

static void merge_two(const struct profile *p, const struct profile *q, struct profile **ret)
{
	const struct profile *parts[] = { p, q };
	struct err err = { 0 };

	if (profile_merge(parts, 2, ret, &err))
		fail_msg("%s", err.msg);
	assert_sound(*ret);
}

/* The first wake takes its waker's chain along, before the waker itself. */
static void test_profile_merge__adds_up_wakes(void **state)
{
	struct profile *p = wakers_profile(), *q = wakers_profile(), *m = NULL;
	u32 i;

	(void)state;
	q->hdr.begin_mono_ns = q->hdr.begin_wall_ns = 10000;
	merge_two(p, q, &m);
	assert_int_equal(m->hdr.wakers, 1);
	assert_int_equal(m->wakers_len, p->wakers_len);
	for (i = 1; i < p->wakers_len; i++)
		assert_same_waker(m, p, i);
	assert_int_equal(m->wakes_len, p->wakes_len);
	for (i = 1; i < p->wakes_len; i++) {
		assert_int_equal(m->wakes[i].ns, 2 * p->wakes[i].ns);
		assert_int_equal(m->wakes[i].count, 2 * p->wakes[i].count);
		assert_int_equal(m->wakes[i].doing, p->wakes[i].doing);
		assert_int_equal(m->wakes[i].waker, p->wakes[i].waker);
		assert_int_equal(m->wakes[i].did_sysno, p->wakes[i].did_sysno);
	}
	profile__free(m);
	profile__free(p);
	profile__free(q);
}

static void test_profile_merge__of_a_part_without_wakers_keeps_those_of_the_other(void **state)
{
	struct builder *b = builder__new();
	struct profile *p = wakers_profile(), *q, *m = NULL;

	(void)state;
	wakers_add_threads(b);
	builder__header(b)->begin_mono_ns = builder__header(b)->begin_wall_ns = 10000;
	builder__header(b)->window_ns = 1500;
	builder__header(b)->max_ns = ~0ULL;
	q = wakers_freeze(b);
	merge_two(p, q, &m);
	assert_int_equal(m->hdr.wakers, 1);
	assert_int_equal(m->waits[1].blocked_ns, 1800);
	assert_int_equal(m->wakes_len, p->wakes_len);
	assert_int_equal(m->wakes[1].ns, p->wakes[1].ns);
	profile__free(m);
	profile__free(p);
	profile__free(q);
}

static void test_inlining__moves_the_stacks_of_wakers(void **state)
{
	struct profile *p = wakers_profile();
	struct inlining in;

	(void)state;
	inlining__init(&in, p);
	profile__name_frame(p, 1, "f", 0, FRAME_NAMED);
	assert_int_equal(inlining__add(&in, 1, "inlined", NULL, 0), 0);
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	assert_sound(p);
	assert_int_equal(p->stacks[p->wakes[1].ustack].depth, 2);
	assert_int_equal(p->stacks[p->wakes[1].did_ustack].frame, 2);
	assert_int_equal(p->stacks[p->wakes[1].did_kstack].frame, 4);
	assert_int_equal(p->stacks[p->wakes[1].kstack].frame, 4);
	assert_int_equal(p->stacks[p->wakers[2].ustack].frame, 3);
	assert_int_equal(p->stacks[p->wakers[1].kstack].frame, 4);
	profile__free(p);
}

static void test_names__of_wakers_are_stable(void **state)
{
	(void)state;
	assert_string_equal(waker_context_name(WAKER_HARDIRQ), "hardirq");
	assert_string_equal(waker_context_name(WAKER_CONTEXTS), "unknown");
	assert_string_equal(chain_end_name(CHAIN_UNRECORDED), "unrecorded");
	assert_string_equal(chain_end_name(CHAIN_ENDS), "unknown");
	assert_string_equal(doing_name(DOING_UNBORN), "unborn");
	assert_string_equal(doing_name(DOING_CNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder__waker_makes_equal_ones_one),
		cmocka_unit_test(test_builder__wake_adds_up_equal_ones),
		cmocka_unit_test(test_builder__waker_refuses_what_does_not_exist),
		cmocka_unit_test(test_builder__wake_refuses_what_does_not_exist),
		cmocka_unit_test(test_builder__waker_growth_is_what_is_allocated),
		cmocka_unit_test(test_profile__check_finds_faults_of_wakers),
		cmocka_unit_test(test_profile__check_finds_faults_of_wakes),
		cmocka_unit_test(test_wake_waits__finds_the_wait_of_each),
		cmocka_unit_test(test_wake_waits__survives_any_lack_of_memory),
		cmocka_unit_test(test_profile_merge__adds_up_wakes),
		cmocka_unit_test(
			test_profile_merge__of_a_part_without_wakers_keeps_those_of_the_other),
		cmocka_unit_test(test_inlining__moves_the_stacks_of_wakers),
		cmocka_unit_test(test_names__of_wakers_are_stable),
	};

	return cmocka_run_group_tests_name("profile/wakers", tests, NULL, NULL);
}

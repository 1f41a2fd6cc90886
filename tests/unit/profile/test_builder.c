/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/profile/sample.h"

struct fixture {
	struct builder *b;
	struct profile *p;
};

static int setup(void **state)
{
	static struct fixture fx;

	fx.p = NULL;
	fx.b = builder__new();
	*state = &fx;
	return fx.b ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	builder__free(fx->b);
	profile__free(fx->p);
	return 0;
}

static struct profile *freeze(struct fixture *fx)
{
	struct err err = { 0 };

	assert_int_equal(builder__freeze(fx->b, &fx->p, &err), 0);
	assert_string_equal(err.msg, "");
	return fx->p;
}

/* Freezing has to fail with this sentence. */
static void assert_fault(struct fixture *fx, const char *sentence)
{
	struct profile *untouched = NULL;
	struct err err = { 0 };
	u32 id;

	assert_int_equal(builder__str(fx->b, "after", &id), -EINVAL);
	assert_int_equal(id, 0);
	assert_int_equal(builder__freeze(fx->b, &untouched, &err), -EINVAL);
	assert_null(untouched);
	assert_non_null(strstr(err.msg, sentence));
}

static u32 str(struct fixture *fx, const char *s)
{
	u32 id;

	assert_int_equal(builder__str(fx->b, s, &id), 0);
	return id;
}

static u32 frame(struct fixture *fx, u64 addr)
{
	u32 id;

	assert_int_equal(builder__frame(fx->b, 0, addr, 0, FRAME_NO_MAPPING, &id), 0);
	return id;
}

static u32 stack(struct fixture *fx, u32 parent, u32 frame_id)
{
	u32 id;

	assert_int_equal(builder__stack(fx->b, parent, frame_id, &id), 0);
	return id;
}

static u32 task(struct fixture *fx, u64 blocked_s, u64 blocked_d, u64 preempted, u64 runq)
{
	struct profile_task t = { .tid = 1, .tgid = 1 };
	u32 id;

	t.blocked_ns[1] = blocked_s;
	t.blocked_ns[2] = blocked_d;
	t.preempted_ns = preempted;
	t.runq_ns = runq;
	t.wall_ns = blocked_s + blocked_d + preempted + runq;
	assert_int_equal(builder__task(fx->b, &t, &id), 0);
	return id;
}

static void test_builder__freeze_of_nothing_is_a_valid_profile(void **state)
{
	struct profile *p = freeze(*state);

	assert_int_equal(p->modules_len, 1);
	assert_int_equal(p->frames_len, 1);
	assert_int_equal(p->stacks_len, 1);
	assert_int_equal(p->tasks_len, 1);
	assert_int_equal(p->waits_len, 1);
	assert_string_equal(profile__str(p, 0), "");
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__free_takes_null_and_the_unfrozen(void **state)
{
	struct fixture *fx = *state;

	builder__free(NULL);
	assert_int_equal(sample_add(fx->b), 0);
}

static void test_builder__module_is_one_for_equal_records(void **state)
{
	struct fixture *fx = *state;
	struct profile_module m = { .kind = MODULE_ELF, .dev = 1, .ino = 2 };
	u32 a, b, c;

	m.path = str(fx, "/lib/x");
	assert_int_equal(builder__module(fx->b, &m, &a), 0);
	assert_int_equal(builder__module(fx->b, &m, &b), 0);
	m.ino = 3;
	assert_int_equal(builder__module(fx->b, &m, &c), 0);
	assert_int_equal(a, 1);
	assert_int_equal(b, 1);
	assert_int_equal(c, 2);
	assert_int_equal(freeze(fx)->modules[2].ino, 3);
}

static void test_builder__frame_is_one_for_equal_places(void **state)
{
	struct fixture *fx = *state;
	u32 a, b, c, d;

	assert_int_equal(builder__frame(fx->b, 0, 16, 0, FRAME_NOT_TRIED, &a), 0);
	assert_int_equal(builder__frame(fx->b, 0, 16, FRAME_RETURN, FRAME_NOT_TRIED, &b), 0);
	assert_int_equal(builder__frame(fx->b, 0, 17, 0, FRAME_NOT_TRIED, &c), 0);
	assert_int_equal(builder__frame(fx->b, 0, 16, 0, FRAME_NOT_TRIED, &d), 0);
	assert_int_equal(a, 1);
	assert_int_equal(b, 2);
	assert_int_equal(c, 3);
	assert_int_equal(d, 1);
}

static void test_builder__frame_keeps_a_known_failure(void **state)
{
	struct fixture *fx = *state;
	struct profile *p;
	u32 a, b;

	builder__frame(fx->b, 0, 1, 0, FRAME_NOT_TRIED, &a);
	builder__frame(fx->b, 0, 1, 0, FRAME_FILE_GONE, &a);
	builder__frame(fx->b, 0, 1, 0, FRAME_NOT_TRIED, &a);
	builder__frame(fx->b, 0, 1, 0, FRAME_ANON, &a);
	builder__frame(fx->b, 0, 2, 0, FRAME_ANON, &b);
	p = freeze(fx);
	assert_int_equal(p->frames[a].reason, FRAME_FILE_GONE);
	assert_int_equal(p->frames[b].reason, FRAME_ANON);
	assert_int_equal(p->frames_len, 3);
}

static void test_builder__stack_shares_the_root_side(void **state)
{
	struct fixture *fx = *state;
	u32 f = frame(fx, 1), g = frame(fx, 2);
	u32 root = stack(fx, 0, f), a = stack(fx, root, g), b = stack(fx, root, g);
	u32 recursive = stack(fx, a, g);
	struct profile *p;

	assert_int_equal(a, b);
	assert_int_equal(stack(fx, 0, f), root);
	assert_int_equal(builder__stack_flags(fx->b, a, STACK_CUT), 0);
	assert_int_equal(stack(fx, root, g), a);
	p = freeze(fx);
	assert_int_equal(p->stacks_len, 4);
	assert_int_equal(p->stacks[root].depth, 1);
	assert_int_equal(p->stacks[a].depth, 2);
	assert_int_equal(p->stacks[recursive].depth, 3);
	assert_int_equal(p->stacks[a].flags, STACK_CUT);
	assert_int_equal(p->stacks[recursive].flags, 0);
}

static void test_builder__task_is_always_new(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(task(fx, 0, 0, 0, 0), 1);
	assert_int_equal(task(fx, 0, 0, 0, 0), 2);
	assert_int_equal(freeze(fx)->tasks_len, 3);
}

static void test_builder__object_peer_can_be_added_later(void **state)
{
	const struct profile_object pipe = { .kind = OBJECT_PIPE, .ino = 99 };
	struct fixture *fx = *state;
	const struct profile *p;
	u32 id;

	assert_int_equal(builder__object(fx->b, &pipe, &id), 0);
	assert_int_equal(builder__object_peer(fx->b, id, str(fx, "worker-7")), 0);
	p = freeze(fx);
	assert_int_equal(p->objects_len, 2);
	assert_string_equal(profile__str(p, p->objects[id].peer), "worker-7");
}

static void test_builder__object_peer_must_have_an_object(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(builder__object_peer(fx->b, 1, 0), -EINVAL);
	assert_fault(fx, "a peer is of an object that does not exist");
}

static void test_builder__object_peer_must_be_a_string(void **state)
{
	const struct profile_object pipe = { .kind = OBJECT_PIPE, .ino = 99 };
	struct fixture *fx = *state;
	u32 id;

	assert_int_equal(builder__object(fx->b, &pipe, &id), 0);
	assert_int_equal(builder__object_peer(fx->b, id, 4711), -EINVAL);
	assert_fault(fx, "an object has a string that does not exist");
}

static void test_builder__wait_adds_up_equal_keys(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = { .sysno = 7, .state = 1, .blocked_ns = 70, .runq_ns = 5 };
	const struct profile_wait *sum;
	struct profile *p;
	u32 i;

	w.task = task(fx, 1000, 0, 0, 1000);
	w.count = w.samples = 2;
	w.var_us2 = 30;
	w.max_ns = 40;
	w.hist[0] = 1;
	w.hist[31] = 1;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.max_ns = 60;
	w.hist[31] = 4;
	w.count = w.samples = 5;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.max_ns = 50;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	builder__header(fx->b)->filtered = 1;
	builder__header(fx->b)->period_ns = builder__header(fx->b)->period_max_ns = 10000;
	builder__header(fx->b)->period_sum_ns = 10000;
	p = freeze(fx);
	assert_int_equal(p->waits_len, 2);
	sum = &p->waits[1];
	assert_int_equal(sum->samples, 12);
	assert_int_equal(sum->var_us2, 90);
	assert_int_equal(sum->blocked_ns, 210);
	assert_int_equal(sum->runq_ns, 15);
	assert_int_equal(sum->count, 12);
	assert_int_equal(sum->max_ns, 60);
	assert_int_equal(sum->hist[0], 3);
	assert_int_equal(sum->hist[31], 9);
	for (i = 1; i < 31; i++)
		assert_int_equal(sum->hist[i], 0);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__wait_tells_keys_apart_in_every_part(void **state)
{
	struct fixture *fx = *state;
	u32 s = stack(fx, 0, frame(fx, 1)), t = task(fx, 0, 0, 0, 0);
	const struct profile_wait keys[] = {
		{ .task = t },
		{ .task = 0 },
		{ .task = t, .ustack = s },
		{ .task = t, .kstack = s },
		{ .task = t, .sysno = -1 },
		{ .task = t, .sysno = 1 },
		{ .task = t, .state = 8 },
		{ .task = t, .flags = WAIT_OPEN },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(keys); i++)
		assert_int_equal(builder__wait(fx->b, &keys[i]), 0);
	for (i = 0; i < ARRAY_LEN(keys); i++)
		assert_int_equal(builder__wait(fx->b, &keys[i]), 0);
	assert_int_equal(freeze(fx)->waits_len, 1 + ARRAY_LEN(keys));
}

static void test_builder__wait_refuses_sums_that_overflow(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = { .count = 1 };

	w.hist[3] = UINT32_MAX;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.hist[3] = 1;
	assert_int_equal(builder__wait(fx->b, &w), -EINVAL);
	assert_fault(fx, "equal waits add up to more than a number can hold");
}

static void test_builder__wait_refuses_times_that_overflow(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = { .blocked_ns = ~0ULL };

	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.blocked_ns = 0;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.blocked_ns = 1;
	assert_int_equal(builder__wait(fx->b, &w), -EINVAL);
	assert_fault(fx, "equal waits add up");
}

static void test_builder__loss_adds_up(void **state)
{
	struct fixture *fx = *state;
	struct profile *p;

	assert_int_equal(builder__loss(fx->b, LOSS_UNNAMED, 1, 10), 0);
	assert_int_equal(builder__loss(fx->b, LOSS_UNNAMED, 2, 20), 0);
	assert_int_equal(builder__loss(fx->b, LOSS_WAITS_FULL, 5, 0), 0);
	p = freeze(fx);
	assert_int_equal(p->losses[LOSS_UNNAMED].events, 3);
	assert_int_equal(p->losses[LOSS_UNNAMED].ns, 30);
	assert_int_equal(p->losses[LOSS_WAITS_FULL].events, 5);
	assert_int_equal(p->losses[LOSS_STACKS_FULL].events, 0);
}

static void test_builder__loss_keeps_the_largest_time(void **state)
{
	struct fixture *fx = *state;
	struct profile *p;

	assert_int_equal(builder__loss(fx->b, LOSS_GAP_WAITS, 1, ~0ULL - 1), 0);
	assert_int_equal(builder__loss(fx->b, LOSS_GAP_WAITS, 1, 7), 0);
	p = freeze(fx);
	assert_int_equal(p->losses[LOSS_GAP_WAITS].events, 2);
	assert_true(p->losses[LOSS_GAP_WAITS].ns == ~0ULL);
}

static void test_builder__loss_refuses_overflow(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(builder__loss(fx->b, LOSS_UNNAMED, ~0ULL, 0), 0);
	assert_int_equal(builder__loss(fx->b, LOSS_UNNAMED, 1, 0), -EINVAL);
	assert_fault(fx, "losses add up");
}

/* One call with an id or value that does not exist, and the sentence it must lead to. */
struct fault {
	int (*call)(struct fixture *fx);
	const char *sentence;
};

static int bad_module_kind(struct fixture *fx)
{
	struct profile_module m = { .kind = MODULE_NOTE + 1 };
	u32 id;

	return builder__module(fx->b, &m, &id);
}

static int bad_module_path(struct fixture *fx)
{
	struct profile_module m = { .kind = MODULE_ELF, .path = 1 };
	u32 id;

	return builder__module(fx->b, &m, &id);
}

static int bad_module_build_id(struct fixture *fx)
{
	struct profile_module m = { .kind = MODULE_ELF, .build_id = UINT32_MAX };
	u32 id;

	return builder__module(fx->b, &m, &id);
}

static int bad_frame_module(struct fixture *fx)
{
	u32 id;

	return builder__frame(fx->b, 1, 0, 0, FRAME_NOT_TRIED, &id);
}

static int bad_frame_named(struct fixture *fx)
{
	u32 id;

	return builder__frame(fx->b, 0, 0, 0, FRAME_NAMED, &id);
}

static int bad_frame_reason(struct fixture *fx)
{
	u32 id;

	return builder__frame(fx->b, 0, 0, 0, FRAME_REASON_CNT, &id);
}

static int bad_stack_parent(struct fixture *fx)
{
	u32 id;

	return builder__stack(fx->b, 1, frame(fx, 1), &id);
}

static int bad_stack_frame(struct fixture *fx)
{
	u32 id;

	return builder__stack(fx->b, 0, frame(fx, 1) + 1, &id);
}

static int bad_stack_frame_none(struct fixture *fx)
{
	u32 id;

	return builder__stack(fx->b, 0, 0, &id);
}

static int bad_stack_flags_id(struct fixture *fx)
{
	return builder__stack_flags(fx->b, 1, STACK_CUT);
}

static int bad_stack_flags_none(struct fixture *fx)
{
	return builder__stack_flags(fx->b, 0, STACK_CUT);
}

static int bad_task_comm(struct fixture *fx)
{
	struct profile_task t = { .comm = 1 };
	u32 id;

	return builder__task(fx->b, &t, &id);
}

static int bad_task_group_comm(struct fixture *fx)
{
	struct profile_task t = { .group_comm = 1 };
	u32 id;

	return builder__task(fx->b, &t, &id);
}

static int bad_wait_task(struct fixture *fx)
{
	struct profile_wait w = { .task = task(fx, 0, 0, 0, 0) + 1 };

	return builder__wait(fx->b, &w);
}

static int bad_wait_ustack(struct fixture *fx)
{
	struct profile_wait w = { .ustack = 1 };

	return builder__wait(fx->b, &w);
}

static int bad_wait_kstack(struct fixture *fx)
{
	struct profile_wait w = { .kstack = 1 };

	return builder__wait(fx->b, &w);
}

static int bad_wait_state(struct fixture *fx)
{
	struct profile_wait w = { .state = PROFILE_STATES };

	return builder__wait(fx->b, &w);
}

static int bad_loss(struct fixture *fx)
{
	return builder__loss(fx->b, LOSS_CNT, 1, 1);
}

static void test_builder__refuses_what_does_not_exist(void **state)
{
	static const struct fault faults[] = {
		{ bad_module_kind, "a module is of an unknown kind" },
		{ bad_module_path, "a module has a string that does not exist" },
		{ bad_module_build_id, "a module has a string that does not exist" },
		{ bad_frame_module, "a frame is in a module that does not exist" },
		{ bad_frame_named, "a frame has no name and no reason for it" },
		{ bad_frame_reason, "a frame has no name and no reason for it" },
		{ bad_stack_parent, "a stack has a parent that does not exist" },
		{ bad_stack_frame, "a stack has a frame that does not exist" },
		{ bad_stack_frame_none, "a stack has a frame that does not exist" },
		{ bad_stack_flags_id, "flags are for a stack that does not exist" },
		{ bad_stack_flags_none, "flags are for a stack that does not exist" },
		{ bad_task_comm, "a thread has a string that does not exist" },
		{ bad_task_group_comm, "a thread has a string that does not exist" },
		{ bad_wait_task, "a wait has a thread that does not exist" },
		{ bad_wait_ustack, "a wait has a stack that does not exist" },
		{ bad_wait_kstack, "a wait has a stack that does not exist" },
		{ bad_wait_state, "a wait has a state that does not exist" },
		{ bad_loss, "a loss is of an unknown kind" },
	};
	struct fixture *fx = *state;
	size_t i;

	for (i = 0; i < ARRAY_LEN(faults); i++) {
		builder__free(fx->b);
		fx->b = builder__new();
		assert_non_null(fx->b);
		assert_int_equal(faults[i].call(fx), -EINVAL);
		assert_fault(fx, faults[i].sentence);
	}
}

static void test_builder__error_stays_the_first_in_every_call(void **state)
{
	struct fixture *fx = *state;
	struct profile_module m = { .kind = MODULE_ELF };
	struct profile_task t = { 0 };
	struct profile_wait w = { 0 };
	u32 f = frame(fx, 1), s = stack(fx, 0, f), id[5] = { 9, 9, 9, 9, 9 };

	assert_int_equal(bad_loss(fx), -EINVAL);
	assert_int_equal(builder__str(fx->b, "x", &id[0]), -EINVAL);
	assert_int_equal(builder__module(fx->b, &m, &id[1]), -EINVAL);
	assert_int_equal(builder__frame(fx->b, 0, 5, 0, FRAME_ANON, &id[2]), -EINVAL);
	assert_int_equal(builder__stack(fx->b, 0, f, &id[3]), -EINVAL);
	assert_int_equal(builder__stack_flags(fx->b, s, STACK_CUT), -EINVAL);
	assert_int_equal(builder__task(fx->b, &t, &id[4]), -EINVAL);
	assert_int_equal(builder__wait(fx->b, &w), -EINVAL);
	assert_int_equal(builder__loss(fx->b, LOSS_UNNAMED, 1, 1), -EINVAL);
	assert_true(!id[0] && !id[1] && !id[2] && !id[3] && !id[4]);
	assert_fault(fx, "a loss is of an unknown kind");
}

static void test_builder__freeze_refuses_header_strings_that_do_not_exist(void **state)
{
	struct fixture *fx = *state;
	struct profile_header *h = builder__header(fx->b);
	u32 *const strings[] = { &h->host,    &h->kernel, &h->arch, &h->version,
				 &h->command, &h->target, &h->hooks };
	struct profile *p = NULL;
	struct err err = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(strings); i++) {
		builder__free(fx->b);
		fx->b = builder__new();
		h = builder__header(fx->b);
		*(u32 *)((char *)h + i * sizeof(u32)) = 1;
		assert_int_equal(builder__freeze(fx->b, &p, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "the header has a string"));
		assert_null(p);
	}
	assert_ptr_equal((char *)strings[6] - (char *)strings[0], 6 * sizeof(u32));
}

static void test_builder__freeze_empties_the_builder(void **state)
{
	struct fixture *fx = *state;
	struct profile *second = NULL;
	struct err err = { 0 };
	u32 id;

	assert_int_equal(sample_add(fx->b), 0);
	freeze(fx);
	assert_int_equal(builder__str(fx->b, "x", &id), -EINVAL);
	assert_int_equal(builder__freeze(fx->b, &second, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "already frozen"));
	assert_null(second);
	assert_int_equal(profile__check(fx->p, NULL), 0);
}

static void test_builder__holds_many_records(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = {
		.state = 1, .blocked_ns = 1, .max_ns = 1, .count = 1, .samples = 1
	};
	struct profile *p;
	u32 s = 0, i;

	w.task = task(fx, 5000, 0, 0, 0);
	w.hist[0] = 1;
	for (i = 0; i < 5000; i++) {
		s = stack(fx, i % 50 ? s : 0, frame(fx, i % 1000));
		w.ustack = s;
		w.sysno = (s32)i;
		assert_int_equal(builder__wait(fx->b, &w), 0);
	}
	p = freeze(fx);
	assert_int_equal(p->waits_len, 5001);
	assert_int_equal(p->frames_len, 1001);
	assert_int_equal(p->stacks_len, 1001);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__reserve_takes_what_growth_says(void **state)
{
	struct fixture *fx = *state;
	u32 leaf = 0, i;

	for (i = 0; i < 3; i++) {
		assert_true(builder__growth(fx->b, 500) > 0);
		assert_int_equal(builder__reserve(fx->b, 500), 0);
		assert_int_equal(builder__growth(fx->b, 500), 0);
		while (!builder__growth(fx->b, 500))
			leaf = stack(fx, leaf, frame(fx, 0x1000 + leaf));
	}
	assert_true(leaf > 500);
	assert_int_equal(freeze(fx)->stacks_len, leaf + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_builder__freeze_of_nothing_is_a_valid_profile),
		TEST(test_builder__reserve_takes_what_growth_says),
		TEST(test_builder__free_takes_null_and_the_unfrozen),
		TEST(test_builder__module_is_one_for_equal_records),
		TEST(test_builder__frame_is_one_for_equal_places),
		TEST(test_builder__frame_keeps_a_known_failure),
		TEST(test_builder__stack_shares_the_root_side),
		TEST(test_builder__task_is_always_new),
		TEST(test_builder__object_peer_can_be_added_later),
		TEST(test_builder__object_peer_must_have_an_object),
		TEST(test_builder__object_peer_must_be_a_string),
		TEST(test_builder__wait_adds_up_equal_keys),
		TEST(test_builder__wait_tells_keys_apart_in_every_part),
		TEST(test_builder__wait_refuses_sums_that_overflow),
		TEST(test_builder__wait_refuses_times_that_overflow),
		TEST(test_builder__loss_adds_up),
		TEST(test_builder__loss_keeps_the_largest_time),
		TEST(test_builder__loss_refuses_overflow),
		TEST(test_builder__refuses_what_does_not_exist),
		TEST(test_builder__error_stays_the_first_in_every_call),
		TEST(test_builder__freeze_refuses_header_strings_that_do_not_exist),
		TEST(test_builder__freeze_empties_the_builder),
		TEST(test_builder__holds_many_records),
	};

	return cmocka_run_group_tests_name("profile/builder", tests, NULL, NULL);
}

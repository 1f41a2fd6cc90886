/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "profile/builder.h"

struct fixture {
	struct builder *b;
	struct profile *p;
	u32 module; /* /lib/libfoo.so */
	u32 frame; /* in it */
	u32 end; /* no CFI in it */
	u32 whole; /* stacks of one wait each */
	u32 broken;
	u32 exec;
};

static u32 truncated(struct fixture *fx, u32 module, enum stack_end end)
{
	u32 id;

	assert_int_equal(builder__truncated(fx->b, module, end, &id), 0);
	return id;
}

static void add_wait(struct fixture *fx, u32 stack, u64 ns)
{
	struct profile_wait w = { .ustack = stack, .sysno = -1, .state = 1, .blocked_ns = ns };

	w.count = w.samples = 2;
	w.hist[0] = 2;
	assert_int_equal(builder__wait(fx->b, &w), 0);
}

static int setup(void **state)
{
	static struct fixture fx;
	struct profile_module m = { .kind = MODULE_ELF, .ino = 1 };

	fx = (struct fixture){ .b = builder__new() };
	*state = &fx;
	if (!fx.b)
		return -1;
	builder__str(fx.b, "/lib/libfoo.so", &m.path);
	builder__module(fx.b, &m, &fx.module);
	builder__frame(fx.b, fx.module, 0x10, 0, FRAME_NOT_TRIED, &fx.frame);
	fx.end = truncated(&fx, fx.module, STACK_END_NO_CFI);
	builder__stack(fx.b, 0, fx.frame, &fx.whole);
	builder__stack(fx.b, 0, fx.end, &fx.broken);
	builder__stack(fx.b, fx.broken, fx.frame, &fx.broken);
	builder__stack(fx.b, 0, truncated(&fx, 0, STACK_END_EXEC), &fx.exec);
	add_wait(&fx, fx.whole, 100);
	add_wait(&fx, fx.broken, 30);
	add_wait(&fx, fx.exec, 4);
	return 0;
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

	if (builder__freeze(fx->b, &fx->p, &err) || profile__check(fx->p, &err))
		fail_msg("%s", err.msg);
	return fx->p;
}

static const char *name_of(const struct profile *p, u32 frame)
{
	return profile__str(p, p->frames[frame].name);
}

static void test_builder__truncated_is_named_when_it_is_made(void **state)
{
	struct fixture *fx = *state;
	u32 deep = truncated(fx, fx->module, STACK_END_DEPTH);
	u32 exec = truncated(fx, 0, STACK_END_EXEC);
	const struct profile *p = freeze(fx);

	assert_string_equal(name_of(p, fx->end), "[truncated: no CFI in libfoo.so]");
	assert_string_equal(name_of(p, deep), "[truncated: deeper than the limit]");
	assert_string_equal(name_of(p, exec), "[inside execve]");
	assert_int_equal(p->frames[fx->end].reason, FRAME_NAMED);
	assert_int_equal(p->frames[fx->end].flags, FRAME_TRUNCATED);
	assert_int_equal(p->frames[fx->end].addr, STACK_END_NO_CFI);
	assert_int_equal(p->frames[fx->end].module, fx->module);
}

static void test_builder__truncated_is_one_frame_for_equal_ends(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(truncated(fx, fx->module, STACK_END_NO_CFI), fx->end);
	assert_int_not_equal(truncated(fx, fx->module, STACK_END_FP), fx->end);
	assert_int_not_equal(truncated(fx, 0, STACK_END_NO_CFI), fx->end);
}

static void test_builder__truncated_keeps_long_paths_short(void **state)
{
	struct fixture *fx = *state;
	struct profile_module m = { .kind = MODULE_ELF, .ino = 2 };
	char path[5000];
	u32 module, id;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	builder__str(fx->b, path, &m.path);
	builder__module(fx->b, &m, &module);
	id = truncated(fx, module, STACK_END_NO_CFI);
	freeze(fx);
	assert_true(strlen(name_of(fx->p, id)) < 280);
	assert_int_equal(name_of(fx->p, id)[strlen(name_of(fx->p, id)) - 1], ']');
}

static void assert_refused(struct fixture *fx, int r, const char *sentence)
{
	struct err err = { 0 };
	struct profile *p;

	assert_int_equal(r, -EINVAL);
	assert_int_equal(builder__freeze(fx->b, &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, sentence));
}

static void test_builder__truncated_wants_a_module_that_exists(void **state)
{
	struct fixture *fx = *state;
	u32 id = 9;

	assert_refused(fx, builder__truncated(fx->b, 2, STACK_END_NO_CFI, &id),
		       "a stack ends in a module that does not exist");
	assert_int_equal(id, 0);
}

static void test_builder__truncated_wants_a_reason(void **state)
{
	struct fixture *fx = *state;
	u32 id = 9;

	assert_refused(fx, builder__truncated(fx->b, 0, STACK_END_ROOT, &id),
		       "a stack is truncated for no known reason");
	assert_int_equal(id, 0);
}

static void test_builder__truncated_wants_a_reason_that_exists(void **state)
{
	struct fixture *fx = *state;
	u32 id;

	assert_refused(fx, builder__truncated(fx->b, 0, STACK_END_CNT, &id),
		       "a stack is truncated for no known reason");
}

static void test_builder__stack_ends_at_a_truncated_frame(void **state)
{
	struct fixture *fx = *state;
	u32 id;

	assert_refused(fx, builder__stack(fx->b, fx->whole, fx->end, &id),
		       "a stack goes on behind the place where it is truncated");
}

static void test_builder__frame_cannot_make_a_truncated_one(void **state)
{
	struct fixture *fx = *state;
	u32 id;

	assert_refused(fx,
		       builder__frame(fx->b, 0, STACK_END_FP, FRAME_TRUNCATED, FRAME_NOT_TRIED,
				      &id),
		       "a frame has no name and no reason for it");
}

static void test_builder__freeze_counts_truncated_stacks(void **state)
{
	const struct profile *p = freeze(*state);

	/* inside execve nothing is missing */
	assert_int_equal(p->losses[LOSS_STACK_TRUNCATED].events, 2);
	assert_int_equal(p->losses[LOSS_STACK_TRUNCATED].ns, 30);
}

static void test_profile__count_unnamed_leaves_truncated_stacks_alone(void **state)
{
	struct profile *p = freeze(*state);

	assert_int_equal(profile__name_frame(p, 1, "main", 0, FRAME_NAMED), 0);
	profile__count_unnamed(p);
	assert_int_equal(p->losses[LOSS_UNNAMED].events, 0);
}

static void test_profile__stack_end_is_at_the_root(void **state)
{
	struct fixture *fx = *state;
	const struct profile *p = freeze(fx);
	u32 frame = 9;

	assert_int_equal(profile__stack_end(p, fx->broken, &frame), STACK_END_NO_CFI);
	assert_int_equal(frame, fx->end);
	assert_int_equal(profile__stack_end(p, fx->whole, &frame), STACK_END_ROOT);
	assert_int_equal(frame, 0);
	assert_int_equal(profile__stack_end(p, fx->exec, NULL), STACK_END_EXEC);
	assert_int_equal(profile__stack_end(p, 0, NULL), STACK_END_ROOT);
}

static void assert_unsound(struct profile *p, const char *sentence)
{
	struct err err = { 0 };

	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, sentence);
}

static void test_profile__check_wants_truncated_frames_to_be_sound(void **state)
{
	struct profile *p = freeze(*state);
	struct profile_frame *f = &p->frames[2], sound = *f;

	f->flags |= FRAME_RETURN;
	assert_unsound(p, "frame 2 is truncated and code");
	*f = sound;
	f->addr = STACK_END_CNT;
	assert_unsound(p, "frame 2 is truncated for no known reason");
	f->addr = STACK_END_ROOT;
	assert_unsound(p, "frame 2 is truncated for no known reason");
	*f = sound;
	f->name = 0;
	f->reason = FRAME_NOT_TRIED;
	assert_unsound(p, "frame 2 is truncated and has no name");
	*f = sound;
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_profile__check_wants_truncated_frames_at_the_root_of_user_stacks(void **state)
{
	struct fixture *fx = *state;
	struct profile *p = freeze(fx);

	p->waits[1].kstack = fx->broken;
	assert_unsound(p, "the kernel stack of wait 1 is truncated");
	p->waits[1].kstack = 0;
	p->stacks[fx->broken].frame = fx->end;
	assert_unsound(p, "stack 3 goes on behind a truncated frame");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_builder__truncated_is_named_when_it_is_made),
		TEST(test_builder__truncated_is_one_frame_for_equal_ends),
		TEST(test_builder__truncated_keeps_long_paths_short),
		TEST(test_builder__truncated_wants_a_module_that_exists),
		TEST(test_builder__truncated_wants_a_reason),
		TEST(test_builder__truncated_wants_a_reason_that_exists),
		TEST(test_builder__stack_ends_at_a_truncated_frame),
		TEST(test_builder__frame_cannot_make_a_truncated_one),
		TEST(test_builder__freeze_counts_truncated_stacks),
		TEST(test_profile__count_unnamed_leaves_truncated_stacks_alone),
		TEST(test_profile__stack_end_is_at_the_root),
		TEST(test_profile__check_wants_truncated_frames_to_be_sound),
		TEST(test_profile__check_wants_truncated_frames_at_the_root_of_user_stacks),
	};

	return cmocka_run_group_tests_name("profile/builder_truncated", tests, NULL, NULL);
}

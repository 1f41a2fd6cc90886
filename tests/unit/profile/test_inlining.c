/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "profile/builder.h"
#include "profile/inlining.h"

static void add_wait(struct builder *b, u32 task, u32 ustack, u32 kstack)
{
	struct profile_wait w = { .task = task, .ustack = ustack, .kstack = kstack, .sysno = -1 };

	w.state = 1;
	w.blocked_ns = w.max_ns = 100;
	w.count = w.samples = w.hist[0] = 1;
	assert_int_equal(builder__wait(b, &w), 0);
}

/* Waits 1 and 2 share main and f, and wait 1 goes on to g; wait 3 is in g alone. */
static struct profile *sample(void)
{
	static const char *const names[] = { "main", "f", "g", "schedule" };
	struct profile_task t = { .tid = 7, .tgid = 7, .wall_ns = 300 };
	u32 frames[ARRAY_LEN(names)], task, main_node, f_node, g_node, g_alone, kernel, i;
	struct builder *b = builder__new();
	struct profile *p = NULL;

	t.blocked_ns[1] = 300;
	assert_non_null(b);
	for (i = 0; i < ARRAY_LEN(names); i++)
		builder__frame(b, 0, 0x1000 + i, i == 3 ? FRAME_KERNEL : 0, FRAME_NOT_TRIED,
			       &frames[i]);
	builder__stack(b, 0, frames[0], &main_node);
	builder__stack(b, main_node, frames[1], &f_node);
	builder__stack(b, f_node, frames[2], &g_node);
	builder__stack(b, 0, frames[2], &g_alone);
	builder__stack(b, 0, frames[3], &kernel);
	builder__task(b, &t, &task);
	add_wait(b, task, g_node, kernel);
	add_wait(b, task, f_node, 0);
	add_wait(b, task, g_alone, 0);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	for (i = 0; i < ARRAY_LEN(names); i++)
		profile__name_frame(p, frames[i], names[i], 0, FRAME_NAMED);
	assert_int_equal(profile__check(p, NULL), 0);
	return p;
}

static u32 frame_named(const struct profile *p, const char *name)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		if (strcmp(profile__str(p, p->frames[i].name), name) == 0)
			return i;
	}
	return 0;
}

/* The stack of a wait, root first. */
static const char *stack_text(const struct profile *p, u32 wait, char *buf, size_t sz)
{
	char tail[128];
	u32 at;

	buf[0] = '\0';
	for (at = p->waits[wait].ustack; at; at = p->stacks[at].parent) {
		const struct profile_frame *f = &p->frames[p->stacks[at].frame];

		snprintf(tail, sizeof(tail), "%.120s", buf);
		snprintf(buf, sz, "%.60s%s%s%s", profile__str(p, f->name),
			 f->flags & FRAME_INLINED ? "'" : "", *tail ? " " : "", tail);
	}
	return buf;
}

static void add(struct inlining *in, const char *frame, const char *name)
{
	assert_int_equal(inlining__add(in, frame_named(in->p, frame), name, "/src/x.c", 3), 0);
}

static void test_inlining__apply_makes_frames(void **state)
{
	struct profile *p = sample();
	struct inlining in;
	struct err err = { 0 };
	char buf[256];
	u32 inner;

	(void)state;
	inlining__init(&in, p);
	add(&in, "f", "outer");
	add(&in, "main", "early");
	add(&in, "f", "inner");
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(stack_text(p, 1, buf, sizeof(buf)), "main early' f outer' inner' g");
	assert_string_equal(stack_text(p, 2, buf, sizeof(buf)), "main early' f outer' inner'");
	assert_string_equal(stack_text(p, 3, buf, sizeof(buf)), "g");
	inner = frame_named(p, "inner");
	assert_string_equal(profile__str(p, p->frames[inner].file), "/src/x.c");
	assert_int_equal(p->frames[inner].line, 3);
	assert_int_equal(p->frames[inner].addr, p->frames[frame_named(p, "f")].addr);
	/* the kernel stack is what it was */
	assert_int_equal(p->stacks[p->waits[1].kstack].depth, 1);
	profile__free(p);
}

static void test_inlining__apply_keeps_marks_at_the_leaf(void **state)
{
	struct profile *p = sample();
	struct inlining in;

	(void)state;
	p->stacks[p->waits[2].ustack].flags = STACK_CUT;
	inlining__init(&in, p);
	add(&in, "f", "outer");
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	assert_int_equal(p->stacks[p->waits[2].ustack].flags, STACK_CUT);
	assert_int_equal(p->stacks[p->stacks[p->waits[2].ustack].parent].flags, 0);
	profile__free(p);
}

static void test_inlining__apply_without_calls_changes_nothing(void **state)
{
	struct profile *p = sample();
	const struct profile_stack *stacks = p->stacks;
	struct inlining in;

	(void)state;
	inlining__init(&in, p);
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	assert_ptr_equal(p->stacks, stacks);
	profile__free(p);
}

static void test_inlining__add_refuses_what_makes_no_frame(void **state)
{
	struct profile *p = sample();
	struct inlining in;

	(void)state;
	inlining__init(&in, p);
	assert_int_equal(inlining__add(&in, 0, "x", NULL, 0), -EINVAL);
	assert_int_equal(inlining__add(&in, p->frames_len, "x", NULL, 0), -EINVAL);
	assert_int_equal(inlining__add(&in, 1, "", NULL, 0), -EINVAL);
	add(&in, "f", "outer");
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	inlining__init(&in, p);
	assert_int_equal(inlining__add(&in, frame_named(p, "outer"), "x", NULL, 0), -EINVAL);
	inlining__done(&in);
	profile__free(p);
}

static void test_inlining__add_has_no_line_without_a_file(void **state)
{
	struct profile *p = sample();
	struct inlining in;

	(void)state;
	inlining__init(&in, p);
	assert_int_equal(inlining__add(&in, 1, "x", NULL, 9), 0);
	assert_int_equal(inlining__add(&in, 1, "y", "", 9), 0);
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	assert_int_equal(p->frames[frame_named(p, "x")].line, 0);
	assert_int_equal(p->frames[frame_named(p, "y")].line, 0);
	assert_int_equal(profile__check(p, NULL), 0);
	profile__free(p);
}

static void test_inlining__apply_survives_every_failed_allocation(void **state)
{
	bool fired = true;
	u64 nth;

	(void)state;
	for (nth = 1; fired; nth++) {
		struct profile *p = sample();
		struct inlining in;
		char buf[256];
		int r;

		inlining__init(&in, p);
		mem_fail_nth(nth);
		r = inlining__add(&in, frame_named(p, "f"), "outer", NULL, 0);
		if (!r)
			r = inlining__apply(&in);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		inlining__done(&in);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		assert_int_equal(profile__check(p, NULL), 0);
		assert_string_equal(stack_text(p, 2, buf, sizeof(buf)),
				    fired ? "main f" : "main f outer'");
		profile__free(p);
	}
	assert_true(nth > 4);
}

static void test_profile__place_frame_wants_a_file(void **state)
{
	struct profile *p = sample();

	(void)state;
	assert_int_equal(profile__place_frame(p, 0, "a.c", 1), -EINVAL);
	assert_int_equal(profile__place_frame(p, 1, NULL, 1), -EINVAL);
	assert_int_equal(profile__place_frame(p, 1, "", 1), 0);
	assert_int_equal(p->frames[1].line, 0);
	assert_int_equal(profile__place_frame(p, 1, "a.c", 7), 0);
	assert_int_equal(p->frames[1].line, 7);
	/* another name is another place */
	assert_int_equal(profile__name_frame(p, 1, "x", 0, FRAME_NAMED), 0);
	assert_int_equal(p->frames[1].file, 0);
	/* and a line needs a file, a name an inlined one */
	p->frames[1].line = 7;
	assert_int_equal(profile__check(p, NULL), -EINVAL);
	p->frames[1].line = 0;
	assert_int_equal(profile__check(p, NULL), 0);
	p->frames[1].flags = FRAME_INLINED | FRAME_KERNEL;
	assert_int_equal(profile__check(p, NULL), -EINVAL);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlining__apply_makes_frames),
		cmocka_unit_test(test_inlining__apply_keeps_marks_at_the_leaf),
		cmocka_unit_test(test_inlining__apply_without_calls_changes_nothing),
		cmocka_unit_test(test_inlining__add_refuses_what_makes_no_frame),
		cmocka_unit_test(test_inlining__add_has_no_line_without_a_file),
		cmocka_unit_test(test_inlining__apply_survives_every_failed_allocation),
		cmocka_unit_test(test_profile__place_frame_wants_a_file),
	};

	return cmocka_run_group_tests_name("inlining", tests, NULL, NULL);
}

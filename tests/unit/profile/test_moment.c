/* SPDX-License-Identifier: Apache-2.0 */
/* When waits happened: through a builder, a merge and a check. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "profile/builder.h"
#include "profile/windows/merge.h"

#define SEC 1000000000ULL

/* A thread of 9 s: blocked for 6 s, waiting for a CPU for 1 s, on one for 2 s; two waits. */
static void add_thread(struct builder *b)
{
	struct profile_task t = { .tid = 7, .tgid = 7, .start_boottime_ns = 1, .wall_ns = 9 * SEC };
	struct profile_wait w = { .state = 1, .sysno = -1, .count = 2, .samples = 2 };
	u32 id;

	t.blocked_ns[1] = 6 * SEC;
	t.runq_ns = SEC;
	t.on_ns = 2 * SEC;
	assert_int_equal(builder__task(b, &t, &id), 0);
	w.task = id;
	w.blocked_ns = 6 * SEC;
	w.runq_ns = SEC;
	w.max_ns = 4 * SEC;
	w.hist[0] = 2;
	assert_int_equal(builder__wait(b, &w), 0);
}

static int add(struct builder *b, u64 end_ns, u64 blocked_ns, u64 runq_ns)
{
	const struct profile_moment m = {
		.end_ns = end_ns, .blocked_ns = blocked_ns, .runq_ns = runq_ns, .wait = 1
	};

	return builder__moment(b, &m);
}

static struct profile *freeze(struct builder *b)
{
	struct profile *p;
	struct err err = { 0 };

	if (builder__freeze(b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}

static void fill(struct builder *b)
{
	struct profile_header *h = builder__header(b);

	h->window_ns = 9 * SEC;
	h->sides = SIDE_USER | SIDE_KERNEL;
	h->ncpu = 1;
	h->max_ns = ~0ULL;
	h->max_moments = 10;
	h->begin_mono_ns = 100 * SEC;
	h->begin_wall_ns = 1000 * SEC;
	add_thread(b);
	/* in any order */
	assert_int_equal(add(b, 8 * SEC, 3 * SEC, 0), 0);
	assert_int_equal(add(b, 4 * SEC, 3 * SEC, SEC), 0);
}

static struct profile *make(void)
{
	struct builder *b = builder__new();

	fill(b);
	return freeze(b);
}

static struct profile *make_marked(void)
{
	struct builder *b = builder__new();
	struct profile_mark m = { .task = 1 };
	/* in any order, except those of one instant */
	static const struct {
		u64 at;
		u32 kind;
	} marks[] = { { 7, MARK_END },
		      { 3, MARK_END },
		      { 3, MARK_BEGIN },
		      { 5, MARK_END },
		      { 1, MARK_BEGIN } };

	fill(b);
	assert_int_equal(builder__str(b, "server:handle", &m.class), 0);
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		m.at_ns = marks[i].at * SEC;
		m.kind = marks[i].kind;
		assert_int_equal(builder__mark(b, &m), 0);
	}
	return freeze(b);
}

static void assert_refused(struct profile *p, const char *says)
{
	struct err err = { 0 };

	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, says);
}

static void test_moment__are_in_the_order_of_time(void **state)
{
	struct profile *p = make();
	struct err err;

	(void)state;
	assert_int_equal(profile__check(p, &err), 0);
	assert_int_equal(p->moments_len, 2);
	assert_int_equal(moment_begin_ns(&p->moments[0]), 0);
	assert_int_equal(p->moments[0].end_ns, 4 * SEC);
	assert_int_equal(p->moments[1].end_ns, 8 * SEC);
	profile__free(p);
}

static void test_moment__builder_refuses_impossible_ones(void **state)
{
	struct builder *b = builder__new();
	const struct profile_moment none = { .end_ns = 5, .blocked_ns = 1, .wait = 2 };

	(void)state;
	add_thread(b);
	assert_int_equal(builder__moment(b, &none), -EINVAL);
	builder__free(b);
	b = builder__new();
	add_thread(b);
	assert_int_equal(add(b, 5, 0, 0), -EINVAL);
	builder__free(b);
	b = builder__new();
	add_thread(b);
	assert_int_equal(add(b, 5, 4, 2), -EINVAL);
	builder__free(b);
	b = builder__new();
	add_thread(b);
	assert_int_equal(add(b, ~0ULL, ~0ULL, 2), -EINVAL);
	builder__free(b);
}

static void test_moment__check_sees_overlaps(void **state)
{
	struct profile *p = make();

	(void)state;
	p->moments[1].end_ns = 7 * SEC - 1;
	assert_refused(p, "moment 1 began before the one before of its thread had ended");
	p->moments[1].end_ns = 3 * SEC;
	assert_refused(p, "moment 1 is not in order");
	p->moments[1].end_ns = 9 * SEC + 1;
	assert_refused(p, "moment 1 is outside the time of its thread");
	profile__free(p);
}

static void test_moment__check_compares_sums(void **state)
{
	struct profile *p = make();

	(void)state;
	p->moments[1].blocked_ns--;
	assert_refused(p, "the moments of wait 1 are less than its sum");
	p->losses[LOSS_MOMENTS].events = 1;
	assert_int_equal(profile__check(p, NULL), 0);
	p->moments[1].blocked_ns += 2;
	assert_refused(p, "the moments of wait 1 are more than its sum");
	p->moments[1].blocked_ns--;
	p->hdr.max_moments = 0;
	assert_refused(p, "there are moments, and none were recorded");
	profile__free(p);
}

static void test_moment__merge_puts_windows_behind_each_other(void **state)
{
	struct profile *a = make(), *b = make(), *m;
	const struct profile *const parts[] = { a, b };
	struct err err = { 0 };

	(void)state;
	b->hdr.begin_mono_ns += 10 * SEC;
	b->hdr.begin_wall_ns += 10 * SEC;
	if (profile_merge(parts, 2, &m, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(m->hdr.max_moments, 10);
	assert_int_equal(m->moments_len, 4);
	assert_int_equal(m->moments[2].end_ns, 14 * SEC);
	assert_int_equal(m->moments[3].blocked_ns, 3 * SEC);
	assert_int_equal(profile__check(m, &err), 0);
	profile__free(a);
	profile__free(b);
	profile__free(m);
}

/* A begin and an end of one instant keep their order: the other way they are no request. */
static void test_moment__marks_are_sorted_and_merged(void **state)
{
	struct profile *a = make_marked(), *before = make(), *m;
	const struct profile *const parts[] = { before, a };
	struct err err = { 0 };
	u32 i;

	(void)state;
	assert_int_equal(profile__check(a, &err), 0);
	assert_int_equal(a->marks_len, 5);
	for (i = 1; i < 5; i++)
		assert_true(a->marks[i].at_ns >= a->marks[i - 1].at_ns);
	assert_int_equal(a->marks[1].kind, MARK_END);
	assert_int_equal(a->marks[2].kind, MARK_BEGIN);
	a->hdr.begin_mono_ns += 10 * SEC;
	a->hdr.begin_wall_ns += 10 * SEC;
	if (profile_merge(parts, 2, &m, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(m->marks_len, 5);
	assert_int_equal(m->marks[0].at_ns, 11 * SEC);
	assert_string_equal(profile__str(m, m->marks[0].class), "server:handle");
	assert_int_equal(profile__check(m, &err), 0);
	profile__free(m);
	profile__free(before);
	a->marks[1].at_ns = 0;
	assert_refused(a, "mark 1 is not in order");
	profile__free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moment__are_in_the_order_of_time),
		cmocka_unit_test(test_moment__builder_refuses_impossible_ones),
		cmocka_unit_test(test_moment__check_sees_overlaps),
		cmocka_unit_test(test_moment__check_compares_sums),
		cmocka_unit_test(test_moment__merge_puts_windows_behind_each_other),
		cmocka_unit_test(test_moment__marks_are_sorted_and_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

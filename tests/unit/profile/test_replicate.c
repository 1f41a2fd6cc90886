/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of waits by interval: through a builder, a merge and a check, and halved. */
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

static u32 add_task(struct builder *b, u32 tid)
{
	struct profile_task t = { .tid = tid, .tgid = tid, .start_boottime_ns = 1 };
	u32 id;

	t.blocked_ns[1] = t.wall_ns = 9 * SEC;
	assert_int_equal(builder__task(b, &t, &id), 0);
	return id;
}

static u32 add_wait(struct builder *b, u32 task, u64 ns)
{
	struct profile_wait w = { .task = task, .state = 1, .sysno = -1, .blocked_ns = ns };

	w.max_ns = ns;
	w.count = w.samples = w.hist[0] = 1;
	assert_int_equal(builder__wait(b, &w), 0);
	return builder__last_wait(b);
}

static void add_intervals(struct builder *b, u32 n, u64 length_ns)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct profile_interval iv = { i * length_ns, length_ns };

		assert_int_equal(builder__interval(b, &iv), 0);
	}
}

static int add(struct builder *b, u32 wait, u32 interval, u64 ns)
{
	const struct profile_replicate rep = { wait, interval, ns };

	return builder__replicate(b, &rep);
}

static struct profile *freeze(struct builder *b)
{
	struct profile *p;
	struct err err = { 0 };

	if (builder__freeze(b, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}

static struct profile *sample(u32 intervals, u64 begin_mono_ns)
{
	struct builder *b = builder__new();
	u32 task = add_task(b, 7), wait = add_wait(b, task, 9 * SEC);

	builder__header(b)->window_ns = 9 * SEC;
	builder__header(b)->begin_mono_ns = builder__header(b)->begin_wall_ns = begin_mono_ns;
	builder__header(b)->ncpu = 1;
	add_intervals(b, intervals, 9 * SEC / intervals);
	assert_int_equal(add(b, wait, 2, 3), 0);
	assert_int_equal(add(b, wait, 0, 5), 0);
	assert_int_equal(add(b, wait, 2, 4), 0);
	assert_int_equal(add(b, wait, 1, 0), 0);
	return freeze(b);
}

static void sorted_and_added_up(void **state)
{
	struct profile *p = sample(3, 1);

	(void)state;
	assert_int_equal(p->intervals_len, 3);
	assert_int_equal(p->replicates_len, 2);
	assert_int_equal(p->replicates[0].interval, 0);
	assert_int_equal(p->replicates[0].ns, 5);
	assert_int_equal(p->replicates[1].interval, 2);
	assert_int_equal(p->replicates[1].ns, 7);
	profile__free(p);
}

static void refuses_what_is_not_there(void **state)
{
	struct builder *b;
	struct profile_interval iv = { 0, SEC };
	int which;

	(void)state;
	for (which = 0; which < 5; which++) {
		b = builder__new();
		add_wait(b, add_task(b, 1), 9 * SEC);
		add_intervals(b, 2, SEC);
		if (which == 0)
			assert_int_equal(add(b, 2, 0, 1), -EINVAL);
		if (which == 1)
			assert_int_equal(add(b, 0, 0, 1), -EINVAL);
		if (which == 2)
			assert_int_equal(add(b, 1, 2, 1), -EINVAL);
		if (which == 3)
			assert_int_equal(builder__interval(b, &iv), -EINVAL);
		iv = (struct profile_interval){ 5 * SEC, 0 };
		if (which == 4)
			assert_int_equal(builder__interval(b, &iv), -EINVAL);
		builder__free(b);
	}
}

static void check_sees_too_much(void **state)
{
	struct profile *p = sample(3, 1);
	struct err err = { 0 };

	(void)state;
	p->replicates[1].ns = 9 * SEC - 5;
	assert_int_equal(profile__check(p, &err), 0);
	p->replicates[1].ns++;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, "the replicates of wait 1 are more than its sum");
	p->replicates[1].ns = 1;
	p->replicates[1].interval = 0;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	p->replicates[1].interval = 3;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	profile__free(p);
}

static void halved_where_there_are_too_many(void **state)
{
	struct profile *p = sample(PROFILE_INTERVALS_MAX + 44, 1);

	(void)state;
	assert_int_equal(p->intervals_len, 150);
	assert_int_equal(p->intervals[149].length_ns, 60000000);
	assert_int_equal(p->intervals[149].begin_ns, 298 * 30000000ULL);
	assert_int_equal(p->replicates_len, 2);
	assert_int_equal(p->replicates[0].ns, 5);
	assert_int_equal(p->replicates[1].interval, 1);
	profile__free(p);
}

static void merged_one_behind_the_other(void **state)
{
	struct profile *a = sample(3, SEC), *b = sample(3, 20 * SEC), *m;
	const struct profile *parts[] = { a, b };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile_merge(parts, 2, &m, &err), 0);
	assert_int_equal(profile__check(m, &err), 0);
	assert_int_equal(m->intervals_len, 6);
	assert_int_equal(m->intervals[3].begin_ns, 19 * SEC);
	assert_int_equal(m->replicates_len, 4);
	assert_int_equal(m->replicates[2].interval, 3);
	assert_int_equal(m->replicates[3].ns, 7);
	profile__free(m);
	a->intervals_len = a->replicates_len = 0;
	assert_int_equal(profile_merge(parts, 2, &m, &err), 0);
	assert_int_equal(m->intervals_len, 0);
	profile__free(m);
	profile__free(a);
	profile__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_and_added_up),
		cmocka_unit_test(refuses_what_is_not_there),
		cmocka_unit_test(check_sees_too_much),
		cmocka_unit_test(halved_where_there_are_too_many),
		cmocka_unit_test(merged_one_behind_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/hot_share.h"
#include "profile/windows/merge.h"

/* A builder with a task for each of these times on a CPU, and stacks 1, 2 and 3. */
static struct builder *begin(const u64 *on_ns, size_t len, u32 hz)
{
	struct builder *b = builder__new();
	u32 frame, id;
	size_t i;

	assert_non_null(b);
	for (i = 1; i <= 3; i++) {
		builder__frame(b, 0, i, 0, FRAME_NOT_TRIED, &frame);
		builder__stack(b, 0, frame, &id);
	}
	for (i = 0; i < len; i++) {
		struct profile_task t = { .tid = (u32)i + 1, .wall_ns = on_ns[i] };

		t.on_ns = on_ns[i];
		builder__task(b, &t, &id);
	}
	builder__header(b)->on_cpu_hz = hz;
	builder__header(b)->window_ns = 1000;
	return b;
}

static void add(struct builder *b, u32 task, u32 stack, u64 samples, u64 on_ns)
{
	struct profile_hot h = { .task = task, .ustack = stack, .sysno = -1 };

	h.samples = samples;
	h.on_ns = on_ns;
	assert_int_equal(builder__hot(b, &h), 0);
}

static struct profile *frozen(struct builder *b)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (builder__freeze(b, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}

static u64 sum_of(const struct profile *p, u32 task)
{
	u64 sum = 0;
	u32 i;

	for (i = 1; i < p->hots_len; i++)
		sum += p->hots[i].task == task ? p->hots[i].on_ns : 0;
	return sum;
}

static void test_hot_share_adds_up_to_the_ns(void **state)
{
	static const u64 on_ns[] = { 1000000007, 10, 0xffffffffffffULL << 15 };
	struct builder *b = begin(on_ns, 3, 99);
	struct profile *p;

	(void)state;
	add(b, 1, 1, 7, 0);
	add(b, 2, 1, 1000, 0);
	add(b, 1, 2, 2, 0);
	add(b, 2, 2, 1, 0);
	add(b, 1, 3, 4, 0);
	add(b, 3, 1, 1ULL << 40, 0);
	add(b, 3, 2, 3, 0);
	assert_int_equal(builder__share_on_cpu(b), 0);
	p = frozen(b);
	assert_int_equal(sum_of(p, 1), on_ns[0]);
	assert_int_equal(sum_of(p, 2), on_ns[1]);
	assert_int_equal(sum_of(p, 3), on_ns[2]);
	assert_int_equal(p->hots[1].on_ns, 538461542); /* 7 of 13, cut down */
	assert_int_equal(p->hots_len, 8);
	profile__free(p);
}

static void test_builder__hot_adds_up_equal_ones(void **state)
{
	static const u64 on_ns[] = { 100 };
	struct builder *b = begin(on_ns, 1, 99);
	struct profile *p;

	(void)state;
	add(b, 1, 1, 1, 0);
	add(b, 1, 1, 3, 0);
	builder__share_on_cpu(b);
	p = frozen(b);
	assert_int_equal(p->hots_len, 2);
	assert_int_equal(p->hots[1].samples, 4);
	assert_int_equal(p->hots[1].on_ns, 100);
	profile__free(p);
}

static void test_builder__hot_refuses_what_does_not_exist(void **state)
{
	static const struct profile_hot wrong[] = { { .samples = 1 },
						    { .task = 2, .samples = 1 },
						    { .task = 1, .ustack = 9, .samples = 1 },
						    { .task = 1, .kstack = 9, .samples = 1 } };
	static const u64 on_ns[] = { 100 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		struct builder *b = begin(on_ns, 1, 99);

		assert_int_equal(builder__hot(b, &wrong[i]), -EINVAL);
		builder__free(b);
	}
}

static const struct profile_hot *rest_of(const struct profile *p, u32 task)
{
	u32 i;

	for (i = 1; i < p->hots_len; i++) {
		if (p->hots[i].task == task && p->hots[i].flags & HOT_NOT_SAMPLED)
			return &p->hots[i];
	}
	return NULL;
}

static void test_builder__a_thread_without_samples_has_a_rest(void **state)
{
	static const u64 on_ns[] = { 100, 7, 0 };
	struct builder *b = begin(on_ns, 3, 99);
	struct profile *p;

	(void)state;
	add(b, 1, 1, 5, 0);
	builder__share_on_cpu(b);
	p = frozen(b);
	assert_null(rest_of(p, 1));
	assert_non_null(rest_of(p, 2));
	assert_int_equal(rest_of(p, 2)->on_ns, 7);
	assert_int_equal(rest_of(p, 2)->samples, 0);
	assert_null(rest_of(p, 3));
	profile__free(p);
}

/* Where nobody sampled there is nothing to be missing. */
static void test_builder__freeze_adds_no_rest_without_sampling(void **state)
{
	static const u64 on_ns[] = { 100 };
	struct profile *p = frozen(begin(on_ns, 1, 0));

	(void)state;
	assert_int_equal(p->hots_len, 1);
	assert_false(profile__has_on_cpu(p));
	profile__free(p);
}

static void test_hot_share_variance_is_that_of_a_share(void **state)
{
	static const u64 on_ns[] = { 1000000000 };
	struct builder *b = begin(on_ns, 1, 99);
	struct profile *p;

	(void)state;
	add(b, 1, 1, 70, 0);
	add(b, 1, 2, 30, 0);
	builder__share_on_cpu(b);
	p = frozen(b);
	/* s * sqrt(0.7 * 0.3 / 100) is 46 ms */
	assert_in_range(p->hots[1].var_us2, 45000ULL * 45000, 47000ULL * 47000);
	assert_in_range(p->hots[2].var_us2, 45000ULL * 45000, 47000ULL * 47000);
	profile__free(p);
}

/* One sample does not say that there is nothing else. */
static void test_hot_share_one_sample_has_an_error(void **state)
{
	static const u64 on_ns[] = { 1000000000 };
	struct builder *b = begin(on_ns, 1, 99);
	struct profile *p;

	(void)state;
	add(b, 1, 1, 1, 0);
	builder__share_on_cpu(b);
	p = frozen(b);
	assert_true(p->hots[1].var_us2 > 200000ULL * 200000);
	profile__free(p);
}

static void assert_faulty(struct profile *p)
{
	assert_int_equal(profile__check(p, NULL), -EINVAL);
}

static void test_profile__check_sees_faults_of_hots(void **state)
{
	static const u64 on_ns[] = { 100, 7 };
	struct builder *b = begin(on_ns, 2, 99);
	struct profile_hot was;
	struct profile *p;

	(void)state;
	add(b, 1, 1, 5, 0);
	builder__share_on_cpu(b);
	p = frozen(b);
	was = p->hots[1];
	p->hots[1].on_ns--;
	assert_faulty(p);
	p->hdr.filtered = 1;
	assert_int_equal(profile__check(p, NULL), 0);
	p->hots[1].on_ns += 2;
	assert_faulty(p);
	p->hots[1] = was;
	p->hots[1].task = 0;
	assert_faulty(p);
	p->hots[1] = was;
	p->hots[1].samples = 0;
	assert_faulty(p);
	p->hots[1] = was;
	p->hots[1].flags = HOT_NOT_SAMPLED;
	assert_faulty(p);
	p->hots[1] = was;
	p->hots[1].var_us2 = 1000000;
	assert_faulty(p);
	p->hots[1] = was;
	p->hots[1].ustack = 99;
	assert_faulty(p);
	p->hots[1] = was;
	p->hdr.on_cpu_hz = 0;
	assert_faulty(p);
	profile__free(p);
}

/* The window that nobody sampled is in the whole, as time without samples. */
static void test_profile_merge_keeps_time_on_a_cpu_exact(void **state)
{
	static const u64 on_ns[] = { 100 };
	struct builder *b = begin(on_ns, 1, 99);
	struct profile *sampled, *other = frozen(begin(on_ns, 1, 0)), *p = NULL;
	struct err err = { 0 };

	(void)state;
	add(b, 1, 1, 5, 0);
	builder__header(b)->on_cpu_samples = 5;
	builder__share_on_cpu(b);
	sampled = frozen(b);
	if (profile_merge((const struct profile *[]){ sampled, other, sampled }, 3, &p, &err) ||
	    profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p->hdr.on_cpu_hz, 99);
	assert_int_equal(p->hdr.on_cpu_samples, 10);
	assert_int_equal(p->hots[1].samples + (p->hots_len > 2 ? p->hots[2].samples : 0), 10);
	profile__free(p);
	profile__free(other);
	profile__free(sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hot_share_adds_up_to_the_ns),
		cmocka_unit_test(test_builder__hot_adds_up_equal_ones),
		cmocka_unit_test(test_builder__hot_refuses_what_does_not_exist),
		cmocka_unit_test(test_builder__a_thread_without_samples_has_a_rest),
		cmocka_unit_test(test_builder__freeze_adds_no_rest_without_sampling),
		cmocka_unit_test(test_hot_share_variance_is_that_of_a_share),
		cmocka_unit_test(test_hot_share_one_sample_has_an_error),
		cmocka_unit_test(test_profile__check_sees_faults_of_hots),
		cmocka_unit_test(test_profile_merge_keeps_time_on_a_cpu_exact),
	};

	return cmocka_run_group_tests_name("hot", tests, NULL, NULL);
}

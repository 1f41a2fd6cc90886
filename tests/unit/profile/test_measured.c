/* SPDX-License-Identifier: Apache-2.0 */
/* Measured waits of tasks: builder, check and merge. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/windows/merge.h"

static const struct profile_measured wait = {
	.task = 1, .count = 3, .total_ns = 9000, .max_ns = 5000, .hist = { [1] = 1, [2] = 2 }
};

/* A window of a second with one task, which waited. */
static struct profile *window(const struct profile_measured *m, u32 measured)
{
	struct builder *b = builder__new();
	struct profile_task t = { .tid = 1, .tgid = 7 };
	struct profile *p = NULL;
	struct err err = { 0 };
	u32 id;

	assert_non_null(b);
	builder__task(b, &t, &id);
	*builder__header(b) = (struct profile_header){ .window_ns = NSEC_PER_SEC,
						       .measured = measured,
						       .measured_ns = NSEC_PER_SEC / 2,
						       .measure_hits = 10,
						       .measure_cost_ns = 20 };
	builder__measured(b, m);
	if (builder__freeze(b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}

static void assert_fault(const struct profile_measured *m, u32 measured, const char *sentence)
{
	struct profile *p = window(m, measured);
	struct err err = { 0 };

	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, sentence);
	profile__free(p);
}

static void test_check__finds_faults(void **state)
{
	struct profile_measured m = wait;

	(void)state;
	assert_fault(&m, 0, "there are measured waits, and none were measured");
	m.count = 4;
	assert_fault(&m, 1, "the histogram of measured wait 1 has 3 of 4");
	m = (struct profile_measured){ .task = 1 };
	assert_fault(&m, 1, "the histogram of measured wait 1 has 0 of 0");
	m = wait;
	m.max_ns = 9001;
	assert_fault(&m, 1, "the longest of measured wait 1 exceeds its sum");
}

static void test_builder__refuses_one_without_a_task(void **state)
{
	struct builder *b = builder__new();
	struct profile_measured m = wait;

	(void)state;
	assert_int_equal(builder__measured(b, &m), -EINVAL);
	builder__free(b);
}

static void test_merge__adds_up_what_is_alike(void **state)
{
	struct profile *parts[] = { window(&wait, 1), window(&wait, 1) }, *sum = NULL;
	struct err err = { 0 };

	(void)state;
	parts[1]->hdr.begin_mono_ns = parts[1]->hdr.begin_wall_ns = NSEC_PER_SEC;
	if (profile_merge((const struct profile *const *)parts, 2, &sum, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(profile__check(sum, &err), 0);
	assert_int_equal(sum->measured_len, 2);
	assert_int_equal(sum->measured[1].count, 6);
	assert_int_equal(sum->measured[1].total_ns, 18000);
	assert_int_equal(sum->measured[1].max_ns, 5000);
	assert_int_equal(sum->measured[1].hist[2], 4);
	assert_int_equal(sum->hdr.measured, 1);
	assert_int_equal(sum->hdr.measured_ns, NSEC_PER_SEC);
	assert_int_equal(sum->hdr.measure_hits, 20);
	assert_int_equal(sum->hdr.measure_cost_ns, 40);
	profile__free(parts[0]);
	profile__free(parts[1]);
	profile__free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check__finds_faults),
		cmocka_unit_test(test_builder__refuses_one_without_a_task),
		cmocka_unit_test(test_merge__adds_up_what_is_alike),
	};

	return cmocka_run_group_tests_name("measured", tests, NULL, NULL);
}

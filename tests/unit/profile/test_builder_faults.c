/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "unit/profile/sample.h"

/* Enough records that every table of the builder grows at least once. */
static void add_bulk(struct builder *b)
{
	struct profile_module m = { .kind = MODULE_ANON };
	struct profile_wait w = { .state = 1 };
	struct profile_task t = { 0 };
	u32 i, id, module, frame, stack = 0;
	char name[32];

	for (i = 0; i < 120; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		builder__str(b, name, &id);
		m.tgid = i;
		builder__module(b, &m, &module);
		builder__frame(b, module, i, 0, FRAME_ANON, &frame);
		builder__stack(b, stack, frame, &stack);
		builder__task(b, &t, &w.task);
		w.ustack = stack;
		builder__wait(b, &w);
	}
}

/* Makes a profile of the sample and the bulk; NULL and an error, or a profile and 0. */
static int build(struct profile **ret, struct err *err)
{
	struct builder *b = builder__new();
	int r;

	if (!b)
		return err__nomem(err);
	sample_add(b);
	add_bulk(b);
	r = builder__freeze(b, ret, err);
	builder__free(b);
	return r;
}

static void test_builder__survives_each_failed_allocation(void **state)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	u32 n, failures = 0;
	int r;

	(void)state;
	for (n = 1;; n++) {
		mem_fail_nth(n);
		r = build(&p, &err);
		if (!mem_fail_fired())
			break;
		failures++;
		assert_int_equal(r, -ENOMEM);
		assert_null(p);
		assert_int_equal(err.code, -ENOMEM);
		assert_string_equal(err.msg, "out of memory");
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_int_equal(profile__check(p, NULL), 0);
	/* the builder, its 13 arrays and tables and their growth, the profile, the rests */
	assert_in_range(failures, 25, 500);
	profile__free(p);
}

/* The error must come from the call that failed, and stay. */
static void test_builder__str_keeps_its_shortage(void **state)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	struct err err = { 0 };
	u32 id = 7;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(builder__str(b, "x", &id), -ENOMEM);
	assert_int_equal(id, 0);
	assert_int_equal(builder__str(b, "y", &id), -ENOMEM);
	assert_int_equal(builder__loss(b, LOSS_UNNAMED, 1, 1), -ENOMEM);
	assert_int_equal(builder__freeze(b, &p, &err), -ENOMEM);
	assert_string_equal(err.msg, "out of memory");
	assert_null(p);
	builder__free(b);
}

static void test_profile__name_frame_survives_each_failed_allocation(void **state)
{
	struct profile *p = sample_profile(0);
	char name[4000];
	u32 n;
	int r;

	(void)state;
	assert_non_null(p);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (n = 1;; n++) {
		mem_fail_nth(n);
		r = profile__name_frame(p, 1, name, 5, FRAME_NAMED);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(p->frames[1].reason, FRAME_NOT_TRIED);
		assert_int_equal(p->frames[1].name, 0);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(n > 1);
	assert_string_equal(profile__str(p, p->frames[1].name), name);
	profile__free(p);
}

static void test_profile__check_and_budget_survive_each_failed_allocation(void **state)
{
	struct profile *p = sample_profile(0);
	struct profile_budget budget;
	struct err err = { 0 };
	u32 n;
	int r;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(profile__check(p, &err), -ENOMEM);
	assert_string_equal(err.msg, "out of memory");
	for (n = 1;; n++) {
		mem_fail_nth(n);
		r = profile__budget(p, &budget);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(budget.wall_ns, 1800);
		assert_int_equal(budget.listed_runq_ns, 150);
		assert_int_equal(budget.threads, 0);
		assert_int_equal(budget.processes, 0);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_int_equal(n, 4); /* records, their table, processes */
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder__survives_each_failed_allocation),
		cmocka_unit_test(test_builder__str_keeps_its_shortage),
		cmocka_unit_test(test_profile__name_frame_survives_each_failed_allocation),
		cmocka_unit_test(test_profile__check_and_budget_survive_each_failed_allocation),
	};

	return cmocka_run_group_tests_name("profile/builder_faults", tests, NULL, NULL);
}

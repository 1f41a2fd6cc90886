/* SPDX-License-Identifier: Apache-2.0 */
/* Which profiles become one, and when. The merge is the test's own: it adds up numbers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define profile_merge fake_merge
#include "base/mem.h"
#include "profile/windows/source.c"

#define PROFILES 80

static char merges[256]; /* "LEN:SUM" of each */
static u32 given, last; /* by the source; it gives so many */
static u32 another_at; /* the first profile of another recording; 0: none */
static u32 breaks_at, merge_fails;

/* Its number is in hdr.ncpu; its boot is a string of its own. */
static struct profile *make(u32 number, const char *boot)
{
	struct profile *p = mem_array(1, sizeof(*p));

	assert_non_null(p);
	assert_int_equal(strtab__init(&p->strings), 0);
	assert_int_equal(strtab__add(&p->strings, boot, &p->hdr.boot), 0);
	p->hdr.ncpu = number;
	return p;
}

int profile_merge(const struct profile *const *parts, size_t len, struct profile **ret,
		  struct err *err)
{
	size_t end = strlen(merges);
	u32 sum = 0;

	if (merge_fails)
		return err__set(err, -EINVAL, "they cannot be one");
	for (size_t i = 0; i < len; i++)
		sum += parts[i]->hdr.ncpu;
	snprintf(merges + end, sizeof(merges) - end, " %zu:%u", len, sum);
	*ret = make(sum, profile__str(parts[0], parts[0]->hdr.boot));
	return 0;
}

static int give(void *arg, struct profile **ret, struct err *err)
{
	(void)arg;
	if (given + 1 == breaks_at)
		return err__set(err, -EIO, "no more");
	if (given == last)
		return PROFILE_END;
	*ret = make(1, "boot");
	return ++given == another_at ? PROFILE_ANOTHER : PROFILE_NEXT;
}

static int setup(void **state)
{
	(void)state;
	given = last = another_at = breaks_at = merge_fails = 0;
	merges[0] = '\0';
	return 0;
}

static int merge_all(u32 len, struct profile **ret, struct err *err)
{
	const struct profile_source src = { give, NULL };

	last = len;
	*ret = NULL;
	return profile_source_merge(&src, ret, err);
}

static void test_few_are_merged_at_the_end(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(merge_all(3, &p, &err), 0);
	assert_string_equal(merges, " 3:3");
	profile__free(p);
	setup(state);
	assert_int_equal(merge_all(1, &p, &err), 0);
	assert_string_equal(merges, "");
	assert_int_equal(p->hdr.ncpu, 1);
	profile__free(p);
}

/* Memory does not grow with their number. */
static void test_many_are_merged_on_the_way(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(merge_all(PROFILES, &p, &err), 0);
	assert_string_equal(merges, " 32:32 32:63 18:80");
	profile__free(p);
}

/* 40 of the one recording and 40 of the other: never some of both, except in the end. */
static void test_recordings_are_merged_each_by_itself(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	another_at = 41;
	assert_int_equal(merge_all(PROFILES, &p, &err), 0);
	assert_string_equal(merges, " 32:32 32:32 18:80");
	assert_int_equal(p->hdr.ncpu, PROFILES);
	profile__free(p);
}

static void test_boots_are_merged_each_by_itself(void **state)
{
	struct profile_pile pile;
	struct profile *p = NULL;
	struct err err;

	(void)state;
	profile_pile__init(&pile);
	for (u32 i = 0; i < PROFILES; i++)
		assert_int_equal(profile_pile__add(&pile, make(1, i < 40 ? "one" : "another"),
						   &err),
				 0);
	assert_string_equal(merges, " 32:32 32:32");
	assert_int_equal(profile_pile__take(&pile, &p, &err), 0);
	assert_int_equal(p->hdr.ncpu, PROFILES);
	profile__free(p);
	/* it may be used again */
	assert_int_equal(profile_pile__take(&pile, &p, &err), 0);
	assert_null(p);
	profile_pile__done(&pile);
}

static void test_errors_are_those_of_the_source_and_the_merge(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(merge_all(0, &p, &err), -ENOENT);
	assert_string_equal(err.msg, "there is no window");
	breaks_at = 3;
	assert_int_equal(merge_all(5, &p, &err), -EIO);
	assert_string_equal(err.msg, "no more");
	assert_null(p);
	setup(state);
	merge_fails = 1;
	assert_int_equal(merge_all(5, &p, &err), -EINVAL);
	assert_string_equal(err.msg, "they cannot be one");
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_few_are_merged_at_the_end, setup),
		cmocka_unit_test_setup(test_many_are_merged_on_the_way, setup),
		cmocka_unit_test_setup(test_recordings_are_merged_each_by_itself, setup),
		cmocka_unit_test_setup(test_boots_are_merged_each_by_itself, setup),
		cmocka_unit_test_setup(test_errors_are_those_of_the_source_and_the_merge, setup),
	};

	return cmocka_run_group_tests_name("profile/source", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fleet/fleet_answer.h"
#include "fleet/question.h"

static struct view view_of(const char *text)
{
	return view__of_str(text);
}

static void test_fleet_answer__reads_cells(void **state)
{
	struct fleet_answer a;
	struct strtab strings;
	struct err err = { 0 };
	u32 id;

	(void)state;
	assert_int_equal(strtab__init(&strings), 0);
	assert_int_equal(
		fleet_answer__begin(&a,
				    view_of("{\"meta\": [{\"name\": \"]\\\"{\"}], \"data\": "
					    "[[\"a\\u00e9\\ud83d\\ude00\\n\\/\", 7, "
					    "\"18446744073709551615\", [\"x\", \"y\"], 1],"
					    "[\"\", 0, 0, [], 2]], \"rows\": 2}"),
				    &err),
		0);
	assert_int_equal(fleet_answer__row(&a, &err), 1);
	assert_int_equal(fleet_answer__text(&a, &strings, &id), 0);
	assert_string_equal(strtab__get(&strings, id), "a\xc3\xa9\xf0\x9f\x98\x80\n/");
	assert_true(fleet_answer__u64(&a) == 7);
	assert_true(fleet_answer__u64(&a) == ~0ULL);
	fleet_answer__list(&a);
	for (u32 i = 0; i < 2; i++) {
		assert_true(fleet_answer__more(&a));
		assert_int_equal(fleet_answer__text(&a, &strings, &id), 0);
		assert_string_equal(strtab__get(&strings, id), i ? "y" : "x");
	}
	assert_false(fleet_answer__more(&a));
	assert_true(fleet_answer__u64(&a) == 1);
	assert_int_equal(fleet_answer__row(&a, &err), 1);
	assert_int_equal(fleet_answer__text(&a, &strings, &id), 0);
	fleet_answer__u64(&a);
	fleet_answer__u64(&a);
	fleet_answer__list(&a);
	assert_false(fleet_answer__more(&a));
	assert_true(fleet_answer__u64(&a) == 2);
	assert_int_equal(fleet_answer__row(&a, &err), 0);
	fleet_answer__done(&a);
	strtab__done(&strings);
}

/* Rows of one number, until the end or an error. */
static int read_all(const char *text, u64 *ret_sum, struct err *err)
{
	struct fleet_answer a;
	int r = fleet_answer__begin(&a, view_of(text), err);

	*ret_sum = 0;
	if (!r)
		r = fleet_answer__row(&a, err);
	while (r == 1) {
		*ret_sum += fleet_answer__u64(&a);
		r = fleet_answer__row(&a, err);
	}
	fleet_answer__done(&a);
	return r;
}

static void test_fleet_answer__takes_no_part_of_one(void **state)
{
	static const char whole[] = "{\"data\":[[1],[2]],\"rows\":2,\"statistics\":{\"a\":0.5}}";
	char part[sizeof(whole)];
	u64 sum;

	(void)state;
	assert_int_equal(read_all(whole, &sum, NULL), 0);
	assert_int_equal(sum, 3);
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		memcpy(part, whole, len);
		part[len] = '\0';
		assert_int_equal(read_all(part, &sum, NULL), -EBADMSG);
	}
	assert_int_equal(read_all("{\"data\":[[1],[2]],\"rows\":3}", &sum, NULL), -EBADMSG);
	assert_int_equal(read_all("{\"data\":[[1],[2]]}", &sum, NULL), -EBADMSG);
	assert_int_equal(read_all("{\"data\":[[1],[2]],\"rows\":2}x", &sum, NULL), -EBADMSG);
	assert_int_equal(read_all("{\"data\":[[1,5],[2]],\"rows\":2}", &sum, NULL), -EBADMSG);
	assert_int_equal(read_all("{\"data\":[[99999999999999999999]],\"rows\":1}", &sum, NULL),
			 -EBADMSG);
}

static void test_fleet_answer__says_what_the_server_says(void **state)
{
	struct err err = { 0 };
	u64 sum;

	(void)state;
	assert_int_equal(read_all("{\"data\":[[1],\nCode: 241. DB::Exception: no memory\nmore",
				  &sum, &err),
			 -EBADMSG);
	assert_non_null(strstr(err.msg, "no memory"));
	assert_null(strstr(err.msg, "more"));
}

static void test_question__keeps_texts_in_their_literals(void **state)
{
	const char *const evil[] = { "a'; DROP TABLE x; --\\*?\n" };
	const struct vec hosts = { .data = (void *)(uintptr_t)evil,
				   .len = 1,
				   .elem_sz = sizeof(evil[0]) };
	const struct vec none = { .elem_sz = sizeof(evil[0]) };
	const struct question q = { &hosts, &none, { 0, ~0ULL }, false };
	struct sink sql;

	(void)state;
	sink__init_mem(&sql);
	question__bounds(&q, &sql);
	sink__put(&sql, "", 1);
	assert_int_equal(sink__finish(&sql, NULL), 0);
	assert_non_null(strstr(sql.buf, "match(host, '(?s)^a\\\\x{27}\\\\x{3b}\\\\x{20}DROP"));
	assert_non_null(strstr(sql.buf, "\\\\x{5c}.*.\\\\x{0a}$')"));
	sink__done(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fleet_answer__reads_cells),
		cmocka_unit_test(test_fleet_answer__takes_no_part_of_one),
		cmocka_unit_test(test_fleet_answer__says_what_the_server_says),
		cmocka_unit_test(test_question__keeps_texts_in_their_literals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/path/request_table.h"
#include "lib/made/timeline_made.h"
#include "lib/page_read.h"
#include "lib/rendered.h"
#include "render/formats.h"
#include "render/page/page_requests.h"

static char *data_of(const struct profile *p, size_t *ret_sz)
{
	char *html = rendered(p, &render_html, (struct render_options){ 0 });
	char *data = page_data(html, ret_sz);

	assert_non_null(data);
	mem_free(html);
	return data;
}

/* Of a column, the sum of its values and how many there are. */
static u64 sum(const char *data, size_t sz, const char *name, u32 *ret_rows)
{
	u64 *values = page_column(data, sz, name, ret_rows), total = 0;
	u32 i;

	if (!values)
		fail_msg("no column %s", name);
	for (i = 0; i < *ret_rows; i++)
		total += values[i];
	mem_free(values);
	return total;
}

/* More places than a page has of a class: all of their time is there. */
static void test_page_requests__have_all_time_in_a_limited_number_of_rows(void **state)
{
	struct profile *p = requests_made_many_places();
	struct request_table table;
	struct lanes lanes;
	struct arena a;
	char *data;
	size_t sz;
	u32 rows, classes;

	(void)state;
	assert_non_null(p);
	arena__init(&a);
	assert_int_equal(lanes__init(&lanes, p), 0);
	assert_int_equal(request_table__build(&lanes, NULL, NULL, &a, &table, NULL), 0);
	assert_int_equal(table.len, 1);
	assert_true(table.classes[0].rows_len > PAGE_CLASS_ROWS_MAX);
	data = data_of(p, &sz);
	assert_int_equal(sum(data, sz, "doing.ns", &rows), table.classes[0].wall_ns);
	assert_true(rows <= PAGE_CLASS_ROWS_MAX + 3);
	assert_int_equal(sum(data, sz, "class.rows", &classes), rows);
	assert_int_equal(classes, 1);
	assert_non_null(strstr(data + 4, PAGE_OTHER_PLACES));
	mem_free(data);
	lanes__done(&lanes);
	arena__done(&a);
	profile__free(p);
}

/* Spans of the slowest add up to their lengths. */
static void test_page_requests__have_the_threads_of_the_slowest(void **state)
{
	struct profile *p = timeline_made("made", 8, 800, 5);
	size_t sz;
	char *data = data_of(p, &sz);
	u32 spans, slow, classes;

	(void)state;
	assert_int_equal(sum(data, sz, "span.ns", &spans), sum(data, sz, "request.ns", &slow));
	assert_int_equal(sum(data, sz, "request.spans", &slow), spans);
	assert_int_equal(sum(data, sz, "class.slowest", &classes), slow);
	assert_true(classes == 6 && slow <= classes * REQUESTS_SLOWEST && spans > slow);
	mem_free(data);
	profile__free(p);
}

/* False when the allocation was never reached: all of them have been tried. */
static bool fail_one(const struct lanes *lanes, u64 nth)
{
	struct page_requests rq;
	struct page_rows rows;
	bool fired;
	int r = page_rows__init(&rows, false);

	assert_int_equal(r, 0);
	mem_fail_nth(nth);
	r = page_requests__init(&rq, lanes, NULL);
	if (!r)
		r = page_requests__put_rows(&rq, &rows);
	if (!r)
		r = page_rows__finish(&rows);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	page_requests__done(&rq);
	page_rows__done(&rows);
	assert_int_equal(r, fired ? -ENOMEM : 0);
	return fired;
}

static void test_page_requests__report_allocations_that_fail(void **state)
{
	struct profile *p = timeline_made("made", 8, 800, 3);
	struct lanes lanes;
	u64 nth = 1;

	(void)state;
	assert_int_equal(lanes__init(&lanes, p), 0);
	/* each of the first ones, and some of those in loops */
	while (fail_one(&lanes, nth))
		nth += 1 + nth / 16;
	assert_true(nth > 100);
	lanes__done(&lanes);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_requests__have_all_time_in_a_limited_number_of_rows),
		cmocka_unit_test(test_page_requests__have_the_threads_of_the_slowest),
		cmocka_unit_test(test_page_requests__report_allocations_that_fail),
	};

	return cmocka_run_group_tests_name("page_requests", tests, NULL, NULL);
}

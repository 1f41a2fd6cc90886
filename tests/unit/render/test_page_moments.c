/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/page/page_moments.h"

static void test_page_moments__are_all_up_to_the_limit(void **state)
{
	struct profile p = { .hdr.max_moments = 1 };
	struct page_moments m;

	(void)state;
	p.moments = mem_array(PAGE_MOMENTS_MAX, sizeof(*p.moments));
	assert_non_null(p.moments);
	p.moments_len = PAGE_MOMENTS_MAX;
	p.moments[PAGE_MOMENTS_MAX - 1].end_ns = 77;
	m = page_moments_of(&p);
	assert_true(m.are_kept && m.len == PAGE_MOMENTS_MAX && m.all == m.len && !m.until_ns);
	p.moments_len++;
	m = page_moments_of(&p);
	assert_true(m.are_kept && m.len == PAGE_MOMENTS_MAX && m.all == m.len + 1);
	assert_int_equal(m.until_ns, 77);
	mem_free(p.moments);
}

static void test_page_moments__are_not_kept_if_none_were_asked_for(void **state)
{
	struct profile p = { 0 };

	(void)state;
	assert_false(page_moments_of(&p).are_kept);
	p.hdr.max_moments = 5;
	assert_true(page_moments_of(&p).are_kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_moments__are_all_up_to_the_limit),
		cmocka_unit_test(test_page_moments__are_not_kept_if_none_were_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

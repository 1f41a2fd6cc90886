/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "abi/event.h"
#include "base/mem.h"
#include "capture/postponed.h"

static struct cs_postponed *record(u32 len)
{
	struct cs_postponed *rec = mem_alloc(sizeof(*rec));

	assert_non_null(rec);
	*rec = (struct cs_postponed){
		.kind = CS_EVENT_POSTPONED, .image = 7, .stack = 9, .len = len
	};
	memset(rec->bytes, 0xa5, sizeof(rec->bytes));
	return rec;
}

static void take(struct postponed *p, u32 len)
{
	struct cs_postponed *rec = record(len);

	assert_int_equal(postponed__take(p, rec), 0);
	mem_free(rec);
}

static void test_postponed__take_keeps_what_the_record_has(void **state)
{
	struct postponed p;

	(void)state;
	postponed__init(&p);
	take(&p, 100);
	assert_int_equal(p.walks.len, 1);
	assert_in_range(p.bytes, offsetof(struct cs_postponed, bytes) + 100, 1 << 20);
	postponed__done(&p);
}

/* A length that cannot be is cut to what a record holds. */
static void test_postponed__take_believes_no_length(void **state)
{
	struct postponed p;

	(void)state;
	postponed__init(&p);
	take(&p, ~0U);
	assert_int_equal(p.walks.len, 1);
	assert_in_range(p.bytes, sizeof(struct cs_postponed), 1 << 20);
	postponed__done(&p);
}

static void test_postponed__take_has_a_limit(void **state)
{
	struct postponed p;
	u32 i;

	(void)state;
	postponed__init(&p);
	for (i = 0; i < 2 * POSTPONED_BYTES / CS_POSTPONED_SZ; i++)
		take(&p, CS_POSTPONED_SZ);
	assert_in_range(p.bytes, POSTPONED_BYTES / 2, POSTPONED_BYTES + (1 << 20));
	assert_in_range(p.walks.len, 1, i - 1);
	postponed__done(&p);
}

/* A wait that ends in one window may be in the one before it, too. */
static void test_postponed__walk_forgets_after_two_windows(void **state)
{
	struct stacks none;
	struct postponed p;

	(void)state;
	stacks__init(&none);
	postponed__init(&p);
	take(&p, 100);
	assert_int_equal(postponed__walk(&p, &none, NULL, NULL), 0);
	assert_int_equal(p.walks.len, 1);
	take(&p, 200);
	assert_int_equal(postponed__walk(&p, &none, NULL, NULL), 0);
	assert_int_equal(p.walks.len, 1);
	assert_int_equal(postponed__walk(&p, &none, NULL, NULL), 0);
	assert_int_equal(p.walks.len, 0);
	assert_int_equal(p.bytes, 0);
	postponed__done(&p);
	stacks__done(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_postponed__take_keeps_what_the_record_has),
		cmocka_unit_test(test_postponed__take_believes_no_length),
		cmocka_unit_test(test_postponed__take_has_a_limit),
		cmocka_unit_test(test_postponed__walk_forgets_after_two_windows),
	};

	return cmocka_run_group_tests_name("postponed", tests, NULL, NULL);
}

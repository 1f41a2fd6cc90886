/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/mapping/code_places.h"

struct taken {
	u32 calls;
	struct code_place last;
	int r;
};

static int take(void *arg, struct code_place *place)
{
	struct taken *t = arg;

	t->calls++;
	if (t->r)
		return t->r;
	code_place__done(&t->last);
	t->last = *place;
	code_place__init(place, place->tgid);
	return 0;
}

/* A place that was given is its taker's: an empty one must not come after it. */
static void test_code_places__give_gives_each_once(void **state)
{
	struct taken t = { .r = -EIO };
	struct code_places cp;

	(void)state;
	code_place__init(&t.last, 0);
	code_places__init(&cp);
	assert_int_equal(code_places__see(&cp, (u32)getpid()), 0);
	assert_int_equal(code_places__see(&cp, (u32)getpid()), 0);
	assert_int_equal(code_places__give(&cp, take, &t), -EIO);
	t.r = 0;
	assert_int_equal(code_places__give(&cp, take, &t), 0);
	assert_int_equal(t.calls, 2);
	assert_int_equal(t.last.tgid, getpid());
	assert_true(t.last.tmp_fd >= 0);
	assert_int_equal(code_places__give(&cp, take, &t), 0);
	assert_int_equal(t.calls, 2);
	code_places__done(&cp);
	code_place__done(&t.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_places__give_gives_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in code of the Go runtime, as its compiler writes them, where waits begin and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/go/go_sites.h"

#define AT 0x431840
#define WAITING "\xbb\x04\x00\x00\x00" /* mov $4, %ebx */
#define RUNNABLE "\xb9\x01\x00\x00\x00" /* mov $1, %ecx */
#define NOP "\x90"

static const struct go_callees to = { .mcall = AT + 0x2000, .casgstatus = AT + 0x7a0 };

/* Code with a call of `callee` behind `before`; its sites. */
static size_t scan(const char *before, size_t before_sz, u64 callee, bool parks,
		   struct go_site *ret_first)
{
	u8 code[128] = { 0 };
	s32 rel = (s32)(callee - (AT + before_sz + 5));
	struct vec sites;
	size_t len;

	memcpy(code, before, before_sz);
	code[before_sz] = 0xe8;
	memcpy(code + before_sz + 1, &rel, sizeof(rel));
	vec__init(&sites, sizeof(struct go_site));
	assert_int_equal(go_sites_scan(view__of(code, before_sz + 5), AT, &to, parks, &sites), 0);
	len = sites.len;
	if (len)
		*ret_first = *(struct go_site *)vec__at(&sites, 0);
	/* a call that is cut off does not count */
	vec__reset(&sites);
	assert_int_equal(go_sites_scan(view__of(code, before_sz + 4), AT, &to, parks, &sites), 0);
	assert_int_equal(sites.len, 0);
	vec__done(&sites);
	return len;
}

#define SCAN(before, callee, parks, site) scan(before, sizeof(before) - 1, callee, parks, site)

static void test_scan__finds_the_end_of_a_wait(void **state)
{
	struct go_site site;

	(void)state;
	assert_int_equal(SCAN(NOP WAITING RUNNABLE, to.casgstatus, false, &site), 1);
	assert_int_equal(site.off, 11);
	assert_true(site.is_end);
	/* in any order, and not next to the call */
	assert_int_equal(SCAN(RUNNABLE NOP WAITING NOP NOP, to.casgstatus, false, &site), 1);
	assert_int_equal(site.off, 13);
}

static void test_scan__leaves_out_other_changes_and_calls(void **state)
{
	struct go_site site;

	(void)state;
	assert_int_equal(SCAN("\xbb\x02\x00\x00\x00" RUNNABLE, to.casgstatus, false, &site), 0);
	assert_int_equal(SCAN(WAITING "\xb9\x02\x00\x00\x00", to.casgstatus, false, &site), 0);
	assert_int_equal(SCAN(WAITING RUNNABLE, to.casgstatus + 1, false, &site), 0);
	assert_int_equal(SCAN(WAITING RUNNABLE, to.mcall, false, &site), 0);
	/* those of a call long before are of that call */
	assert_int_equal(SCAN(WAITING RUNNABLE NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP
				      NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP NOP,
			      to.casgstatus, false, &site),
			 0);
}

static void test_scan__finds_where_a_wait_begins(void **state)
{
	struct go_site site;

	(void)state;
	assert_int_equal(SCAN(NOP NOP, to.mcall, true, &site), 1);
	assert_int_equal(site.off, 2);
	assert_false(site.is_end);
	assert_int_equal(SCAN(WAITING RUNNABLE, to.casgstatus, true, &site), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan__finds_the_end_of_a_wait),
		cmocka_unit_test(test_scan__leaves_out_other_changes_and_calls),
		cmocka_unit_test(test_scan__finds_where_a_wait_begins),
	};

	return cmocka_run_group_tests_name("go_sites", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"
#include "render/words/loss_text.h"

static void test_loss_text__has_events_sentence_and_time(void **state)
{
	struct profile *p = lit("loss waits_full 1204 3200ms\nloss stack_cut 1\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_WAITS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1,204 waits not listed: wait table full (3.20 s)");
	assert_true(loss_text(p, LOSS_STACK_CUT, buf, sizeof(buf)));
	assert_string_equal(buf, "1 kernel stack truncated at the depth limit");
	assert_false(loss_text(p, LOSS_RECURSION, buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_int_equal(loss_kinds(p), 2);
	profile__free(p);
}

static void test_loss_text__counts_one_as_one(void **state)
{
	struct profile *p = lit("loss waits_full 11 2s\nloss recursion 1\n"
				"loss targets_full 1\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_WAITS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "11 waits not listed: wait table full (2.00 s)");
	assert_true(loss_text(p, LOSS_RECURSION, buf, sizeof(buf)));
	assert_string_equal(buf, "1 event dropped by the kernel because our program was running");
	assert_true(loss_text(p, LOSS_TARGETS_FULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1 child not followed, nor its descendants: process table "
				 "full");
	profile__free(p);
}

/* With record --proc nobody counts waits. */
static void test_loss_text__counts_visits_of_proc(void **state)
{
	struct profile *p =
		lit("visit_hz 19\nvisit_sources 2\nloss stack_unread 126 6s\nloss clock_back 2\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_STACK_UNREAD, buf, sizeof(buf)));
	assert_string_equal(buf,
			    "126 visits listed without a stack: it could not be read (6.00 s)");
	assert_true(loss_text(p, LOSS_CLOCK_BACK, buf, sizeof(buf)));
	assert_string_equal(buf, "2 intervals of negative length, counted as zero");
	profile__free(p);
}

static void test_loss_text__tells_time_without_events(void **state)
{
	struct profile *p = lit("loss clock_back 0 5us\n");
	char buf[256];

	(void)state;
	assert_true(loss_text(p, LOSS_CLOCK_BACK, buf, sizeof(buf)));
	assert_string_equal(buf, "0 intervals of negative length, counted as zero (5.00 µs)");
	assert_int_equal(loss_kinds(p), 1);
	profile__free(p);
}

static void test_loss_kinds__of_nothing_is_zero(void **state)
{
	struct profile *p = lit("");

	(void)state;
	assert_int_equal(loss_kinds(p), 0);
	profile__free(p);
}

static void test_loss_text__fits_its_buffer_for_every_kind(void **state)
{
	char buf[256];
	int i;

	(void)state;
	for (i = 0; i < LOSS_CNT; i++) {
		struct profile p = { 0 };

		p.losses[i] = (struct profile_loss){ ~0ULL, ~0ULL };
		assert_int_equal(loss_kinds(&p), i != LOSS_UNNAMED);
		if (i == LOSS_UNNAMED)
			continue;
		assert_true(loss_text(&p, (enum profile_loss_kind)i, buf, sizeof(buf)));
		assert_true(strlen(buf) < 150);
		assert_int_equal(buf[strlen(buf) - 1], ')');
	}
}

static void test_names_text__is_no_loss_and_says_what_to_do(void **state)
{
	struct profile *p =
		lit("module pg elf /usr/lib/postgresql/15/bin/postgres\n"
		    "task 1/1 a\nwait S blocked=1s\n u @pg 0x1234 !no_symbol\n u main @pg\n"
		    "loss unnamed 1 1s\n");
	char buf[LOSS_TEXT_SZ];

	(void)state;
	assert_int_equal(loss_kinds(p), 0);
	assert_true(names_text(p, NULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1 address in postgres has no name (stripped): coldspot doctor "
				 "/usr/lib/postgresql/15/bin/postgres");
	assert_true(names_text(p, "postgresql-15-dbgsym", buf, sizeof(buf)));
	assert_string_equal(buf, "1 address in postgres has no name (stripped): apt install "
				 "postgresql-15-dbgsym");
	profile__free(p);
	p = lit("module m elf /srv/$(reboot)/a\n"
		"task 1/1 a\nwait S blocked=1s\n u @m 0x1234 !no_symbol\n u main @m\n"
		"loss unnamed 1 1s\n");
	assert_true(names_text(p, NULL, buf, sizeof(buf)));
	assert_string_equal(buf, "1 address in a has no name (stripped)");
	profile__free(p);
	p = lit("task 1/1 a\nwait S blocked=1s\n u f\n");
	assert_false(names_text(p, NULL, buf, sizeof(buf)));
	assert_string_equal(buf, "");
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss_text__has_events_sentence_and_time),
		cmocka_unit_test(test_loss_text__counts_one_as_one),
		cmocka_unit_test(test_loss_text__counts_visits_of_proc),
		cmocka_unit_test(test_loss_text__tells_time_without_events),
		cmocka_unit_test(test_loss_kinds__of_nothing_is_zero),
		cmocka_unit_test(test_names_text__is_no_loss_and_says_what_to_do),
		cmocka_unit_test(test_loss_text__fits_its_buffer_for_every_kind),
	};

	return cmocka_run_group_tests_name("loss_text", tests, NULL, NULL);
}

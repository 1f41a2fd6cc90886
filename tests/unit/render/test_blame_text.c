/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/words/blame_text.h"

#define PART(k, t, ...)                                                                            \
	{                                                                                          \
		.kind = (k), .who = { __VA_ARGS__ }, .class = CLASS_NONE, .object = "",            \
		.place = "", .ns = (t)                                                             \
	}

static void assert_text(struct blame_part *parts, u32 len, const char *expected)
{
	struct blame blame = { .parts = parts, .len = len };
	struct sink out;
	size_t sz;
	char *text;
	u32 i, k;

	for (i = 0; i < len; i++) {
		blame.ns += parts[i].ns;
		for (k = 0; k < BLAME_LINKS; k++)
			parts[i].who[k] = parts[i].who[k] ? parts[i].who[k] : "";
	}
	sink__init_mem(&out);
	blame_put_text(&blame, &out);
	assert_int_equal(sink__finish(&out, NULL), 0);
	text = sink__steal(&out, &sz);
	sink__done(&out);
	assert_non_null(text);
	assert_string_equal(text, expected);
	mem_free(text);
}

static void test_blame_text__names_a_thread_where_it_changes(void **state)
{
	struct blame_part parts[] = {
		PART(BLAME_BLOCKED, 50, "a (3 threads)"),
		PART(BLAME_RUNQ, 20, "a (2 threads)"),
		PART(BLAME_RUNQ, 16, "a-1"),
		PART(BLAME_WOKEN, 8, ""),
		PART(BLAME_UNBORN, 6, "a-1"),
	};

	(void)state;
	assert_text(parts, ARRAY_LEN(parts),
		    "50% of it a (3 threads) blocked, 20% waiting for a CPU, 16% a-1 waiting for a "
		    "CPU, 8% woken, waiting for a CPU, 6% a-1 not started yet");
}

static void test_blame_text__says_who_waited_for_whom(void **state)
{
	struct blame_part parts[] = {
		PART(BLAME_BLOCKED, 70, "nginx-7", "app (4 threads)", "db-9"),
		PART(BLAME_RUNQ, 20, "nginx-7", "app (4 threads)", "db-9"),
		PART(BLAME_RUNQ, 10, "nginx-7", "app (4 threads)"),
	};

	(void)state;
	parts[0].class = CLASS_WORK;
	parts[0].cause = CAUSE_DISK_SYNC;
	parts[0].object = "file /srv/wal";
	assert_text(parts, ARRAY_LEN(parts),
		    "70% of it nginx-7 waiting for app (4 threads) waiting for db-9 in disk-sync "
		    "for file /srv/wal, 20% waiting for a CPU, 10% nginx-7 waiting for app (4 "
		    "threads) waiting for a CPU");
}

static void test_blame_text__has_the_places_of_waits_and_of_running_threads(void **state)
{
	struct blame_part parts[] = {
		PART(BLAME_BLOCKED, 60, "a-1"),
		PART(BLAME_RUNNING, 30, "a-1"),
		PART(BLAME_RUNNING, 10, "a-1"),
	};

	(void)state;
	parts[0].class = CLASS_WORK;
	parts[0].cause = CAUSE_SLEEP;
	parts[0].place = "retry < main";
	parts[1].sampled = true;
	parts[1].place = "parse";
	parts[2].place = "unlock";
	assert_text(
		parts, ARRAY_LEN(parts),
		"60% of it a-1 in sleep at retry < main, 30% running parse, 10% running, last in "
		"unlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blame_text__names_a_thread_where_it_changes),
		cmocka_unit_test(test_blame_text__says_who_waited_for_whom),
		cmocka_unit_test(test_blame_text__has_the_places_of_waits_and_of_running_threads),
	};

	return cmocka_run_group_tests_name("blame_text", tests, NULL, NULL);
}

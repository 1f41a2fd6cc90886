/* SPDX-License-Identifier: Apache-2.0 */
/* The views of where threads waited, as sqlite3 shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "recorded.h"
#include "recording/check.h"

#define HEAD                                                                                       \
	"host a\nwindow 10s\nmodule libc elf /usr/lib/libc.so.6\nmodule pg elf /opt/bin/pg\n"      \
	"module kernel kernel [kernel]\n"

static struct workdir dir;

static void fail_on_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static void assert_sound(const char *name)
{
	struct recording_checked sum;

	assert_int_equal(recording_check(workdir__path(&dir, name), fail_on_fault, NULL, &sum,
					 NULL),
			 0);
}

static void assert_rows(const char *name, const char *query, const char *want)
{
	char *rows;
	size_t sz;

	assert_true(workdir__run(&dir, "sqlite3 %s \"%s\" >rows", name, query));
	rows = workdir__read(&dir, "rows", &sz);
	if (sz != strlen(want) || memcmp(rows, want, sz) != 0)
		fail_msg("%s: '%.*s', not '%s'", query, (int)sz, rows, want);
	mem_free(rows);
}

static void test_places__are_the_first_function_that_does_more_than_wait(void **state)
{
	static const char *const texts[] = {
		HEAD
		"task 4/4 main\n"
		"wait S blocked=4s count=3 max=2s\n u @pg 0x100 +0x8 main\n"
		" u @pg 0x110 +0x8 LWLockAcquire\n"
		" u @pg 0x120 +0x8 PGSemaphoreLock\n u @libc 0x130 +0x8 do_futex_wait\n"
		" k @kernel 0x140 +0x8 schedule\n"
		"wait S blocked=3s\n u @pg 0x100 +0x8 main\n u @pg 0x1234 !no_symbol\n"
		" u @libc 0x150 +0x8 poll\n"
		"wait S blocked=2s\n u @libc 0x160 +0x8 start_thread\n u @libc 0x170 +0x8 sleep\n"
		"task 4/5 kworker flags=kthread\n"
		"wait D blocked=1s\n k @kernel 0x180 +0x8 kthread\n"
		" k @kernel 0x190 +0x8 worker_thread\n"
		" k @kernel 0x1a0 +0x8 io_schedule\n k @kernel 0x1b0 +0x8 __schedule\n",
		NULL,
	};

	(void)state;
	if (!workdir_have("sqlite3"))
		skip();
	record_file(&dir, "places", texts);
	assert_sound("places");
	assert_rows("places",
		    "SELECT process, comm, tid, cause, function, caller, library, seconds, count"
		    " FROM places ORDER BY seconds DESC",
		    "main|main|4|everything|PGSemaphoreLock|LWLockAcquire|libc.so.6|4.0|3\n"
		    "main|main|4|everything|[pg+0x1234]|main|libc.so.6|3.0|1\n"
		    "main|main|4|everything|sleep|start_thread|libc.so.6|2.0|1\n"
		    "kworker|kworker|5|everything|worker_thread|kthread|[kernel]|1.0|1\n");
	assert_rows("places", "SELECT sum(seconds) FROM places WHERE function LIKE '%Lock%'",
		    "4.0\n");
	assert_rows("places",
		    "SELECT s.depth, s.frame, s.module FROM stacks s JOIN places p ON"
		    " p.window = s.window AND p.stack = s.id WHERE p.function LIKE '%Lock%'"
		    " ORDER BY s.depth",
		    "1|do_futex_wait|libc.so.6\n2|PGSemaphoreLock|pg\n3|LWLockAcquire|pg\n"
		    "4|main|pg\n");
	assert_rows("places", "SELECT count(DISTINCT id) FROM stacks", "4\n");
}

static void test_places__of_waits_that_differ_otherwise_are_one(void **state)
{
	static const char *const texts[] = {
		HEAD "task 4/4 main\n"
		     "wait S sys=0 blocked=1s\n u @pg 0x100 +0x8 main\n u @libc 0x1c0 +0x8 read\n"
		     " k @kernel 0x1d0 +0x8 a\n"
		     "wait D sys=0 blocked=2s\n u @pg 0x100 +0x8 main\n u @libc 0x1c0 +0x8 read\n"
		     " k @kernel 0x1e0 +0x8 b\n"
		     "wait S blocked=3s\n",
		NULL,
	};

	(void)state;
	if (!workdir_have("sqlite3"))
		skip();
	record_file(&dir, "same", texts);
	assert_sound("same");
	/* one without a stack has neither function nor library */
	assert_rows("same",
		    "SELECT function, caller, library, stack > 0, seconds, count"
		    " FROM places ORDER BY function DESC",
		    "main||libc.so.6|1|3.0|2\n|||0|3.0|1\n");
}

/* Stacks that all have their own functions, the later ones with more time. */
static char *many_stacks(u32 len)
{
	size_t sz = (size_t)len * 160 + 512, at;
	char *text = mem_alloc(sz);
	u32 i;

	assert_non_null(text);
	at = (size_t)snprintf(text, sz, HEAD "task 4/4 main\n");
	for (i = 0; i < len; i++)
		at += (size_t)
			snprintf(text + at, sz - at,
				 "wait S blocked=%ums\n u @pg 0x100 +0x8 main\n"
				 " u @pg 0x%x +0x8 function_with_quite_a_long_name_and_number_%u\n",
				 10 + i, 0x1000 + 16 * i, i);
	return text;
}

static void test_places__keep_the_longest_and_all_time(void **state)
{
	enum { STACKS = 2000 };
	char *text = many_stacks(STACKS), want[64];

	(void)state;
	if (!workdir_have("sqlite3"))
		skip();
	record_file(&dir, "many", (const char *[]){ text, text, NULL });
	mem_free(text);
	assert_sound("many");
	assert_rows("many", "SELECT window, function FROM places WHERE seconds = 2.009 ORDER BY 1",
		    "1|function_with_quite_a_long_name_and_number_1999\n"
		    "2|function_with_quite_a_long_name_and_number_1999\n");
	/* the rest is one row for each thread and cause, and has the shortest stacks */
	snprintf(want, sizeof(want), "%u\n%u\n", STACKS, STACKS);
	assert_rows("many", "SELECT sum(count) FROM places GROUP BY window", want);
	assert_rows("many", "SELECT count(*), function, stack FROM places WHERE count > 1",
		    "2||0\n");
	assert_rows("many",
		    "SELECT round(sum(seconds), 3) = (SELECT round(sum(blocked_ns) / 1e9, 3)"
		    " FROM waits) FROM places",
		    "1\n");
	assert_rows("many",
		    "SELECT count(*) > 200 AND count(*) < 800 FROM places WHERE window = 1"
		    " AND stack > 0",
		    "1\n");
	assert_rows("many",
		    "SELECT count(*) > 20 AND count(*) < 100 FROM places WHERE window = 2"
		    " AND stack > 0",
		    "1\n");
	/* nobody refers to a frame or node that is not there, or is not referred to */
	assert_rows("many",
		    "SELECT count(*) FROM stack_nodes n LEFT JOIN stack_frames f USING (window,"
		    " frame) WHERE f.frame IS NULL",
		    "0\n");
}

static int set_up(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places__are_the_first_function_that_does_more_than_wait),
		cmocka_unit_test(test_places__of_waits_that_differ_otherwise_are_one),
		cmocka_unit_test(test_places__keep_the_longest_and_all_time),
	};

	return cmocka_run_group_tests_name("recording/places", tests, set_up, tear_down);
}

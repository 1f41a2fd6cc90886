/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks ran while others were ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/model/holders.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC

#define ROWS                                                                                       \
	"task 1/1 hog on=100ms\n"                                                                  \
	"hot on=60ms samples=6\n u hog\n u spin\n"                                                 \
	"hot on=40ms samples=4\n u hog\n u sort\n"                                                 \
	"task 1/2 quick on=7ms\n"                                                                  \
	"hot on=7ms samples=1\n u quick\n"                                                         \
	"task 1/3 server on=9ms\n"                                                                 \
	"hot on=9ms samples=1\n u server\n"                                                        \
	"wait S runq=300ms owner=1 count=0 samples=9 flags=runnable,visited\n u server\n"          \
	"wait S runq=4ms owner=2 count=0 samples=9 flags=runnable,visited\n u server\n"            \
	"wait S runq=80ms count=0 samples=9 flags=runnable,visited\n u server\n u last\n"          \
	"wait S blocked=9ms runq=2ms owner=3 count=0 samples=2 flags=visited\n u server\n u lock\n"

static void test_holders__have_the_time_of_others(void **state)
{
	struct profile *p = lit("window 1s\nvisit_hz 19\nvisit_sources 4\non_cpu_hz 19\n" ROWS);
	struct holders h;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(holders__build(p, &a, &h), 0);
	assert_int_equal(h.len, 2);
	assert_string_equal(profile__str(p, p->tasks[h.rows[0].task].comm), "hog");
	assert_int_equal(h.rows[0].on_ns, 100 * MS);
	assert_int_equal(h.rows[0].others_ns, 300 * MS);
	assert_string_equal(h.rows[0].place, "spin < hog");
	assert_string_equal(profile__str(p, p->tasks[h.rows[1].task].comm), "quick");
	assert_int_equal(h.rows[1].others_ns, 4 * MS);
	arena__done(&a);
	profile__free(p);
}

#define CALLER                                                                                     \
	"task 1/4 caller on=10ms\n"                                                                \
	"hot on=10ms samples=1\n u caller\n"                                                       \
	"wait S blocked=60ms count=0 samples=6 flags=visited\n u caller\n u read\n"                \
	" u @n 0x1 [running]\n k pipe_read\n"                                                      \
	"wait S runq=20ms count=0 samples=2 flags=runnable,visited\n u caller\n"                   \
	" u @n 0x2 [no CPU]\n"                                                                     \
	"wait S blocked=70ms count=0 samples=6 flags=visited\n u caller\n u @n 0x3 [sleep]\n"      \
	"task 1/5 other\n"                                                                         \
	"wait S runq=900ms owner=4 count=0 samples=9 flags=runnable,visited\n u server\n"

/* Its thread was blocked, or had no CPU, but nothing else ran on the loop. */
static void test_holders__count_what_only_their_thread_waited_for(void **state)
{
	struct profile *p = lit("window 1s\nvisit_hz 19\nvisit_sources 4\non_cpu_hz 19\n"
				"module n note [tasks]\n" ROWS CALLER);
	struct holders h;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(holders__build(p, &a, &h), 0);
	assert_int_equal(h.len, 3);
	assert_string_equal(profile__str(p, p->tasks[h.rows[0].task].comm), "caller");
	assert_int_equal(h.rows[0].on_ns, 90 * MS);
	assert_string_equal(h.rows[0].place, "read < caller");
	arena__done(&a);
	profile__free(p);
}

/* Threads that are ready wait for a CPU, not for each other. */
static void test_holders__of_threads_are_none(void **state)
{
	struct profile *p = lit("window 1s\nvisit_hz 19\nvisit_sources 2\non_cpu_hz 19\n" ROWS);
	struct holders h;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(holders__build(p, &a, &h), 0);
	assert_int_equal(h.len, 0);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holders__have_the_time_of_others),
		cmocka_unit_test(test_holders__count_what_only_their_thread_waited_for),
		cmocka_unit_test(test_holders__of_threads_are_none),
	};

	return cmocka_run_group_tests_name("holders", tests, NULL, NULL);
}

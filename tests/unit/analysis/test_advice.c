/* SPDX-License-Identifier: Apache-2.0 */
/* Advice that fits what was recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/hints.h"
#include "lib/lit.h"

/* The text of the first hint; "" if there is none. */
static const char *hint_of(const char *literal)
{
	struct profile *p = lit(literal);
	struct hints hints;
	struct arena a;
	struct top top;

	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_CAUSE, NULL, &a, &top, NULL), 0);
	assert_int_equal(hints__choose(p, NULL, &top, &hints), 0);
	arena__done(&a);
	profile__free(p);
	return hints.len ? hints.list[0].text : "";
}

static void test_hints__name_the_database_of_the_rule(void **state)
{
	(void)state;
	assert_non_null(strstr(hint_of("arch x86_64\nmodule o elf /usr/bin/postgres\n"
				       "task 1/1 postgres\nwait S sys=epoll_wait blocked=1s\n"
				       " u @o 0x1 PostgresMain\n u @o 0x2 ProcSleep\n"
				       " k ep_poll\n"),
			       "pg_locks"));
	assert_non_null(strstr(hint_of("arch x86_64\nmodule o elf /usr/sbin/mariadbd\n"
				       "task 1/1 mariadbd\nwait S sys=futex blocked=1s\n"
				       " u @o 0x1 row_mysql_handle_errors(dberr_t*)\n"
				       " u @o 0x2 lock_wait(que_thr_t*)\n k futex_wait\n"),
			       "INNODB"));
}

static void test_hints__advise_to_record_children_that_are_not(void **state)
{
	(void)state;
	assert_non_null(strstr(hint_of("arch x86_64\ntask 1/1 sh\nwait S sys=wait4 blocked=1s\n"
				       " k do_wait\n"),
			       "--tree"));
	assert_string_equal(hint_of("arch x86_64\ntask 1/1 sh\nwait S sys=wait4 blocked=1s\n"
				    " k do_wait\ntask 2/2 sleep\n"),
			    "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hints__name_the_database_of_the_rule),
		cmocka_unit_test(test_hints__advise_to_record_children_that_are_not),
	};

	return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/place.h"
#include "lib/lit.h"

#define MODULES                                                                                    \
	"module libc elf /lib/x86_64-linux-gnu/libc.so.6\n"                                        \
	"module cxx elf /lib/libstdc++.so.6.0.30\n"                                                \
	"module vdso vdso [vdso]\n"                                                                \
	"module app elf /usr/bin/app\n"                                                            \
	"task 1/1 a\nwait S blocked=1ms\n"

static void assert_places(const char *stack, const char *user, const char *kernel)
{
	char text[16384];
	struct profile *p;
	struct places pl;
	struct labels l;
	u32 id, again;

	snprintf(text, sizeof(text), "%s%s", MODULES, stack);
	p = lit(text);
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(places__init(&pl, p, &l, NULL), 0);
	assert_int_equal(places__user(&pl, p->waits[1].ustack, &id), 0);
	assert_string_equal(places__text(&pl, id), user);
	assert_int_equal(places__user(&pl, p->waits[1].ustack, &again), 0);
	assert_int_equal(id, again);
	assert_int_equal(places__kernel(&pl, p->waits[1].kstack, &id), 0);
	assert_string_equal(places__text(&pl, id), kernel);
	places__done(&pl);
	labels__done(&l);
	profile__free(p);
}

static void test_places__user_skips_the_c_library(void **state)
{
	(void)state;
	assert_places(" u @libc 0x1 __libc_start_main\n u @app 0x2 main\n u @app 0x3 loop\n"
		      " u @cxx 0x4 std::condition_variable::wait\n u @libc 0x5 pthread_cond_wait\n",
		      "loop < main", "");
}

static void test_places__user_takes_three_frames(void **state)
{
	(void)state;
	assert_places(" u one\n u two\n u three\n u four\n u five\n", "five < four < three", "");
}

static void test_places__user_skips_frames_without_a_name(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 main\n u @app 0x2 !no_symbol\n u @app 0x3 wait_here\n",
		      "wait_here < main", "");
}

static void test_places__user_takes_the_library_when_there_is_nothing_else(void **state)
{
	(void)state;
	assert_places(" u @libc 0x1 start_thread\n u @libc 0x2 epoll_wait\n",
		      "epoll_wait < start_thread", "");
	assert_places(" u @vdso 0x1 !no_symbol\n u @app 0x2 !no_symbol\n", "[app+0x2] < [vdso+0x1]",
		      "");
}

static void test_places__kernel_skips_the_scheduler(void **state)
{
	(void)state;
	assert_places(" k do_syscall_64\n k tcp_recvmsg_locked\n k sk_wait_data\n k wait_woken\n"
		      " k schedule_timeout\n k schedule\n k __schedule\n",
		      "", "sk_wait_data");
	assert_places(" k do_poll\n k schedule_hrtimeout_range_clock.part.0\n k schedule\n", "",
		      "do_poll");
}

static void test_places__kernel_takes_the_scheduler_when_there_is_nothing_else(void **state)
{
	(void)state;
	assert_places(" k schedule\n k __schedule\n", "", "__schedule");
}

static void test_places__cuts_long_names(void **state)
{
	char expected[600];

	(void)state;
	memset(expected, 'x', 160);
	snprintf(expected + 160, sizeof(expected) - 160, " < main");
	assert_places(" u main\n u \\*4096;x\n", expected, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places__user_skips_the_c_library),
		cmocka_unit_test(test_places__user_takes_three_frames),
		cmocka_unit_test(test_places__user_skips_frames_without_a_name),
		cmocka_unit_test(test_places__user_takes_the_library_when_there_is_nothing_else),
		cmocka_unit_test(test_places__kernel_skips_the_scheduler),
		cmocka_unit_test(
			test_places__kernel_takes_the_scheduler_when_there_is_nothing_else),
		cmocka_unit_test(test_places__cuts_long_names),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

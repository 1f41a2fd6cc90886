/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/place.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MODULES                                                                                    \
	"module libc elf /lib/x86_64-linux-gnu/libc.so.6\n"                                        \
	"module cxx elf /lib/libstdc++.so.6.0.30\n"                                                \
	"module vdso vdso [vdso]\n"                                                                \
	"module app elf /usr/bin/app\n"                                                            \
	"module code code [python] tgid=1\n"                                                       \
	"task 1/1 a\nwait S blocked=1ms\n"

/* Of all stacks at once and one by one: the same. */
static void assert_own_frames(const struct profile *p)
{
	u32 *own = place_own_frames(p), i;

	assert_non_null(own);
	for (i = 0; i < p->stacks_len; i++)
		assert_int_equal(own[i], place_own_frame(p, i));
	mem_free(own);
}

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
	assert_own_frames(p);
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

/* The kernel walks a sleeping thread without the functions that it has in .sched.text. */
static void test_places__kernel_is_the_same_for_a_wait_that_is_not_over(void **state)
{
	(void)state;
	assert_places(" k common_nsleep\n k hrtimer_nanosleep\n k do_nanosleep\n k schedule\n"
		      " k __schedule\n",
		      "", "hrtimer_nanosleep");
	assert_places(" k common_nsleep\n k hrtimer_nanosleep\n", "", "hrtimer_nanosleep");
	assert_places(" k __do_sys_vfork\n k kernel_clone\n k wait_for_completion_state\n"
		      " k __wait_for_common\n k schedule_timeout\n k schedule\n k __schedule\n",
		      "", "kernel_clone");
	assert_places(" k __do_sys_vfork\n k kernel_clone\n", "", "kernel_clone");
}

static void test_places__kernel_takes_the_scheduler_when_there_is_nothing_else(void **state)
{
	(void)state;
	assert_places(" k schedule\n k __schedule\n", "", "__schedule");
}

static void test_places__user_prefers_interpreted_frames(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 Py_RunMain\n u @code 1 <frozen runpy>:_run_code:88\n"
		      " u @code 2 app.py:main:7\n u @app 0x3 list_sort\n"
		      " u @code 4 app.py:key:9\n u @code 5 !code_unread\n"
		      " u @code 6 <frozen importlib._bootstrap>:_find_and_load:1\n"
		      " u @app 0x7 time_sleep\n",
		      "app.py:key:9 < app.py:main:7", "");
}

static void test_places__user_takes_the_interpreter_when_there_is_nothing_else(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 Py_RunMain\n u @code 1 !code_unread\n u @app 0x3 time_sleep\n",
		      "time_sleep < Py_RunMain", "");
	assert_places(" u @code 1 <frozen runpy>:_run_code:88\n", "<frozen runpy>:_run_code:88",
		      "");
}

static void test_places__user_steps_over_truncated_frames(void **state)
{
	(void)state;
	assert_places(" utrunc no_cfi @app\n u one\n u two\n", "two < one", "");
	assert_places(" utrunc no_cfi @app\n u @libc 0x1 !no_symbol\n", "[libc.so.6+0x1]", "");
	assert_places(" utrunc exec\n", "", "");
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
		cmocka_unit_test(test_places__kernel_is_the_same_for_a_wait_that_is_not_over),
		cmocka_unit_test(
			test_places__kernel_takes_the_scheduler_when_there_is_nothing_else),
		cmocka_unit_test(test_places__user_prefers_interpreted_frames),
		cmocka_unit_test(
			test_places__user_takes_the_interpreter_when_there_is_nothing_else),
		cmocka_unit_test(test_places__user_steps_over_truncated_frames),
		cmocka_unit_test(test_places__cuts_long_names),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

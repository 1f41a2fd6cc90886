/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/place.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MODULES                                                                                    \
	"module libc elf /lib/x86_64-linux-gnu/libc.so.6\n"                                        \
	"module cxx elf /lib/libstdc++.so.6.0.30\n"                                                \
	"module vdso vdso [vdso]\n"                                                                \
	"module app elf /usr/bin/app\n"                                                            \
	"module code code [python] tgid=1\n"
#define JAVA_MODULES                                                                               \
	"module jvm elf /usr/lib/jvm/lib/server/libjvm.so\n"                                       \
	"module java code [java] tgid=1\n"                                                         \
	"module jit anon [anon] tgid=1\n"                                                          \
	"module other anon [anon] tgid=2\n"                                                        \
	"module otherjava code [java] tgid=3\n"
#define WAIT "task 1/1 a\nwait S blocked=1ms\n"

/* Of all stacks at once and one by one: the same. */
static void assert_own_frames(const struct profile *p)
{
	u32 *own = place_own_frames(p), i;

	assert_non_null(own);
	for (i = 0; i < p->stacks_len; i++)
		assert_int_equal(own[i], place_own_frame(p, i));
	mem_free(own);
}

static void assert_places_in(const char *modules, const char *stack, const char *user,
			     const char *kernel)
{
	char text[16384];
	struct profile *p;
	struct places pl;
	struct labels l;
	u32 id, again;

	snprintf(text, sizeof(text), "%s%s%s", modules, WAIT, stack);
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
	assert_int_equal(places__own(&pl, p->waits[1].ustack) != 0, *user != '\0');
	if (*kernel)
		assert_string_equal(labels__frame(&l, places__own(&pl, p->waits[1].kstack)),
				    kernel);
	places__done(&pl);
	labels__done(&l);
	profile__free(p);
}

static void assert_places(const char *stack, const char *user, const char *kernel)
{
	assert_places_in(MODULES, stack, user, kernel);
}

static void assert_java(const char *stack, const char *user)
{
	assert_places_in(MODULES JAVA_MODULES, stack, user, "");
}

static void test_places__user_skips_the_c_library(void **state)
{
	(void)state;
	assert_places(" u @libc 0x1 __libc_start_main\n u @app 0x2 main\n u @app 0x3 loop\n"
		      " u @cxx 0x4 std::condition_variable::wait\n u @libc 0x5 pthread_cond_wait\n",
		      "loop < main", "");
}

static void test_places__own_begins_the_text(void **state)
{
	struct profile *p = lit(MODULES WAIT " u @app 0x2 main\n u @app 0x3 loop\n"
					     " u @libc 0x5 pthread_cond_wait\n");
	struct places pl;
	struct labels l;
	int i;

	(void)state;
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(places__init(&pl, p, &l, NULL), 0);
	for (i = 0; i < 2; i++)
		assert_string_equal(labels__frame(&l, places__own(&pl, p->waits[1].ustack)),
				    "loop");
	assert_int_equal(places__own(&pl, 0), 0);
	places__done(&pl);
	labels__done(&l);
	profile__free(p);
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
		      "key (app.py:9) > time_sleep", "");
}

static void test_places__user_takes_the_interpreter_when_there_is_nothing_else(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 Py_RunMain\n u @code 1 !code_unread\n u @app 0x3 time_sleep\n",
		      "time_sleep < Py_RunMain", "");
	assert_places(" u @code 1 <frozen runpy>:_run_code:88\n", "_run_code (<frozen runpy>:88)",
		      "");
}

#define BEGIN                                                                                      \
	" u @libc 0x1 start_thread\n u @jvm 0x2 JavaThread::run()\n"                               \
	" u @jit 0x3 StubRoutines_(1)\n"                                                           \
	" u @java 1 void java.lang.Thread.run()\n"
#define END                                                                                        \
	" u @java 2 void java.util.concurrent.locks.LockSupport.park(java.lang.Object)\n"          \
	" u @java 3 void jdk.internal.misc.Unsafe.park(boolean, long)\n"                           \
	" u @jvm 0x4 Unsafe_Park\n u @libc 0x5 pthread_cond_wait\n"

static void test_places__user_prefers_own_methods_of_java(void **state)
{
	(void)state;
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n"
			  " u @java 5 java.util.List com.shop.Cart.all(int)\n" END,
		    "Cart.all < Work.run");
	/* some are compiled: in the order in which they were called */
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n"
			  " u @jit 5 java.util.List com.shop.Cart.all(int)\n" END,
		    "Cart.all < Work.run");
	assert_java(BEGIN " u @jit 4 void com.shop.Work.run()\n"
			  " u @java 5 java.util.List com.shop.Cart.all(int)\n" END,
		    "Cart.all < Work.run");
	/* what the library calls between them, and what has no name, is left out */
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n"
			  " u @jit 6 void java.util.ArrayList.forEach(java.lang.Object)\n"
			  " u @java 7 void com.shop.Work$$Lambda$1/0x7f.accept(int)\n"
			  " u @java 8 !code_unread\n u @jit 9 !no_symbol\n u @jit 10 Interpreter\n"
			  " u @java 5 void com.shop.Work.lambda$run$0(int)\n" END,
		    "Work.lambda$run$0 < Work.run");
}

static void test_places__user_takes_other_code_for_no_method_of_java(void **state)
{
	(void)state;
	/* native functions of the program are below its methods, whatever they are called */
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n u @app 0x7 native_read\n",
		    "Work.run");
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n"
			  " u @app 0x7 void com.shop.Cart.all()\n",
		    "Work.run");
	/* a method has its form: not any word, nor the name of a library's */
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n u @java 5 garbage\n", "Work.run");
	/* code of another process */
	assert_java(BEGIN " u @java 4 void com.shop.Work.run()\n"
			  " u @other 5 void com.shop.Cart.all()\n",
		    "Work.run");
}

static void test_places__user_takes_what_is_named_when_all_java_is_the_librarys(void **state)
{
	(void)state;
	assert_java(BEGIN END, "LockSupport.park < Thread.run < StubRoutines_(1)");
	assert_java(BEGIN " u @app 0x7 native_read\n" END, "native_read");
	assert_java(" u @java 3 void jdk.internal.misc.Unsafe.park(boolean, long)\n",
		    "Unsafe.park");
	/* without any name of a method */
	assert_java(
		" u @jvm 0x2 JavaThread::run()\n u @java 1 !code_unread\n u @jvm 0x4 Unsafe_Park\n",
		"JavaThread::run()");
}

/* One process has both; the other modules of code are not there, or of other processes. */
static void test_places__user_is_the_same_for_python_beside_java(void **state)
{
	(void)state;
	assert_java(" u @app 0x1 Py_RunMain\n u @code 1 <frozen runpy>:_run_code:88\n"
		    " u @code 2 app.py:main:7\n u @app 0x3 list_sort\n"
		    " u @code 4 app.py:key:9\n u @code 5 !code_unread\n"
		    " u @code 6 <frozen importlib._bootstrap>:_find_and_load:1\n"
		    " u @app 0x7 time_sleep\n",
		    "key (app.py:9) > time_sleep");
	assert_java(" u @code 2 app.py:main:7\n" BEGIN " u @java 4 void com.shop.Work.run()\n" END,
		    "Work.run < main (app.py:7)");
	/* a name of that form is not Java's here, and stays as it is */
	assert_places(" u @code 2 void java.lang.Thread.run()\n u @app 0x7 time_sleep\n",
		      "void java.lang.Thread.run() > time_sleep", "");
	/* without a JVM, run-time code is the program's as any is */
	assert_places_in(MODULES "module jit anon [anon] tgid=1\n",
			 " u @app 0x1 main\n u @jit 0x2 void java.lang.Thread.run()\n"
			 " u @libc 0x3 read\n",
			 "void java.lang.Thread.run() < main", "");
}

static void test_places__user_steps_over_truncated_frames(void **state)
{
	(void)state;
	assert_places(" utrunc no_cfi @app\n u one\n u two\n", "two < one", "");
	assert_places(" utrunc no_cfi @app\n u @libc 0x1 !no_symbol\n", "[libc.so.6+0x1]", "");
	assert_places(" utrunc exec\n", "", "");
}

static void test_places__cut_no_names(void **state)
{
	char expected[4200];

	(void)state;
	memset(expected, 'x', 4096);
	snprintf(expected + 4096, sizeof(expected) - 4096, " < main");
	assert_places(" u main\n u \\*4096;x\n", expected, "");
}

#define PACKAGES                                                                                   \
	"module req elf /v/lib/python3.11/site-packages/requests/fast.so\n"                        \
	"module pq elf /usr/lib/python3/dist-packages/psycopg2/_psycopg.so\n"                      \
	"module libpq elf /usr/lib/x86_64-linux-gnu/libpq.so.5\n"                                  \
	"module libz elf /usr/lib/x86_64-linux-gnu/libz.so.1\n"

static void assert_packages(const char *stack, const char *user)
{
	assert_places_in(MODULES PACKAGES, stack, user, "");
}

static void test_places__user_has_the_library_that_was_called(void **state)
{
	(void)state;
	assert_packages(" u @app 0x1 Py_RunMain\n u @code 1 shop/app.py:<module>:20\n"
			" u @code 2 shop/app.py:fetch_prices:13\n u @req 0x3 get\n"
			" u @code 4 http/client.py:HTTPResponse.begin:318\n"
			" u @code 5 socket.py:SocketIO.readinto:706\n u @app 0x6 sock_recv\n"
			" u @libc 0x7 __GI___libc_recv\n",
			"fetch_prices (app.py:13) > requests > recv");
	/* the call of a client library says more than the system call */
	assert_packages(" u @code 2 shop/app.py:price:33\n u @pq 0x3 curs_execute\n"
			" u @libpq 0x4 PQexec\n u @libpq 0x5 pqWait\n u @libc 0x6 poll\n",
			"price (app.py:33) > psycopg2 > PQexec");
	assert_packages(" u @app 0x1 main\n u @app 0x2 query\n u @libpq 0x4 PQexec\n"
			" u @libpq 0x5 pqWait\n u @libc 0x6 poll\n",
			"query > libpq > PQexec");
	assert_packages(" u @app 0x1 main\n u @libz 0x4 inflate\n u @libz 0x5 !no_symbol\n",
			"main > libz");
	/* a function of the program that a library calls back is nearer to the wait */
	assert_packages(" u @app 0x1 main\n u @libz 0x4 inflate\n u @app 0x5 refill\n"
			" u @libc 0x6 read\n",
			"refill < main");
	/* without a library, the program's own callers; without a program, libraries */
	assert_packages(" u @app 0x1 main\n u @app 0x2 query\n u @libc 0x6 poll\n", "query < main");
	assert_packages(" u @libz 0x4 inflate\n u @libc 0x6 poll\n", "inflate");
}

static void test_places__user_has_what_a_script_called(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 Py_RunMain\n u @code 2 app.py:main:7\n"
		      " u @code 3 queue.py:get:171\n u @code 4 threading.py:wait:320\n"
		      " u @app 0x5 lock_acquire\n u @libc 0x6 __new_sem_wait_slow64.constprop.0\n",
		      "main (app.py:7) > sem_wait_slow64.constprop.0", "");
	assert_places(" u @code 2 app.py:main:7\n", "main (app.py:7)", "");
	assert_places_in(MODULES "module jit anon [anon] tgid=1\n",
			 " u @app 0x1 node::Start\n u @jit 0x2 JS:*handle /srv/server.js:46:12\n"
			 " u @jit 0x3 JS:*get /srv/node_modules/pg/lib/client.js:1:2\n"
			 " u @app 0x4 node::fs::Read\n u @libc 0x5 read\n",
			 "handle (server.js:46) > pg > read", "");
}

static void test_places__user_of_go_is_what_has_no_standard_package(void **state)
{
	(void)state;
	assert_places(" u @app 0x1 runtime.goexit\n u @app 0x2 main.main\n u @app 0x3 main.fetch\n"
		      " u @app 0x4 net/http.(*Client).Get\n u @app 0x5 internal/poll.(*FD).Read\n"
		      " u @app 0x6 syscall.Syscall\n",
		      "main.fetch < main.main", "");
}

static void test_places__library_is_the_clients(void **state)
{
	struct profile *p = lit(MODULES PACKAGES WAIT " u @app 0x2 query\n u @libpq 0x4 PQexec\n");
	struct places pl;
	struct labels l;
	u32 id;

	(void)state;
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(places__init(&pl, p, &l, NULL), 0);
	assert_int_equal(places__library(&pl, p->waits[1].ustack, &id), 0);
	assert_string_equal(places__text(&pl, id), "libpq PQexec");
	places__done(&pl);
	labels__done(&l);
	profile__free(p);
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
		cmocka_unit_test(test_places__user_prefers_own_methods_of_java),
		cmocka_unit_test(test_places__user_takes_other_code_for_no_method_of_java),
		cmocka_unit_test(
			test_places__user_takes_what_is_named_when_all_java_is_the_librarys),
		cmocka_unit_test(test_places__user_is_the_same_for_python_beside_java),
		cmocka_unit_test(test_places__user_steps_over_truncated_frames),
		cmocka_unit_test(test_places__cut_no_names),
		cmocka_unit_test(test_places__user_has_the_library_that_was_called),
		cmocka_unit_test(test_places__user_has_what_a_script_called),
		cmocka_unit_test(test_places__user_of_go_is_what_has_no_standard_package),
		cmocka_unit_test(test_places__own_begins_the_text),
		cmocka_unit_test(test_places__library_is_the_clients),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

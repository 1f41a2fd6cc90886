/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/group.h"
#include "analysis/model/top.h"
#include "base/mem.h"
#include "lib/lit.h"

static const char threads[] = "arch x86_64\n"
			      "module libc elf /usr/lib/x86_64-linux-gnu/libc.so.6\n"
			      "module libpq elf /usr/lib/libpq.so.5\n"
			      "module app elf /opt/app\n"
			      "task 10/10 web group=web cgroup=77 on=100ms\n"
			      "  wait S sys=futex blocked=30ms count=3\n"
			      "    u @app 1 main\n"
			      "    u @libpq 2 PQexec\n"
			      "    u @libc 3 recv\n"
			      "    k futex_wait\n"
			      "  wait S sys=nanosleep blocked=5ms\n"
			      "    u @libc 3 nanosleep\n"
			      "    u @libc 4 sleep\n"
			      "  wait D blocked=8ms flags=lost count=0\n"
			      "task 10/11 pool group=web cgroup=78 on=1ms\n"
			      "  wait S blocked=2ms\n"
			      "    utrunc no_cfi @libpq\n"
			      "    u @app 7 !no_symbol\n"
			      "  wait S blocked=3ms\n"
			      "    k do_exit\n"
			      "task 2/2 kworker group=kworker flags=kthread\n"
			      "  wait D blocked=6ms\n"
			      "    k worker_thread\n"
			      "task 30/30 spin group=spin on=1s cgroup=79"
			      " cgroup_path=/spin.slice/a\n";

static void assert_name(enum group_by by, u32 wait, const char *expected)
{
	struct profile *p = lit(threads);
	char name[GROUP_NAME_SZ];
	struct groups g;

	assert_int_equal(groups__init(&g, p, by, NULL, NULL), 0);
	groups__of_wait(&g, wait, name, sizeof(name));
	assert_string_equal(name, expected);
	groups__done(&g);
	profile__free(p);
}

#define CONTAINER_ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_ID "1f2e3d4c-5b6a-7988-97a6-b5c4d3e2f101"

static void test_groups_are_of_what_a_path_says(void **state)
{
	static const char pods[] = "task 1/1 a cgroup=7 cgroup_path=/kubepods/besteffort/pod" POD_ID
				   "/" CONTAINER_ID "\nwait S blocked=1ms\n u main\n"
				   "task 2/2 b cgroup=8 cgroup_path=/system.slice/nginx.service\n"
				   "task 3/3 c cgroup=9 cgroup_path=/kubepods/besteffort/pod" POD_ID
				   "/" CONTAINER_ID " container=shop/web-1/nginx\n";
	static const struct {
		enum group_by by;
		const char *names[3];
	} cases[] = {
		{ GROUP_BY_UNIT, { "[no unit]", "nginx.service", "[no unit]" } },
		{ GROUP_BY_CONTAINER, { CONTAINER_ID, "[no container]", "shop/web-1/nginx" } },
		{ GROUP_BY_POD, { POD_ID, "[no pod]", "shop/web-1" } },
	};
	struct profile *p = lit(pods);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[GROUP_NAME_SZ];
		struct groups g;

		assert_true(group_is_of_threads(cases[i].by));
		assert_int_equal(groups__init(&g, p, cases[i].by, NULL, NULL), 0);
		for (u32 task = 1; task <= 3; task++) {
			groups__of_task(&g, task, name, sizeof(name));
			assert_string_equal(name, cases[i].names[task - 1]);
		}
		groups__of_wait(&g, 1, name, sizeof(name));
		assert_string_equal(name, cases[i].names[0]);
		groups__done(&g);
	}
	profile__free(p);
}

static void test_groups__of_threads_have_their_names(void **state)
{
	(void)state;
	assert_name(GROUP_BY_COMM, 4, "pool");
	assert_name(GROUP_BY_PROCESS, 4, "web-10");
	assert_name(GROUP_BY_THREAD, 4, "pool-10/11");
	assert_name(GROUP_BY_CGROUP, 4, "cgroup 78");
}

static void test_groups__a_long_path_has_its_end_and_its_number(void **state)
{
	struct profile *p = lit("task 1/1 a cgroup=79 cgroup_path=\\*600;x/end on=1s\n"
				"task 1/2 b cgroup=80 cgroup_path=\\*505;x/end on=1s\n");
	char name[GROUP_NAME_SZ];
	struct groups g;

	(void)state;
	assert_int_equal(groups__init(&g, p, GROUP_BY_CGROUP, NULL, NULL), 0);
	groups__of_task(&g, 1, name, sizeof(name));
	assert_memory_equal(name, "cgroup 79 ...xxxx", 17);
	assert_true(strlen(name) > 450);
	assert_string_equal(name + strlen(name) - 6, "xx/end");
	groups__of_task(&g, 2, name, sizeof(name));
	assert_int_equal(strlen(name), 509);
	groups__of_task(&g, 1, name, 8);
	assert_string_equal(name, "cgroup ");
	groups__done(&g);
	profile__free(p);
}

static void test_groups__of_waits_have_that_of_the_wait(void **state)
{
	(void)state;
	assert_name(GROUP_BY_CAUSE, 1, "futex");
	assert_name(GROUP_BY_CAUSE, 3, "lost");
}

static void test_groups__module_is_the_lowest_that_is_no_run_time(void **state)
{
	(void)state;
	assert_name(GROUP_BY_MODULE, 1, "libpq.so.5");
	/* there is nothing else */
	assert_name(GROUP_BY_MODULE, 2, "libc.so.6");
	assert_name(GROUP_BY_MODULE, 3, "[lost]");
	/* the frame of a missing root side is no code */
	assert_name(GROUP_BY_MODULE, 4, "app");
	assert_name(GROUP_BY_MODULE, 5, "[no user stack]");
	assert_name(GROUP_BY_MODULE, 6, "[kernel]");
}

static void test_groups__stack_is_the_place_of_the_wait(void **state)
{
	(void)state;
	assert_name(GROUP_BY_STACK, 1, "[futex_wait] main > libpq > PQexec");
	assert_name(GROUP_BY_STACK, 2, "sleep < nanosleep");
	assert_name(GROUP_BY_STACK, 3, "[lost]");
	assert_name(GROUP_BY_STACK, 6, "[worker_thread]");
}

static void test_groups__a_name_is_cut_to_the_buffer(void **state)
{
	struct profile *p = lit(threads);
	char name[4];
	struct groups g;

	(void)state;
	assert_int_equal(groups__init(&g, p, GROUP_BY_COMM, NULL, NULL), 0);
	groups__of_wait(&g, 4, name, sizeof(name));
	assert_string_equal(name, "poo");
	groups__done(&g);
	profile__free(p);
}

static void assert_rows(enum group_by by, const char *expected)
{
	struct profile *p = lit(threads);
	char text[1024] = "";
	struct arena a;
	struct top top;
	u32 i;

	arena__init(&a);
	assert_int_equal(top__build_groups(p, (struct top_groups){ by, false }, NULL, &a, &top,
					   NULL),
			 0);
	for (i = 0; i < top.len; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s=%llu/%llu ", top.rows[i].group,
			 top_row__ns(&top.rows[i]) / NSEC_PER_MSEC,
			 top.rows[i].on_ns / NSEC_PER_MSEC);
	}
	assert_string_equal(text, expected);
	assert_int_equal(top.blocked_ns + top.runq_ns, 54 * NSEC_PER_MSEC);
	arena__done(&a);
	profile__free(p);
}

static void test_top__build_groups_has_every_thread_and_every_wait(void **state)
{
	(void)state;
	assert_rows(GROUP_BY_PROCESS, "web-10=48/101 kworker-2=6/0 spin-30=0/1000 ");
	assert_rows(GROUP_BY_CGROUP, "cgroup 77=43/100 [no cgroup v2]=6/0 cgroup 78=5/1 "
				     "/spin.slice/a=0/1000 ");
}

static void test_top__build_groups_of_waits_has_no_other_time(void **state)
{
	(void)state;
	assert_rows(GROUP_BY_MODULE, "libpq.so.5=30/0 [lost]=8/0 [kernel]=6/0 libc.so.6=5/0 "
				     "[no user stack]=3/0 app=2/0 ");
}

static void survive(enum group_by by)
{
	struct profile *p = lit(threads);
	struct arena a;
	struct top top;
	u64 nth;
	int r;

	for (nth = 1;; nth++) {
		arena__init(&a);
		mem_fail_nth(nth);
		r = top__build_groups(p, (struct top_groups){ by, false }, NULL, &a, &top, NULL);
		arena__done(&a);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	profile__free(p);
}

static void test_top__build_groups_survives_every_failed_allocation(void **state)
{
	(void)state;
	survive(GROUP_BY_CAUSE);
	survive(GROUP_BY_STACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups__of_threads_have_their_names),
		cmocka_unit_test(test_groups_are_of_what_a_path_says),
		cmocka_unit_test(test_groups__a_long_path_has_its_end_and_its_number),
		cmocka_unit_test(test_groups__of_waits_have_that_of_the_wait),
		cmocka_unit_test(test_groups__module_is_the_lowest_that_is_no_run_time),
		cmocka_unit_test(test_groups__stack_is_the_place_of_the_wait),
		cmocka_unit_test(test_groups__a_name_is_cut_to_the_buffer),
		cmocka_unit_test(test_top__build_groups_has_every_thread_and_every_wait),
		cmocka_unit_test(test_top__build_groups_of_waits_has_no_other_time),
		cmocka_unit_test(test_top__build_groups_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

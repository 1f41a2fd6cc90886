/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rendered.h"
#include "render/formats.h"

#define HEADER                                                                                     \
	"pid,tid,process,thread,state,cause,syscall,flags,blocked_ns,runq_ns,count,max_ns,"        \
	"samples,se_ns,user_stack,kernel_stack,object,owner,class,on_ns,cgroup,waker\n"
#define COLUMNS 22

enum { BLOCKED = 8, RUNQ = 9, COUNT = 10 };

/* Takes a field apart in place, as RFC 4180 has it; *ret_end is the byte behind it. */
static char *take_field(char **at, char *ret_end)
{
	char *field = *at, *to = *at, *from = *at;
	bool quoted = *from == '"';

	from += quoted;
	for (; *from; from++) {
		if (quoted && from[0] == '"' && from[1] != '"')
			break;
		if (!quoted && (*from == ',' || *from == '\n'))
			break;
		from += quoted && *from == '"';
		*to++ = *from;
	}
	from += quoted && *from;
	*ret_end = *from;
	*to = 0;
	*at = from + (*ret_end != 0);
	return field;
}

static void take_row(char **at, char *fields[COLUMNS])
{
	char end = 0;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		fields[i] = take_field(at, &end);
		assert_int_equal(end, i + 1 < COLUMNS ? ',' : '\n');
	}
}

static void test_csv__sums_are_those_of_the_profile(void **state)
{
	static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
					     "kernel", "unnamed", "python", "ends", "sampled" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		u64 blocked = 0, runq = 0, count = 0, rows = 0;
		char path[128], *text, *at, *fields[COLUMNS];
		struct profile *p = NULL;
		struct profile_budget b;
		struct err err;
		u32 w;

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		if (literal_load(path, &p, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(profile__budget(p, &b), 0);
		for (w = 1; w < p->waits_len; w++)
			count += p->waits[w].count;
		text = rendered(p, &render_csv, (struct render_options){ 0 });
		assert_memory_equal(text, HEADER, strlen(HEADER));
		for (at = text + strlen(HEADER); *at; rows++) {
			take_row(&at, fields);
			blocked += strtoull(fields[BLOCKED], NULL, 10);
			runq += strtoull(fields[RUNQ], NULL, 10);
			count -= strtoull(fields[COUNT], NULL, 10);
		}
		assert_int_equal(blocked, b.listed_blocked_ns);
		assert_int_equal(runq, b.listed_runq_ns);
		assert_int_equal(count, 0);
		assert_int_equal(rows, p->waits_len - 1);
		mem_free(text);
		profile__free(p);
	}
}

static void check(const char *literal, struct render_options opt, const char *rows)
{
	char expected[4096];

	snprintf(expected, sizeof(expected), HEADER "%s", rows);
	assert_rendered(literal, &render_csv, opt, expected);
}

static void test_csv__has_every_column(void **state)
{
	(void)state;
	check("arch x86_64\nperiod 1ms\ntask 5/7 worker group=app\n"
	      "wait D sys=fsync flags=iowait,pre blocked=3us runq=1us count=2 max=4us samples=1 "
	      "var=4\n u main\n u sync\n k do_fsync\n k schedule\n",
	      (struct render_options){ 0 },
	      "5,7,\"app\",\"worker\",D,disk-sync,fsync,iowait pre,3000,1000,2,4000,1,2000,"
	      "\"main;sync\",\"do_fsync;schedule\",\"\",\"\",work,0,\"\",\"\"\n");
}

static void test_csv__cgroup_is_a_path_or_a_number(void **state)
{
	(void)state;
	check("task 5/7 a cgroup=77 cgroup_path=/a\\x22;,\\x0a\\xff\nwait S blocked=3us\n u main\n",
	      (struct render_options){ 0 },
	      "5,7,\"a\",\"a\",S,unknown,,,3000,0,1,3000,1,0,\"main\",\"[Missed Kernel Stack]\","
	      "\"\",\"\",work,0,"
	      "\"/a\"\";,?\xef\xbf\xbd\",\"\"\n");
	check("task 5/7 a cgroup=77\nwait S blocked=3us\n u main\n", (struct render_options){ 0 },
	      "5,7,\"a\",\"a\",S,unknown,,,3000,0,1,3000,1,0,\"main\",\"[Missed Kernel Stack]\","
	      "\"\",\"\",work,0,"
	      "\"cgroup 77\",\"\"\n");
}

static void test_csv__an_unknown_system_call_is_a_number(void **state)
{
	(void)state;
	check("arch x86_64\ntask 5/7 a\nwait S sys=9999 blocked=3us\n u main\n k schedule\n",
	      (struct render_options){ 0 },
	      "5,7,\"a\",\"a\",S,syscall,9999,,3000,0,1,3000,1,0,\"main\",\"schedule\","
	      "\"\",\"\",work,0,\"\",\"\"\n");
}

static void test_csv__quotes_what_needs_it(void **state)
{
	(void)state;
	check("task 5/7 a\\x22b,\\x0ac\nwait S blocked=3us\n u one;two\n u \\x22x\\x22\n"
	      " k schedule\n",
	      (struct render_options){ 0 },
	      "5,7,\"a\"\"b,?c\",\"a\"\"b,?c\",S,unknown,,,3000,0,1,3000,1,0,"
	      "\"one:two;\"\"x\"\"\",\"schedule\",\"\",\"\",work,0,\"\",\"\"\n");
}

static void test_csv__reports_losses(void **state)
{
	(void)state;
	check("sides user kernel\ntask 5/7 a S=5us\n", (struct render_options){ 0 },
	      "5,7,\"a\",\"a\",S,lost,,lost,5000,0,0,0,0,0,\"[lost]\",\"[lost]\","
	      "\"\",\"\",work,0,\"\",\"\"\n");
	check("task 5/7 a\nwait S blocked=3us\n k one\n kcut\n", (struct render_options){ 0 },
	      "5,7,\"a\",\"a\",S,unknown,,,3000,0,1,3000,1,0,\"[Missed User Stack]\","
	      "\"[cut off];one\",\"\",\"\",work,0,\"\",\"\"\n");
}

static void test_csv__shows_only_the_sides_asked_for(void **state)
{
	const struct render_options opt = { .sides = SIDE_USER };

	(void)state;
	check("task 5/7 a\nwait S blocked=3us\n u main\n k schedule\n", opt,
	      "5,7,\"a\",\"a\",S,unknown,,,3000,0,1,3000,1,0,\"main\",\"\","
	      "\"\",\"\",work,0,\"\",\"\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv__sums_are_those_of_the_profile),
		cmocka_unit_test(test_csv__has_every_column),
		cmocka_unit_test(test_csv__cgroup_is_a_path_or_a_number),
		cmocka_unit_test(test_csv__an_unknown_system_call_is_a_number),
		cmocka_unit_test(test_csv__quotes_what_needs_it),
		cmocka_unit_test(test_csv__reports_losses),
		cmocka_unit_test(test_csv__shows_only_the_sides_asked_for),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}

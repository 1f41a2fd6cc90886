/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/pprof_read.h"
#include "lib/rendered.h"
#include "profile/builder.h"
#include "profile/inlining.h"
#include "render/formats.h"

/* What `go tool pprof` would get, as text; free with mem_free(). */
static char *written(const struct profile *p, struct render_options opt, struct pprof_sums *ret)
{
	struct err err = { 0 };
	const char *why = "";
	char *zipped, *raw, *text;
	struct sink out;
	size_t sz;

	sink__init_mem(&out);
	if (render_pprof.render(p, &opt, &out, &err) || sink__finish(&out, &err))
		fail_msg("%s", err.msg);
	zipped = sink__steal(&out, &sz);
	sink__done(&out);
	raw = gunzip(zipped, sz, &sz);
	assert_non_null(raw);
	text = pprof_text(raw, sz, ret, &why);
	if (!text)
		fail_msg("%s", why);
	mem_free(raw);
	mem_free(zipped);
	return text;
}

static void check_profile(struct profile *p, struct render_options opt, const char *want)
{
	struct pprof_sums sums;
	char *text = written(p, opt, &sums);

	if (!strstr(text, want))
		fail_msg("no '%s' in:\n%s", want, text);
	mem_free(text);
	profile__free(p);
}

static void check(const char *literal, const char *want)
{
	check_profile(lit(literal), (struct render_options){ .kernel_frames = true }, want);
}

static void test_pprof__sums_are_those_of_the_profile(void **state)
{
	static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
					     "kernel", "unnamed", "python", "ends", "sampled" };
	size_t i, o;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		for (o = 0; o < 4; o++) {
			const struct render_options opt = { .sides = (u32)o,
							    .interpreter = o == 1,
							    .kernel_frames = o == 3,
							    .no_truncated = o == 2 };
			struct profile_budget b;
			struct pprof_sums sums;
			struct profile *p = NULL;
			struct err err;
			char path[128];
			u64 count = 0;
			u32 w;

			snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
			if (literal_load(path, &p, &err))
				fail_msg("%s", err.msg);
			for (w = 1; w < p->waits_len; w++)
				count += p->waits[w].count;
			assert_int_equal(profile__budget(p, &b), 0);
			mem_free(written(p, opt, &sums));
			assert_int_equal(sums.values[0], b.listed_blocked_ns + b.listed_runq_ns);
			assert_int_equal(sums.values[1], count);
			assert_int_equal(sums.samples, p->waits_len - 1);
			profile__free(p);
		}
	}
}

static void test_pprof__folds_the_kernel_below_the_program(void **state)
{
	(void)state;
	check_profile(lit("arch x86_64\ntask 5/7 a\nwait S blocked=1us\n u main\n u lock\n"
			  " k futex_do_wait\n"),
		      (struct render_options){ 0 }, " main;lock thread=a");
	check_profile(lit("arch x86_64\ntask 5/7 a\nwait S blocked=1us\n k kthread\n"),
		      (struct render_options){ 0 }, ";kthread thread=a");
}

static void test_pprof__stacks_and_labels(void **state)
{
	(void)state;
	check("arch x86_64\ntask 5/7 worker group=app\n"
	      "wait S sys=futex blocked=3us runq=1us count=2\n u main\n u lock\n k futex_do_wait\n",
	      "sample 4000 2 main;lock;futex_do_wait thread=worker process=app state=S "
	      "cause=futex");
	check("arch x86_64\ntask 5/7 worker group=app\nwait S sys=futex blocked=3us\n u main\n",
	      "syscall=futex pid=5 tid=7\n");
	check("task 5/7 a cgroup=77 cgroup_path=/a.slice/b\nwait S blocked=3us\n u main\n",
	      "tid=7 cgroup=/a.slice/b\n");
	check("task 5/7 a cgroup=77\nwait S blocked=3us\n u main\n", "tid=7 cgroup=cgroup 77\n");
}

static void test_pprof__notes_stand_at_the_root(void **state)
{
	(void)state;
	check("task 5/7 a\nwait S blocked=3us\n k schedule\n",
	      "sample 3000 1 [Missed User Stack];schedule ");
	check("sides user kernel\ntask 5/7 a S=4us\n", "sample 4000 0 [lost] ");
	check("task 5/7 a\nwait S blocked=3us\n u main\n k one\n k two\n kcut\n",
	      ";[cut off];one;two ");
	check("sides user\ntask 5/7 k flags=kthread\nwait S blocked=3us\n",
	      "sample 3000 1 [no stack] ");
}

static void test_pprof__a_wait_without_a_name_has_no_empty_label(void **state)
{
	(void)state;
	check("task 5/7 \\x00\nwait S blocked=3us\n u main\n k schedule\n",
	      "schedule state=S cause=");
}

static void test_pprof__mappings_keep_build_id_and_offset(void **state)
{
	static const char text[] = "module lib elf /usr/lib/libfoo.so build=ab12\n"
				   "module app elf /bin/app build=cd34\n"
				   "module kernel kernel [kernel]\n"
				   "task 5/7 a group=app\nwait S blocked=3us\n"
				   " u @lib 0x1f20 +0x20 start\n u @app 0x2f40 !no_symbol\n"
				   " k @kernel 0xffffffff81e2a100 +0x20 schedule\n";

	(void)state;
	/* The program comes first, and nothing in it has a name. */
	check(text, "mapping 2 20000002000-20000003000 2000 /bin/app cd34\n"
		    "mapping 1 10000001000-10000002000 1000 /usr/lib/libfoo.so ab12 functions\n");
	check(text, "mapping 3 ffffffff81e2a000-ffffffff81e2b000 0 [kernel]  functions\n");
	check(text, " in 3 at ffffffff81e2a100 schedule\n");
	check(text, ";[app+0x2f40];");
}

/* Readers look up the address as it is. */
static void test_pprof__a_return_address_becomes_the_call(void **state)
{
	struct profile *p = lit("module lib elf /lib/libfoo.so\ntask 5/7 a\n"
				"wait S blocked=3us\n u @lib 0x1f20 +0x20 start\n k schedule\n");
	u32 i;

	(void)state;
	for (i = 1; i < p->frames_len; i++) {
		if (p->frames[i].addr == 0x1f20)
			p->frames[i].flags |= FRAME_RETURN;
	}
	check_profile(p, (struct render_options){ .kernel_frames = true },
		      " in 1 at 10000001f1f start\n");
}

static void test_pprof__inlined_functions_are_lines_of_one_location(void **state)
{
	struct profile *p = lit("module app elf /bin/app\ntask 7/7 app\nwait S blocked=1s\n"
				" u main\n u @app 0x1234 +0x4 outer\n k schedule\n");
	struct inlining in;
	u32 outer = 0, i;

	(void)state;
	for (i = 1; i < p->frames_len; i++) {
		if (strcmp(profile__str(p, p->frames[i].name), "outer") == 0)
			outer = i;
	}
	assert_int_equal(profile__place_frame(p, outer, "/src/out.c", 30), 0);
	inlining__init(&in, p);
	assert_int_equal(inlining__add(&in, outer, "middle", "mid.h", 9), 0);
	assert_int_equal(inlining__add(&in, outer, "inner", "in.h", 5), 0);
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	check_profile(p, (struct render_options){ .kernel_frames = true },
		      " main;outer(/src/out.c:30)+middle(mid.h:9)+inner(in.h:5);schedule ");
}

static void test_pprof__head_says_what_was_recorded(void **state)
{
	static const char text[] = "version 0.1.0\ncommand coldspot record -p 5\nhost db1\n"
				   "window 10s\nbegin_wall 1790000000123456789\nperiod 1ms\n"
				   "loss stack_cut 3\ntask 5/7 a\nwait S blocked=3us\n u main\n";

	(void)state;
	check(text, "sample_type off_cpu/nanoseconds\nsample_type events/count\n"
		    "period_type off_cpu/nanoseconds\nperiod 1000000\ndefault off_cpu\n"
		    "time 1790000000123456789\nduration 10000000000\ncomment coldspot: 0.1.0\n");
	check(text, "\ncomment command: coldspot record -p 5\n");
	check(text, "\ncomment lost: 3 kernel stacks truncated at the depth limit");
	check("task 5/7 a\nwait S blocked=3us\n u main\n", "\nperiod 1\n");
}

static void test_pprof__estimates_are_as_they_are(void **state)
{
	(void)state;
	check("period 1ms\ntask 5/7 a\n"
	      "wait S blocked=80ms count=90 samples=8 var=7000000\n u main\n k schedule\n",
	      "sample 80000000 90 main;schedule ");
}

/* Its record was lost. */
static void test_pprof__a_wait_without_a_thread_has_no_name(void **state)
{
	struct profile_wait w = { .sysno = -1,
				  .state = 1,
				  .blocked_ns = 7000,
				  .count = 1,
				  .samples = 1,
				  .max_ns = 7000,
				  .hist = { [3] = 1 } };
	struct builder *b = builder__new();
	struct profile *p;

	(void)state;
	assert_int_equal(builder__wait(b, &w), 0);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	check_profile(p, (struct render_options){ .kernel_frames = true },
		      " state=S cause=unknown class=work\n");
}

static void test_pprof__strings_are_utf8(void **state)
{
	(void)state;
	check("task 5/7 bad\\xff\nwait S blocked=3us\n u main\n", " thread=bad\xef\xbf\xbd ");
}

static void test_pprof__bytes_do_not_depend_on_the_run(void **state)
{
	struct profile *p = NULL;
	struct sink out[2];
	struct err err;
	int i;

	(void)state;
	assert_int_equal(literal_load("tests/golden/shop/profile.lit", &p, &err), 0);
	for (i = 0; i < 2; i++) {
		const struct render_options opt = { 0 };

		sink__init_mem(&out[i]);
		assert_int_equal(render_pprof.render(p, &opt, &out[i], &err), 0);
	}
	assert_int_equal(out[0].len, out[1].len);
	assert_memory_equal(out[0].buf, out[1].buf, out[0].len);
	assert_memory_equal(out[0].buf, "\x1f\x8b\x08\0\0\0\0\0", 8);
	sink__done(&out[0]);
	sink__done(&out[1]);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof__sums_are_those_of_the_profile),
		cmocka_unit_test(test_pprof__folds_the_kernel_below_the_program),
		cmocka_unit_test(test_pprof__stacks_and_labels),
		cmocka_unit_test(test_pprof__notes_stand_at_the_root),
		cmocka_unit_test(test_pprof__a_wait_without_a_name_has_no_empty_label),
		cmocka_unit_test(test_pprof__mappings_keep_build_id_and_offset),
		cmocka_unit_test(test_pprof__a_return_address_becomes_the_call),
		cmocka_unit_test(test_pprof__inlined_functions_are_lines_of_one_location),
		cmocka_unit_test(test_pprof__head_says_what_was_recorded),
		cmocka_unit_test(test_pprof__estimates_are_as_they_are),
		cmocka_unit_test(test_pprof__a_wait_without_a_thread_has_no_name),
		cmocka_unit_test(test_pprof__strings_are_utf8),
		cmocka_unit_test(test_pprof__bytes_do_not_depend_on_the_run),
	};

	return cmocka_run_group_tests_name("pprof", tests, NULL, NULL);
}

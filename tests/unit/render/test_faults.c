/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of every format fails once: -ENOMEM comes out, with a sentence, or the sink has
 * it; nothing leaks (the sanitizers' build sees that).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rendered.h"
#include "render/diff/diff_view.h"
#include "render/formats.h"

static const char text[] =
	"arch x86_64\nwindow 1s\nmax_events 9\nloss events_lost 2 5ms\n"
	"module m elf /a/b\nmodule code code [python] tgid=1\nloss stack_cut 1\n"
	"task 1/1 a S=8ms\n"
	"wait S sys=futex blocked=1ms count=2 at=2ms:1ms:0\n u main\n u *40 f%\n k sys\n k x\n"
	"wait D blocked=2ms\n u @m 0x1 !no_symbol\n k sys\n"
	"wait S blocked=3ms\n utrunc no_cfi @m\n u @m 0x2 _PyEval_EvalFrameDefault\n u @code 1 f\n"
	"task 2/2 b flags=kthread\nwait I blocked=1ms\n k kthread\n";

/* False when the allocation was never reached: all of them have been tried. */
static bool fail_one(const struct profile *p, const struct render_ops *format, u64 nth)
{
	struct render_options opt = { .delimiter = true };
	struct err err = { 0 };
	struct sink out;
	bool fired;
	int r, end;

	sink__init_mem(&out);
	mem_fail_nth(nth);
	r = format->render(p, &opt, &out, &err);
	end = sink__finish(&out, NULL);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	sink__done(&out);
	if (!fired) {
		assert_int_equal(r, 0);
		return false;
	}
	if (r != -ENOMEM && end != -ENOMEM)
		fail_msg("%s: allocation %llu failed and nobody says so", format->name, nth);
	if (r)
		assert_true(*err.msg);
	return true;
}

static void test_render__reports_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(text);
	size_t i;

	(void)state;
	for (i = 0; render_formats[i]; i++) {
		u64 nth = 1;

		while (fail_one(p, render_formats[i], nth))
			nth++;
		assert_true(nth > 3);
	}
	profile__free(p);
}

static bool fail_diff(const struct diff *d, u64 nth)
{
	const struct diff_view v = { .d = d, .names = { "a", "b" } };
	struct err err = { 0 };
	struct sink out;
	bool fired;
	int r, end;

	sink__init_mem(&out);
	mem_fail_nth(nth);
	r = diff_html_put(&v, &out, &err);
	end = sink__finish(&out, NULL);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	sink__done(&out);
	if (!fired)
		assert_int_equal(r, 0);
	else if (r != -ENOMEM && end != -ENOMEM)
		fail_msg("allocation %llu failed and nobody says so", nth);
	return fired;
}

static void test_diff_html__reports_every_allocation_that_fails(void **state)
{
	struct profile *const p[2] = { lit(text), lit(text) };
	const struct diff_options opt = { 0 };
	struct err err = { 0 };
	struct arena a;
	struct diff d;
	u64 nth = 1;

	(void)state;
	arena__init(&a);
	assert_int_equal(diff__build((const struct profile *const *)p, &opt, &a, &d, &err), 0);
	while (fail_diff(&d, nth))
		nth++;
	assert_true(nth > 30);
	arena__done(&a);
	profile__free(p[0]);
	profile__free(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_render__reports_every_allocation_that_fails),
		cmocka_unit_test(test_diff_html__reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}

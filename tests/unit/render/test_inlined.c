/* SPDX-License-Identifier: Apache-2.0 */
/* Inlined functions and lines, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "analysis/name/label.h"
#include "analysis/model/tree.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "lib/rendered.h"
#include "profile/inlining.h"
#include "render/formats.h"
#include "render/words/palette.h"

static const char text[] = "module app elf /bin/app\n"
			   "task 7/7 app\n"
			   "  wait S blocked=1s\n"
			   "    u main\n"
			   "    u @app 0x1234 +0x4 outer\n"
			   "    k schedule\n";

static u32 frame_named(const struct profile *p, const char *name)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		if (strcmp(profile__str(p, p->frames[i].name), name) == 0)
			return i;
	}
	fail_msg("no frame '%s'", name);
	return 0;
}

/* inner() is inlined in outer(), with lines or without. */
static struct profile *sample(bool lines)
{
	struct profile *p = lit(text);
	struct inlining in;
	u32 outer = frame_named(p, "outer");

	if (lines)
		assert_int_equal(profile__place_frame(p, outer, "/src/out.c", 30), 0);
	inlining__init(&in, p);
	assert_int_equal(inlining__add(&in, outer, "inner", lines ? "in.h" : NULL, 5), 0);
	assert_int_equal(inlining__apply(&in), 0);
	inlining__done(&in);
	assert_int_equal(profile__check(p, NULL), 0);
	return p;
}

static void check(const struct render_ops *ops, const struct render_options *opt, bool lines,
		  const char *want)
{
	struct profile *p = sample(lines);
	char *out = rendered(p, ops, *opt);

	if (!strstr(out, want))
		fail_msg("no '%s' in:\n%s", want, out);
	mem_free(out);
	profile__free(p);
}

static void test_folded__shows_inlined_functions_and_lines(void **state)
{
	const struct render_options opt = { 0 };

	(void)state;
	check(&render_folded, &opt, false, "app;main;outer;inner;schedule 1000000\n");
	check(&render_folded, &opt, true,
	      "app;main;outer (out.c:30);inner (in.h:5);schedule 1000000\n");
	check(&render_wide, &opt, false, ";main;outer;inner_[i];schedule_[k] ");
	check(&render_wide, &opt, true, ";main;outer (out.c:30);inner (in.h:5)_[i];schedule_[k] ");
}

static void test_txt__shows_inlined_functions_and_lines(void **state)
{
	const struct render_options plain = { 0 }, verbose = { .verbose = true },
				    offsets = { .offsets = true };

	(void)state;
	check(&render_txt, &plain, false, "    inner\n    outer\n    main\n");
	check(&render_txt, &plain, true, "    inner (in.h:5)\n    outer (out.c:30)\n    main\n");
	/* an inlined function has no address of its own */
	check(&render_txt, &offsets, true, "    inner (in.h:5)\n    outer+0x4 (out.c:30)\n");
	check(&render_txt, &verbose, true,
	      " 0x0000000000000000 inner (inlined) (in.h:5)\n"
	      "    #2  0x0000000000001234 outer+0x4 (/bin/app+0x1234) (out.c:30)\n");
}

static void test_json__tells_inlined_functions_and_lines(void **state)
{
	const struct render_options opt = { 0 };

	(void)state;
	check(&render_json, &opt, true, "\"inlined\":true,\"file\":\"in.h\",\"line\":5");
	check(&render_json, &opt, true, "\"inlined\":false,\"file\":\"/src/out.c\",\"line\":30");
	check(&render_json, &opt, false, "\"inlined\":true,\"file\":null,\"line\":null");
	check(&render_json, &opt, true,
	      "\"user\":[\"inner (in.h:5)\",\"outer (out.c:30)\",\"main\"]");
}

static void test_svg__says_that_a_function_is_inlined(void **state)
{
	const struct render_options opt = { 0 };

	(void)state;
	check(&render_svg, &opt, false, "<title>inner (1,000,000 µs, 100.00%, 1 wait, inlined)");
	check(&render_svg, &opt, true, "<title>outer (out.c:30) (1,000,000 µs, 100.00%, 1 wait)");
}

static void test_palette_color__makes_inlined_functions_a_little_paler(void **state)
{
	struct color user = palette_color(palette_find(NULL), TREE_USER, "f", CAUSE_CNT);
	struct color inlined = palette_color(palette_find(NULL), TREE_INLINED, "f", CAUSE_CNT);
	struct color kernel = palette_color(palette_find(NULL), TREE_KERNEL, "f", CAUSE_CNT);

	(void)state;
	assert_true(user.r < inlined.r && inlined.r < kernel.r);
	assert_true(user.g < inlined.g && inlined.g < kernel.g);
}

static void test_labels__init_survives_every_failed_allocation(void **state)
{
	struct profile *p = sample(true);
	bool fired = true;
	u64 nth;

	(void)state;
	for (nth = 1; fired; nth++) {
		struct labels l;
		int r;

		mem_fail_nth(nth);
		r = labels__init(&l, p, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r != 0, fired);
		labels__done(&l);
	}
	assert_true(nth > 3);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded__shows_inlined_functions_and_lines),
		cmocka_unit_test(test_txt__shows_inlined_functions_and_lines),
		cmocka_unit_test(test_json__tells_inlined_functions_and_lines),
		cmocka_unit_test(test_svg__says_that_a_function_is_inlined),
		cmocka_unit_test(test_palette_color__makes_inlined_functions_a_little_paler),
		cmocka_unit_test(test_labels__init_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("inlined", tests, NULL, NULL);
}

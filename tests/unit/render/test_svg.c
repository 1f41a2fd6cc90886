/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
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
#include "render/words/palette.h"

#define MAX_FRAMES 6000

struct frame {
	unsigned long long hash;
	unsigned long long start_ns;
	unsigned long long time_ns;
	unsigned int row;
	double x;
	double w;
	unsigned int y;
};

static struct frame frames[MAX_FRAMES];

/* The frames of a graph; their number. */
static size_t read_frames(const char *svg)
{
	size_t n = 0;

	while ((svg = strstr(svg, "\n<g class=\"f"))) {
		struct frame *f = &frames[n++];
		const char *id = strstr(svg, " id="), *rect = strstr(svg, "<rect x=");

		assert_true(n <= MAX_FRAMES);
		assert_non_null(id);
		assert_int_equal(sscanf(id,
					" id=\"n%16llx\" data-s=\"%llu\" data-t=\"%llu\" "
					"data-r=\"%u\">",
					&f->hash, &f->start_ns, &f->time_ns, &f->row),
				 4);
		assert_non_null(rect);
		assert_int_equal(sscanf(rect, "<rect x=\"%lf\" y=\"%u\" width=\"%lf\"", &f->x,
					&f->y, &f->w),
				 3);
		svg = rect;
	}
	return n;
}

static u64 listed_ns(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.listed_blocked_ns + b.listed_runq_ns;
}

static void assert_nested(size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		const struct frame *f = &frames[i];

		for (j = i; j-- > 0;) {
			if (frames[j].row == f->row) /* a sibling or cousin to the left */
				assert_true(frames[j].x + frames[j].w <= f->x + 1e-6);
			if (frames[j].row + 1 == f->row)
				break;
		}
		assert_true(frames[j].start_ns <= f->start_ns);
		assert_true(frames[j].start_ns + frames[j].time_ns >= f->start_ns + f->time_ns);
		assert_true(frames[j].x <= f->x + 1e-6);
		assert_true(frames[j].x + frames[j].w >= f->x + f->w - 1e-6);
	}
}

static void check_svg(const struct profile *p, struct render_options opt, u32 width)
{
	char *svg = rendered(p, &render_svg, opt);
	size_t n = read_frames(svg), i;
	u64 groups = 0;

	assert_true(n >= 1 && n <= 5000);
	assert_int_equal(frames[0].time_ns, listed_ns(p));
	assert_true(frames[0].x == 10 && frames[0].w == width - 20);
	assert_nested(n);
	for (i = 0; i < n; i++)
		groups += frames[i].row == 1 ? frames[i].time_ns : 0;
	assert_true(groups <= frames[0].time_ns);
	if (!strstr(svg, "too narrow"))
		assert_int_equal(groups, frames[0].time_ns);
	assert_true(groups >= frames[0].time_ns - frames[0].time_ns / 100);
	mem_free(svg);
}

static const char *const cases[] = {
	"shop", "nasty", "empty", "lost", "deep", "kernel", "unnamed"
};

static void test_svg__frames_nest_and_add_up(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = NULL;
		char path[128];

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		assert_int_equal(literal_load(path, &p, NULL), 0);
		check_svg(p, (struct render_options){ 0 }, 1200);
		check_svg(p, (struct render_options){ .root = GROUP_BY_THREAD, .width = 2000 },
			  2000);
		check_svg(p, (struct render_options){ .delimiter = true, .icicle = true }, 1200);
		profile__free(p);
	}
}

/* More frames than are drawn. */
static struct profile *crowd(u32 stacks)
{
	size_t sz = stacks * 200 + 100, len;
	char *text = mem_alloc(sz);
	struct profile *p;
	u32 i;

	assert_non_null(text);
	len = (size_t)snprintf(text, sz, "task 1/1 a\n");
	for (i = 0; i < stacks; i++)
		len += (size_t)snprintf(text + len, sz - len,
					"wait S blocked=%uus\n u f%u\n u g%u\n u h\n k s\n", i + 1,
					i, i % 97);
	p = lit(text);
	mem_free(text);
	return p;
}

static void test_svg__draws_at_most_5000_frames(void **state)
{
	struct profile *p = crowd(3000);
	char *svg;
	size_t n;

	(void)state;
	check_svg(p, (struct render_options){ .width = 20000 }, 20000);
	svg = rendered(p, &render_svg, (struct render_options){ .width = 20000 });
	n = read_frames(svg);
	assert_true(n > 4500 && n <= 5000);
	assert_non_null(strstr(svg, " frames are too narrow to be drawn apart."));
	assert_non_null(strstr(svg, " narrower frames] ("));
	assert_non_null(strstr(svg, ">too narrow to be drawn apart</text>")); /* of the legend */
	mem_free(svg);
	profile__free(p);
}

static void test_svg__leaves_out_small_shares(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=99us\n u big\n k s\n"
				"wait S blocked=1us\n u small\n k s\n");
	char *svg = rendered(p, &render_svg, (struct render_options){ .min_share = 0.02 });

	(void)state;
	assert_non_null(strstr(svg, "big ("));
	assert_null(strstr(svg, "small ("));
	assert_non_null(strstr(svg, "<title>[2 narrower frames] (1 µs, 1.00%, too narrow to be "
				    "drawn apart)</title>"));
	mem_free(svg);
	profile__free(p);
}

static void test_svg__turns_over_for_an_icicle(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=99us\n u one\n k two\n");
	char *flame = rendered(p, &render_svg, (struct render_options){ 0 });
	char *icicle = rendered(p, &render_svg, (struct render_options){ .icicle = true });
	u32 root_y;

	(void)state;
	assert_int_equal(read_frames(flame), 4);
	root_y = frames[0].y;
	assert_true(frames[3].y < root_y);
	assert_int_equal(read_frames(icicle), 4);
	assert_true(frames[3].y > frames[0].y);
	assert_int_equal(frames[3].y, root_y);
	mem_free(flame);
	mem_free(icicle);
	profile__free(p);
}

static void test_svg__escapes_names(void **state)
{
	struct profile *p = lit("target <&>\ntask 1/1 <a&b>\n"
				"wait S blocked=99us\n u \"x\" 'y' ]]></script>\\x01\\xff\n k s\n");
	char *svg = rendered(p, &render_svg,
			     (struct render_options){ .title = "<t>", .command = "sh -c '<&>'" });

	(void)state;
	assert_non_null(strstr(svg, "for &lt;&amp;&gt; in"));
	assert_non_null(strstr(svg, ">&lt;a&amp;b&gt; ("));
	assert_non_null(strstr(svg, "&quot;x&quot; &#39;y&#39; ]]&gt;&lt;/script&gt;"
				    "\xef\xbf\xbd\xef\xbf\xbd ("));
	assert_non_null(strstr(svg, ">&lt;t&gt;</text>"));
	assert_non_null(strstr(svg, "sh -c &#39;&lt;&amp;&gt;&#39;"));
	mem_free(svg);
	profile__free(p);
}

static void test_svg__says_value_share_and_count(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1234567us count=3\n u x\n k s\n"
				"wait S blocked=8765433us count=1\n u y\n k s\n");
	char *us = rendered(p, &render_svg, (struct render_options){ 0 });
	char *ns = rendered(p, &render_svg, (struct render_options){ .unit = RENDER_UNIT_NS });

	(void)state;
	assert_non_null(strstr(us, "<title>x (1,234,567 µs, 12.35%, 3 waits)</title>"));
	assert_non_null(strstr(us, "<title>y (8,765,433 µs, 87.65%, 1 wait)</title>"));
	assert_non_null(strstr(us, "<title>all (10,000,000 µs, 100.00%, 4 waits)</title>"));
	assert_non_null(strstr(ns, "<title>x (1,234,567,000 ns, 12.35%, 3 waits)</title>"));
	mem_free(us);
	mem_free(ns);
	profile__free(p);
}

static void test_svg__says_what_a_colour_means(void **state)
{
	struct profile *p = lit("module code code [python] tgid=1\ntask 1/1 a\n"
				"wait S blocked=1us\n utrunc no_cfi\n u @code 1 a.py:f:1\n k s\n");
	char *svg = rendered(p, &render_svg, (struct render_options){ 0 });

	(void)state;
	assert_non_null(strstr(svg, "a.py:f:1 (1 µs, 100.00%, 1 wait, interpreted)</title>"));
	assert_non_null(strstr(svg, "[truncated: no CFI] (1 µs, 100.00%, 1 wait, its callers are "
				    "not known)</title>"));
	mem_free(svg);
	profile__free(p);
}

static void assert_has(const char *svg, const char *wanted)
{
	if (!strstr(svg, wanted))
		fail_msg("no '%s' in:\n%s", wanted, svg);
}

static const char by_cause[] = "arch x86_64\ntask 1/1 a\n"
			       "wait S sys=futex blocked=60us\n u main\n u lock\n k s\n"
			       "wait S sys=clock_nanosleep blocked=30us\n u main\n u nap\n k s\n"
			       "wait S sys=futex blocked=10us\n u main\n u nap\n k s\n";

static void test_svg__says_what_was_waited_for(void **state)
{
	struct profile *p = lit(by_cause);
	char *svg = rendered(p, &render_svg, (struct render_options){ 0 });

	(void)state;
	assert_has(svg, "<title>lock (60 µs, 60.00%, 1 wait, futex)</title>");
	assert_has(svg, "<title>nap (40 µs, 40.00%, 2 waits, mostly sleep)</title>");
	assert_has(svg, "<title>main (100 µs, 100.00%, 3 waits, mostly futex)</title>");
	assert_has(svg, ">sleep 30.00%<");
	mem_free(svg);
	svg = rendered(p, &render_svg, (struct render_options){ .palette = "io" });
	assert_null(strstr(svg, ">sleep 30.00%<"));
	mem_free(svg);
	profile__free(p);
}

static void test_svg__by_cause_has_a_legend_with_shares(void **state)
{
	struct profile *p = lit(by_cause);
	char *svg = rendered(p, &render_svg, (struct render_options){ .palette = "cause" });
	const char *futex = strstr(svg, ">futex 70.00%</text>");
	const char *sleep = strstr(svg, ">sleep 30.00%</text>");
	struct color red = palette_color(palette_find("cause"), TREE_USER, "", CAUSE_FUTEX);
	char fill[64];

	(void)state;
	assert_true(futex && sleep && futex < sleep);
	snprintf(fill, sizeof(fill), "fill=\"rgb(%u,%u,%u)\"", red.r, red.g, red.b);
	assert_has(svg, fill);
	mem_free(svg);
	profile__free(p);
}

static void test_svg__has_a_legend_of_the_kinds_that_occur(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=9us\n u main\n k s\n");
	char *svg = rendered(p, &render_svg, (struct render_options){ .palette = "io" });

	(void)state;
	assert_has(svg, ">user</text>");
	assert_has(svg, ">kernel</text>");
	assert_null(strstr(svg, ">interpreted</text>"));
	assert_null(strstr(svg, ">inlined</text>"));
	assert_null(strstr(svg, ">too narrow"));
	mem_free(svg);
	profile__free(p);
}

static u32 count_of(const char *text, const char *word)
{
	u32 n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* The command is whole, on as many lines as it takes, and the picture is as high as they need. */
static void test_svg__wraps_the_small_print(void **state)
{
	char text[2000] = "command coldspot record";
	char *wide, *narrow;
	struct profile *p;
	u32 i, wide_h, narrow_h;

	(void)state;
	for (i = 0; i < 60; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " --word%02u", i);
	strcat(text, "\n");
	p = lit(text);
	wide = rendered(p, &render_svg, (struct render_options){ .width = 4000 });
	narrow = rendered(p, &render_svg, (struct render_options){ .width = 400 });
	assert_has(wide, "coldspot record --word00 --word01 ");
	for (i = 0; i < 60; i++) {
		char word[16];

		snprintf(word, sizeof(word), "--word%02u", i);
		assert_int_equal(count_of(narrow, word), 1);
	}
	assert_true(count_of(narrow, "class=\"foot\"") > count_of(wide, "class=\"foot\"") + 8);
	assert_int_equal(sscanf(strstr(wide, " height="), " height=\"%u\"", &wide_h), 1);
	assert_int_equal(sscanf(strstr(narrow, " height="), " height=\"%u\"", &narrow_h), 1);
	assert_true(narrow_h > wide_h + 8 * 15);
	mem_free(wide);
	mem_free(narrow);
	profile__free(p);
}

static void test_svg__tells_losses_and_command(void **state)
{
	struct profile *p = lit("command coldspot record -a\nloss stack_cut 3 20ms\n");
	char *svg = rendered(p, &render_svg, (struct render_options){ 0 });

	(void)state;
	assert_non_null(
		strstr(svg, ">Lost: 3 kernel stacks truncated at the depth limit (20.0 ms)<"));
	assert_non_null(strstr(svg, ">coldspot record -a</text>"));
	assert_null(strstr(svg, "Nothing lost"));
	mem_free(svg);
	profile__free(p);
}

/* Nothing outside the file is asked for, and nothing runs but our script. */
static void test_svg__needs_no_other_file(void **state)
{
	struct profile *p = lit("");
	char *svg = rendered(p, &render_svg, (struct render_options){ 0 }), *at;

	(void)state;
	assert_null(strstr(svg, "href"));
	assert_null(strstr(svg, "src="));
	assert_null(strstr(svg, "@import"));
	assert_null(strstr(svg, "onload"));
	for (at = svg; (at = strstr(at, "url(")); at++)
		assert_int_equal(strncmp(at, "url(#", 5), 0);
	for (at = svg; (at = strstr(at, "http")); at++)
		assert_int_equal(strncmp(at, "http://www.w3.org/2000/svg", 26), 0);
	mem_free(svg);
	profile__free(p);
}

static void test_svg__refuses_impossible_options(void **state)
{
	static const struct render_options wrong[] = {
		{ .palette = "plaid" },	 { .width = 399 },	{ .width = 20001 },
		{ .min_share = -0.001 }, { .min_share = 1.01 }, { .min_share = __builtin_nan("") },
	};
	struct profile *p = lit("");
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err err = { 0 };
		struct sink out;

		sink__init_mem(&out);
		assert_int_equal(render_svg.render(p, &wrong[i], &out, &err), -EINVAL);
		assert_true(*err.msg);
		assert_int_equal(out.total_bytes, 0);
		sink__done(&out);
	}
	profile__free(p);
}

static void test_svg__of_samples_says_how_sure_it_is(void **state)
{
	struct profile *p = lit("period 1ms\nwindow 1s\nncpu 2\nswitches_seen 100\n"
				"waits_chosen 22\nprog_runs 200\nprog 100us\nself_cpu 1900us\n"
				"task 1/1 a S=21500us runq=5us\n"
				"wait S blocked=3ms count=40 samples=3 var=2560000\n u few\n"
				"wait S blocked=18ms count=90 samples=18 var=12250000\n u many\n");
	char *svg = rendered(p, &render_svg, (struct render_options){ .sides = SIDE_USER });

	(void)state;
	assert_non_null(strstr(svg, "<title>all (21,505 µs, 100.00%, about 130 waits)</title>"));
	assert_non_null(strstr(svg, "<title>a (21,505 µs, 100.00%, about 130 waits)</title>"));
	assert_non_null(strstr(svg, "<title>few (3,000 ±1,600 µs, 14.29%, about 40 waits, only 3 "
				    "samples)</title>"));
	assert_non_null(
		strstr(svg, "<title>many (18,000 ±3,500 µs, 85.71%, about 90 waits)</title>"));
	assert_non_null(strstr(svg, "21.5 ms in about 130 waits of 1 thread: blocked 21.5 ms, "
				    "waiting for a CPU 5.00 µs."));
	assert_non_null(strstr(svg, "100 switches seen, 22 waits chosen (one per 1.00 ms waited); "
				    "cost: 0.10% of the machine, 1.00 µs a switch."));
	mem_free(svg);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_svg__frames_nest_and_add_up),
		cmocka_unit_test(test_svg__draws_at_most_5000_frames),
		cmocka_unit_test(test_svg__leaves_out_small_shares),
		cmocka_unit_test(test_svg__turns_over_for_an_icicle),
		cmocka_unit_test(test_svg__escapes_names),
		cmocka_unit_test(test_svg__says_value_share_and_count),
		cmocka_unit_test(test_svg__says_what_a_colour_means),
		cmocka_unit_test(test_svg__says_what_was_waited_for),
		cmocka_unit_test(test_svg__by_cause_has_a_legend_with_shares),
		cmocka_unit_test(test_svg__has_a_legend_of_the_kinds_that_occur),
		cmocka_unit_test(test_svg__wraps_the_small_print),
		cmocka_unit_test(test_svg__tells_losses_and_command),
		cmocka_unit_test(test_svg__needs_no_other_file),
		cmocka_unit_test(test_svg__refuses_impossible_options),
		cmocka_unit_test(test_svg__of_samples_says_how_sure_it_is),
	};

	return cmocka_run_group_tests_name("svg", tests, NULL, NULL);
}

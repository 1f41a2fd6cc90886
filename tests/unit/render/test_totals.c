/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every format tells the same total: what a reader adds up is what the profile lists, within the
 * rounding that the format states.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rendered.h"
#include "profile/builder.h"
#include "render/formats.h"

static const char *const cases[] = {
	"shop", "nasty", "empty", "lost", "deep", "kernel", "unnamed"
};

static struct profile *load(size_t i)
{
	struct profile *p = NULL;
	struct err err;
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
	if (literal_load(path, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static u64 listed_ns(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.listed_blocked_ns + b.listed_runq_ns;
}

/* The sum of the numbers at the ends of the lines, and their number. */
static u64 sum_line_ends(char *text, u64 *ret_rows)
{
	char *line, *save = NULL;
	u64 sum = 0;

	*ret_rows = 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *space = strrchr(line, ' '), *end;
		u64 n;

		if (!space || !space[1])
			continue; /* a name with a newline in it */
		n = strtoull(space + 1, &end, 10);
		if (*end)
			continue;
		sum += n;
		++*ret_rows;
	}
	return sum;
}

/* Each row is within half a microsecond; a row that is not printed is below that. */
static void assert_within_rounding(const struct profile *p, u64 sum_us)
{
	u64 listed = listed_ns(p), slack = (p->waits_len - 1) * 500;

	assert_true(sum_us * 1000 <= listed + slack);
	assert_true(sum_us * 1000 + slack >= listed);
}

static void test_totals__of_lines_are_those_of_the_profile(void **state)
{
	static const struct render_ops *const formats[] = { &render_folded, &render_wide,
							    &render_txt };
	static const struct render_options options[] = {
		{ 0 },
		{ .delimiter = true },
		{ .sides = SIDE_USER },
		{ .sides = SIDE_KERNEL },
		{ .offsets = true },
		{ .verbose = true },
	};
	size_t c, f, o;

	(void)state;
	for (c = 0; c < ARRAY_LEN(cases); c++) {
		struct profile *p = load(c);

		for (f = 0; f < ARRAY_LEN(formats); f++) {
			for (o = 0; o < ARRAY_LEN(options); o++) {
				char *text = rendered(p, formats[f], options[o]);
				u64 rows;

				assert_within_rounding(p, sum_line_ends(text, &rows));
				assert_true(rows <= p->waits_len - 1);
				mem_free(text);
			}
		}
		profile__free(p);
	}
}

static void test_totals__in_nanoseconds_are_exact(void **state)
{
	size_t c;

	(void)state;
	for (c = 0; c < ARRAY_LEN(cases); c++) {
		struct render_options opt = { .unit = RENDER_UNIT_NS };
		struct profile *p = load(c);
		char *folded = rendered(p, &render_folded, opt);
		char *wide = rendered(p, &render_wide, opt);
		u64 rows;

		assert_int_equal(sum_line_ends(folded, &rows), listed_ns(p));
		assert_int_equal(sum_line_ends(wide, &rows), listed_ns(p));
		mem_free(folded);
		mem_free(wide);
		profile__free(p);
	}
}

/* A format whose bytes are no text; its own test looks into it. */
static bool is_binary(const struct render_ops *format)
{
	return format == &render_pprof || format == &render_perfetto || format == &render_otlp;
}

/* Twice the same bytes: nothing depends on addresses, time or order of hashing. */
static void test_totals__rendering_is_repeatable(void **state)
{
	size_t c, f;

	(void)state;
	for (c = 0; c < ARRAY_LEN(cases); c++) {
		struct profile *p = load(c), *q = load(c);

		for (f = 0; render_formats[f]; f++) {
			struct render_options opt = { 0 };
			char *one, *two;

			if (is_binary(render_formats[f]))
				continue;
			one = rendered(p, render_formats[f], opt);
			two = rendered(q, render_formats[f], opt);
			assert_string_equal(one, two);
			mem_free(one);
			mem_free(two);
		}
		profile__free(p);
		profile__free(q);
	}
}

/* A wait whose thread is not known: its record was lost. */
static void test_totals__hold_a_wait_without_a_thread(void **state)
{
	struct builder *b = builder__new();
	struct profile_wait w = { .sysno = -1,
				  .state = 1,
				  .blocked_ns = 7000,
				  .count = 1,
				  .samples = 1,
				  .max_ns = 7000,
				  .hist = { [3] = 1 } };
	struct profile *p;
	struct err err;
	size_t f;

	(void)state;
	assert_int_equal(builder__wait(b, &w), 0);
	if (builder__freeze(b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	for (f = 0; render_formats[f]; f++) {
		char *text;

		if (is_binary(render_formats[f]) || render_formats[f]->needs_moments)
			continue;
		text = rendered(p, render_formats[f], (struct render_options){ 0 });
		assert_true(strstr(text, "7") != NULL);
		mem_free(text);
	}
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals__of_lines_are_those_of_the_profile),
		cmocka_unit_test(test_totals__in_nanoseconds_are_exact),
		cmocka_unit_test(test_totals__rendering_is_repeatable),
		cmocka_unit_test(test_totals__hold_a_wait_without_a_thread),
	};

	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}

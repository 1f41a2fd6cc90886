/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/words/cause_color.h"
#include "render/words/palette.h"

/* https://bottosson.github.io/posts/oklab/: equal steps look equal. */
struct lab {
	double l;
	double a;
	double b;
};

static double linear(u8 channel)
{
	double v = channel / 255.0;

	return v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static struct lab lab_of(struct color c)
{
	double r = linear(c.r), g = linear(c.g), b = linear(c.b);
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	return (struct lab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
			     1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
			     0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

static double distance(struct lab a, struct lab b)
{
	return sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) +
		    (a.b - b.b) * (a.b - b.b));
}

static double contrast(double a, double b)
{
	return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
}

static double luminance(struct color c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static void test_cause_color__tells_causes_apart(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		struct lab a = lab_of(cause_color((enum cause)i));

		if (distance(a, lab_of(cause_color_idle())) < 0.06)
			fail_msg("'%s' looks like idle", cause_name((enum cause)i));
		for (j = 0; j < i; j++) {
			if (distance(a, lab_of(cause_color((enum cause)j))) < 0.06)
				fail_msg("'%s' and '%s' look alike", cause_name((enum cause)i),
					 cause_name((enum cause)j));
		}
	}
}

/* The darkest and the brightest that the page writes in, in either theme (web/src/color.ts). */
static void test_cause_color__lets_text_be_read(void **state)
{
	static const struct color inks[2][2] = { { { 24, 26, 32 }, { 250, 250, 252 } },
						 { { 14, 15, 19 }, { 240, 242, 246 } } };
	int i, theme;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		double light = luminance(cause_color((enum cause)i));

		for (theme = 0; theme < 2; theme++) {
			if (contrast(light, luminance(inks[theme][0])) < 4.5 &&
			    contrast(light, luminance(inks[theme][1])) < 4.5)
				fail_msg("no text can be read on '%s'", cause_name((enum cause)i));
		}
	}
}

static double hue_of(struct lab c)
{
	return atan2(c.b, c.a) * 180 / M_PI;
}

/* Where a colour has a hue at all: greys have none. */
static void test_cause_color__is_near_to_its_family(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		for (j = 0; j < i; j++) {
			struct lab a = lab_of(cause_color((enum cause)i));
			struct lab b = lab_of(cause_color((enum cause)j));
			double apart = fabs(hue_of(a) - hue_of(b));

			if (cause_row((enum cause)i)->family != cause_row((enum cause)j)->family ||
			    hypot(a.a, a.b) < 0.03 || hypot(b.a, b.b) < 0.03)
				continue;
			if ((apart > 180 ? 360 - apart : apart) > 60)
				fail_msg("'%s' and '%s' are of one family",
					 cause_name((enum cause)i), cause_name((enum cause)j));
		}
	}
}

static void test_cause_family__has_a_letter_of_its_own(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < CAUSE_FAMILY_CNT; i++) {
		const struct cause_family_row *a = cause_family_row((enum cause_family)i);

		for (j = 0; j < i; j++) {
			const struct cause_family_row *b = cause_family_row((enum cause_family)j);

			assert_int_not_equal(a->letter, b->letter);
			assert_string_not_equal(a->name, b->name);
		}
	}
}

static void test_cause_color__knows_names_of_the_firefox_profiler(void **state)
{
	static const char known[] = " transparent purple green orange yellow lightblue blue brown "
				    "magenta red lightred darkgrey ";
	int i;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		char word[32] = " ";

		strncat(word, cause_color_firefox((enum cause)i), sizeof(word) - 3);
		strncat(word, " ", 2);
		if (!strstr(known, word))
			fail_msg("'%s' is no colour of it", word);
	}
}

static void test_cause_color__of_no_cause_is_that_of_unknown(void **state)
{
	struct color none = cause_color((enum cause)CAUSE_CNT);
	struct color unknown = cause_color(CAUSE_UNKNOWN);

	(void)state;
	assert_memory_equal(&none, &unknown, sizeof(none));
}

static void test_palette_color__by_cause_has_the_hue_of_the_cause(void **state)
{
	const struct palette *pal = palette_find("cause");
	struct color red = palette_color(pal, TREE_USER, "a", CAUSE_FUTEX);
	struct color pale = palette_color(pal, TREE_KERNEL, "a", CAUSE_FUTEX);
	struct color blue = palette_color(pal, TREE_USER, "a", CAUSE_NET_RECV);
	struct color several = palette_color(pal, TREE_USER, "a", CAUSE_CNT);
	struct color group = palette_color(pal, TREE_GROUP, "a", CAUSE_FUTEX);

	(void)state;
	assert_true(red.r > red.g + 50 && red.r > red.b + 50);
	assert_true(blue.b > blue.r + 50);
	assert_true(pale.g > red.g + 20 && pale.r >= red.r);
	assert_true(several.r - several.g < 10 && several.b - several.g < 10);
	assert_true(group.r < group.b); /* no frame of code: as in every palette */
}

static void test_palette_color__by_cause_tells_kinds_by_lightness(void **state)
{
	static const enum tree_kind darkest_first[] = { TREE_CODE, TREE_USER, TREE_INLINED,
							TREE_KERNEL };
	const struct palette *pal = palette_find("cause");
	int i;
	size_t k;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		for (k = 1; k < ARRAY_LEN(darkest_first); k++) {
			struct color a = palette_color(pal, darkest_first[k - 1], "f", (u32)i);
			struct color b = palette_color(pal, darkest_first[k], "f", (u32)i);

			assert_true(a.r + a.g + a.b < b.r + b.g + b.b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cause_color__tells_causes_apart),
		cmocka_unit_test(test_cause_color__lets_text_be_read),
		cmocka_unit_test(test_cause_color__is_near_to_its_family),
		cmocka_unit_test(test_cause_family__has_a_letter_of_its_own),
		cmocka_unit_test(test_cause_color__knows_names_of_the_firefox_profiler),
		cmocka_unit_test(test_cause_color__of_no_cause_is_that_of_unknown),
		cmocka_unit_test(test_palette_color__by_cause_has_the_hue_of_the_cause),
		cmocka_unit_test(test_palette_color__by_cause_tells_kinds_by_lightness),
	};

	return cmocka_run_group_tests_name("cause_color", tests, NULL, NULL);
}

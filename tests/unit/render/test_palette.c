/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "render/words/palette.h"

static u32 lightness(struct color c)
{
	return c.r * 3u + c.g * 6u + c.b;
}

static void test_palette_find__knows_its_names(void **state)
{
	size_t i;

	(void)state;
	assert_ptr_equal(palette_find(NULL), &palettes[0]);
	assert_string_equal(palettes[0].name, "io");
	for (i = 0; palettes[i].name; i++)
		assert_ptr_equal(palette_find(palettes[i].name), &palettes[i]);
	assert_null(palette_find("chartreuse"));
	assert_null(palette_find(""));
}

static void test_palette_color__io_stays_in_its_range(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct color c;
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		c = palette_color(palette_find("io"), TREE_USER, name, CAUSE_CNT);
		assert_true(c.r >= 80 && c.r <= 140);
		assert_int_equal(c.g, c.r);
		assert_true(c.b >= 190 && c.b <= 245);
	}
}

static void test_palette_color__uses_all_of_the_range(void **state)
{
	bool seen[61] = { false };
	u32 i, n = 0;

	(void)state;
	for (i = 0; i < 5000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		seen[palette_color(palette_find("io"), TREE_USER, name, CAUSE_CNT).r - 80] = true;
	}
	for (i = 0; i < 61; i++)
		n += seen[i];
	assert_true(n >= 60);
}

static void test_palette_color__depends_on_the_name_alone(void **state)
{
	struct color a = palette_color(palette_find(NULL), TREE_USER, "main", CAUSE_CNT);
	struct color b = palette_color(palette_find(NULL), TREE_USER, "main", CAUSE_CNT);
	struct color c = palette_color(palette_find(NULL), TREE_USER, "main2", CAUSE_CNT);

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(&a, &c, sizeof(a));
}

static void test_palette_color__kernel_frames_are_paler_in_every_palette(void **state)
{
	size_t i;
	u32 n;

	(void)state;
	for (i = 0; palettes[i].name; i++) {
		for (n = 0; n < 200; n++) {
			char name[16];

			snprintf(name, sizeof(name), "f%u", n);
			assert_true(
				lightness(
					palette_color(&palettes[i], TREE_KERNEL, name, CAUSE_CNT)) >
				lightness(palette_color(&palettes[i], TREE_USER, name, CAUSE_CNT)) +
					100);
		}
	}
}

static void test_palette_color__interpreted_frames_have_a_hue_of_their_own(void **state)
{
	size_t i;
	u32 n;

	(void)state;
	for (i = 0; palettes[i].name; i++) {
		bool green;

		if (palettes[i].by_cause)
			continue;
		green = strcmp(palettes[i].name, "mem") && strcmp(palettes[i].name, "aqua") &&
			strcmp(palettes[i].name, "wakeup");

		for (n = 0; n < 200; n++) {
			struct color c;
			char name[16];

			snprintf(name, sizeof(name), "f%u", n);
			c = palette_color(&palettes[i], TREE_CODE, name, CAUSE_CNT);
			assert_true(green ? c.g > c.r + 40 && c.g > c.b + 40 :
					    c.r + 10 > c.g && c.g > c.b + 40);
		}
	}
}

/* flamegraph.pl: frames of wakers in aqua, those of waits in blue. */
static void test_palette_color__chain_has_two_hues(void **state)
{
	const struct palette *chain = palette_find("chain"), *io = palette_find("io");
	u32 n;

	(void)state;
	for (n = 0; n < 200; n++) {
		struct color waker, wait;
		char name[16];

		snprintf(name, sizeof(name), "f%u", n);
		waker = palette_color(chain, TREE_WAKER, name, CAUSE_CNT);
		wait = palette_color(chain, TREE_USER, name, CAUSE_CNT);
		assert_true(waker.r <= 110 && waker.g >= 165 && waker.g == waker.b);
		assert_true(wait.r == wait.g && wait.b >= 205);
		assert_true(lightness(palette_color(io, TREE_WAKER, name, CAUSE_CNT)) >
			    lightness(palette_color(io, TREE_USER, name, CAUSE_CNT)));
	}
}

static void test_palette_color__frames_without_a_function_share_a_colour(void **state)
{
	struct color a = palette_color(palette_find("hot"), TREE_NOTE, "[lost]", CAUSE_CNT);
	struct color b = palette_color(palette_find("io"), TREE_NOTE, "[cut off]", CAUSE_CNT);
	struct color mark = palette_color(palette_find("io"), TREE_MARK, "-", CAUSE_CNT);

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_true(mark.r == 200 && mark.g == 200 && mark.b == 200);
	mark = palette_color(palette_find("hot"), TREE_TRUNCATED, "[truncated: no CFI]", CAUSE_CNT);
	assert_true(mark.r == mark.g && mark.g == mark.b && mark.r < 200);
}

static double light_of(u8 channel)
{
	double v = channel / 255.0;

	return v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Of white or black words on it, as they are chosen. */
static double contrast_of(struct color c)
{
	double light = 0.2126 * light_of(c.r) + 0.7152 * light_of(c.g) + 0.0722 * light_of(c.b);

	return color_is_dark(c) ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05;
}

static void test_color_is_dark__words_can_be_read_in_every_palette(void **state)
{
	static const enum tree_kind kinds[] = { TREE_ALL,     TREE_GROUP,  TREE_USER,
						TREE_INLINED, TREE_CODE,   TREE_KERNEL,
						TREE_NOTE,    TREE_ON_CPU, TREE_WAKER };
	size_t i, k;
	u32 n;

	(void)state;
	for (i = 0; palettes[i].name; i++) {
		for (n = 0; n < 400; n++) {
			char name[16];

			snprintf(name, sizeof(name), "f%u", n);
			for (k = 0; k < ARRAY_LEN(kinds); k++)
				assert_true(contrast_of(palette_color_heat(&palettes[i], kinds[k],
									   name, n % 5, 4)) >= 4.5);
		}
	}
	assert_true(color_is_dark((struct color){ 25, 85, 230 }));
	assert_false(color_is_dark((struct color){ 230, 0, 230 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_palette_find__knows_its_names),
		cmocka_unit_test(test_palette_color__io_stays_in_its_range),
		cmocka_unit_test(test_palette_color__uses_all_of_the_range),
		cmocka_unit_test(test_palette_color__depends_on_the_name_alone),
		cmocka_unit_test(test_palette_color__kernel_frames_are_paler_in_every_palette),
		cmocka_unit_test(test_palette_color__interpreted_frames_have_a_hue_of_their_own),
		cmocka_unit_test(test_palette_color__chain_has_two_hues),
		cmocka_unit_test(test_palette_color__frames_without_a_function_share_a_colour),
		cmocka_unit_test(test_color_is_dark__words_can_be_read_in_every_palette),
	};

	return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}

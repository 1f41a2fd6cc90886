/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/cause_color.h"

static void test_cause_color__tells_causes_apart(void **state)
{
	int i, j;

	(void)state;
	for (i = 0; i < CAUSE_CNT; i++) {
		struct color a = cause_color((enum cause)i);

		assert_true(a.r || a.g || a.b); /* a new cause needs a row */
		for (j = 0; j < i; j++) {
			struct color b = cause_color((enum cause)j);

			if (memcmp(&a, &b, sizeof(a)) == 0)
				fail_msg("'%s' and '%s' look alike", cause_name((enum cause)i),
					 cause_name((enum cause)j));
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
		cmocka_unit_test(test_cause_color__knows_names_of_the_firefox_profiler),
		cmocka_unit_test(test_cause_color__of_no_cause_is_that_of_unknown),
		cmocka_unit_test(test_palette_color__by_cause_has_the_hue_of_the_cause),
		cmocka_unit_test(test_palette_color__by_cause_tells_kinds_by_lightness),
	};

	return cmocka_run_group_tests_name("cause_color", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is broken to the width of a screen, and spans that are cut to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sink.h"
#include "tui/lines.h"
#include "tui/screen.h"

/* All lines, each closed by '|'. */
static const char *broken(u32 cols, u32 indent, const char *text)
{
	static char all[1024];
	struct lines l;
	size_t len = 0;

	lines__init(&l, cols, false);
	lines__put(&l, 0, indent, text);
	for (size_t i = 0; i < l.list.len; i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s|",
					((struct line *)vec__at(&l.list, i))->text);
	assert_false(l.failed);
	lines__done(&l);
	return all;
}

static void test_lines_break_at_spaces(void **state)
{
	(void)state;
	assert_string_equal(broken(20, 0, "one two three four"), "one two three four|");
	assert_string_equal(broken(10, 0, "one two three four"), "one two|three four|");
	assert_string_equal(broken(13, 2, "one two three four"), "  one two|  three four|");
	/* a word that is too long */
	assert_string_equal(broken(10, 0, "a abcdefghijklmno p"), "a|abcdefghij|klmno p|");
	/* by columns, not by bytes */
	assert_string_equal(broken(10, 0, "\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4 b"),
			    "\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4|b|");
	assert_string_equal(broken(4, 0, "\u65e5\u672c\u8a9e"), "\u65e5\u672c|\u8a9e|");
	assert_string_equal(broken(1, 6, "ab"), "a|b|");
	assert_string_equal(broken(10, 4, ""), "|");
}

static void test_spans_are_cut(void **state)
{
	struct screen s;
	u32 cause;

	(void)state;
	assert_int_equal(screen__init(&s, 2, 5, false), 0);
	screen__put(&s, 0, ATTR_BOLD, "ab");
	screen__put(&s, 0, 0, "c\u65e5\u672c");
	assert_string_equal(s.lines[0].first->text, "ab");
	assert_int_equal(s.lines[0].first->attr, ATTR_BOLD);
	assert_string_equal(s.lines[0].last->text, "c\u65e5");
	assert_int_equal(screen__left(&s, 0), 0);
	screen__put(&s, 0, 0, "more");
	screen__put(&s, 7, 0, "nowhere");
	/* half of a wide character is not shown */
	screen__cut(&s, 0, 4);
	assert_string_equal(s.lines[0].last->text, "c");
	screen__put_right(&s, 1, 0, "xy", 5);
	assert_int_equal(s.lines[1].col, 5);
	assert_string_equal(s.lines[1].first->text, "   ");
	screen__done(&s);
	assert_false(attr_cause(ATTR_BOLD, &cause));
	assert_true(attr_cause(ATTR_OF_CAUSE(7) | ATTR_DIM, &cause));
	assert_int_equal(cause, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_break_at_spaces),
		cmocka_unit_test(test_spans_are_cut),
	};

	return cmocka_run_group_tests_name("tui/lines", tests, NULL, NULL);
}

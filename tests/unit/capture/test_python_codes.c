/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/runtime/python_codes.h"

static void set_text(u8 *to, u32 *ret_len, u32 *ret_char, const char *text)
{
	*ret_len = (u32)strlen(text);
	*ret_char = 0;
	memcpy(to, text, strlen(text));
}

static struct cs_code_event sample(void)
{
	struct cs_code_event ev = { .kind = CS_EVENT_CODE, .tgid = (u32)getpid() };

	ev.image = 7;
	ev.code = 0x1230;
	ev.version = 3U << 8 | 11;
	ev.first_line = 10;
	set_text(ev.file, &ev.file_len, &ev.file_char, "/a/b.py");
	set_text(ev.name, &ev.name_len, &ev.name_char, "C.f");
	ev.lines_len = 2;
	memcpy(ev.lines, "\x80\x00", 2);
	return ev;
}

struct seen {
	struct interpreted_code code;
	char file[PYTHON_TEXT_SZ];
	char name[PYTHON_TEXT_SZ];
	u8 lines[8192];
	size_t lines_len;
	u32 calls;
	int r;
};

static int see(void *arg, const struct interpreted_code *code)
{
	struct seen *seen = arg;

	seen->code = *code;
	snprintf(seen->file, sizeof(seen->file), "%s", code->file);
	snprintf(seen->name, sizeof(seen->name), "%s", code->name);
	seen->lines_len = view__left(&code->lines);
	assert_true(seen->lines_len <= sizeof(seen->lines));
	memcpy(seen->lines, code->lines.p, seen->lines_len);
	seen->calls++;
	return seen->r;
}

static void test_python_codes__take_keeps_what_was_told(void **state)
{
	struct cs_code_event ev = sample();
	struct seen seen = { 0 };
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 1);
	assert_true(seen.code.image == 7 && seen.code.code == 0x1230);
	assert_int_equal(seen.code.version, 3U << 8 | 11);
	assert_int_equal(seen.code.first_line, 10);
	assert_string_equal(seen.file, "/a/b.py");
	assert_string_equal(seen.name, "C.f");
	assert_int_equal(seen.lines_len, 2);
	assert_memory_equal(seen.lines, "\x80\x00", 2);
	assert_false(seen.code.lines_cut);
	python_codes__done(&pc);
	python_codes__done(NULL);
}

static void test_python_codes__take_keeps_the_first_of_two(void **state)
{
	struct cs_code_event ev = sample();
	struct seen seen = { 0 };
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	ev.name[0] = 'D';
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	ev.image = 8;
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 2);
	assert_string_equal(seen.name, "D.f");
	python_codes__done(&pc);
}

static void take(struct python_codes *pc, u64 image, char name)
{
	struct cs_code_event ev = sample();

	ev.image = image;
	ev.name[0] = (u8)name;
	assert_int_equal(python_codes__take(pc, &ev, sizeof(ev)), 0);
}

static void test_python_codes__give_gives_each_once(void **state)
{
	struct seen seen = { .r = -EIO };
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	take(&pc, 7, 'C');
	assert_int_equal(python_codes__give(&pc, see, &seen), -EIO);
	seen.r = 0;
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 2);
	assert_string_equal(seen.name, "C.f");
	/* It comes again, when the programs have forgotten that they told it. */
	take(&pc, 7, 'C');
	take(&pc, 8, 'D');
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	assert_string_equal(seen.name, "D.f");
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	python_codes__done(&pc);
}

static void test_python_codes__forget_makes_room(void **state)
{
	struct seen seen = { 0 };
	struct python_codes pc;
	struct ended ended;
	u64 bytes;

	(void)state;
	ended__init(&ended);
	assert_int_equal(python_codes__init(&pc), 0);
	take(&pc, 7, 'C');
	take(&pc, 8, 'D');
	bytes = pc.bytes;
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	take(&pc, 7, 'C');
	take(&pc, 9, 'E');
	assert_int_equal(ended__add_image(&ended, 7), 0);
	python_codes__forget(&pc, &ended);
	assert_true(pc.bytes == bytes);
	/* Of those that stay, one was given. */
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	assert_string_equal(seen.name, "E.f");
	take(&pc, 7, 'F');
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_string_equal(seen.name, "F.f");
	python_codes__done(&pc);
	ended__done(&ended);
}

static void test_python_codes__take_stops_where_it_is_full(void **state)
{
	struct cs_code_event ev = sample();
	struct seen seen = { 0 };
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	pc.bytes_max = 1;
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(pc.full, 0);
	ev.image = 8;
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(pc.full, 1);
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 1);
	python_codes__done(&pc);
}

static void test_python_codes__take_refuses_a_short_record(void **state)
{
	struct cs_code_event ev = sample();
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev) - 1), -EINVAL);
	assert_int_equal(python_codes__take(&pc, &ev, 0), -EINVAL);
	python_codes__done(&pc);
}

static u8 table[CS_CODE_LINES_SZ * 3];

static struct cs_code_event long_sample(void)
{
	struct cs_code_event ev = sample();
	size_t i;

	for (i = 0; i < sizeof(table); i++)
		table[i] = (u8)(i * 7);
	ev.lines_len = sizeof(table);
	ev.lines_addr = (u64)(uintptr_t)table;
	memcpy(ev.lines, table, CS_CODE_LINES_SZ);
	return ev;
}

static void test_python_codes__take_reads_a_long_table(void **state)
{
	struct cs_code_event ev = long_sample();
	struct seen seen = { 0 };
	struct python_codes pc;

	(void)state;
	assert_int_equal(python_codes__init(&pc), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.lines_len, sizeof(table));
	assert_memory_equal(seen.lines, table, sizeof(table));
	assert_false(seen.code.lines_cut);
	assert_true(pc.lines_lost == 0);
	python_codes__done(&pc);
}

static void test_python_codes__take_does_not_believe_another_table(void **state)
{
	struct cs_code_event ev = long_sample();
	struct seen seen = { 0 };
	struct python_codes pc;

	(void)state;
	table[17]++; /* the memory holds something else by now */
	assert_int_equal(python_codes__init(&pc), 0);
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	/* and here it is gone */
	ev.image++;
	ev.lines_addr = 4096;
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	/* and this is no table */
	ev.image++;
	ev.lines_len = ~0U;
	assert_int_equal(python_codes__take(&pc, &ev, sizeof(ev)), 0);
	assert_int_equal(python_codes__give(&pc, see, &seen), 0);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(seen.lines_len, CS_CODE_LINES_SZ);
	assert_memory_equal(seen.lines, ev.lines, CS_CODE_LINES_SZ);
	assert_true(seen.code.lines_cut);
	assert_true(pc.lines_lost == 3);
	python_codes__done(&pc);
}

static void check_text(const void *chars, u32 len, u32 width, const char *want)
{
	char buf[PYTHON_TEXT_SZ];

	python_text(chars, len, width, true, buf);
	assert_string_equal(buf, want);
}

static void test_python_text__is_utf8(void **state)
{
	static const u8 latin[] = { 'g', 'r', 0xfc, 0xdf, 'e' };
	static const u16 bmp[] = { 'a', 0x8def, 0x5f84, 0xdc80 };
	static const u32 wide[] = { 'a', 0x1f40d, 0x110000 };

	(void)state;
	check_text("abc", 3, 0, "abc");
	check_text("abc", 0, 0, "");
	check_text("a\0c", 3, 0, "a");
	check_text(latin, sizeof(latin), 1,
		   "gr\xc3\xbc\xc3\x9f"
		   "e");
	check_text(bmp, sizeof(bmp), 2, "a\xe8\xb7\xaf\xe5\xbe\x84?");
	check_text(wide, sizeof(wide), 4, "a\xf0\x9f\x90\x8d?");
	/* half a character at the end */
	check_text(bmp, 3, 2, "a");
}

static void test_python_text__fits_and_marks_a_cut(void **state)
{
	u8 chars[CS_CODE_NAME_SZ];
	char buf[PYTHON_TEXT_SZ];

	(void)state;
	memset(chars, 0xfc, sizeof(chars));
	python_text(chars, sizeof(chars), 1, true, buf);
	assert_int_equal(strlen(buf), 2 * CS_CODE_NAME_SZ);
	python_text(chars, sizeof(chars) + 1, 1, true, buf);
	assert_int_equal(strlen(buf), PYTHON_TEXT_SZ - 1);
	assert_memory_equal(buf, "...\xc3\xbc", 5);
	python_text(chars, ~0U, 1, false, buf);
	assert_memory_equal(buf, "\xc3\xbc", 2);
}

static void test_python_codes__survive_every_failed_allocation(void **state)
{
	struct cs_code_event ev = sample();
	struct python_codes pc;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = python_codes__init(&pc);
		if (!r)
			r = python_codes__take(&pc, &ev, sizeof(ev));
		python_codes__done(&pc);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_codes__take_keeps_what_was_told),
		cmocka_unit_test(test_python_codes__take_keeps_the_first_of_two),
		cmocka_unit_test(test_python_codes__give_gives_each_once),
		cmocka_unit_test(test_python_codes__forget_makes_room),
		cmocka_unit_test(test_python_codes__take_stops_where_it_is_full),
		cmocka_unit_test(test_python_codes__take_refuses_a_short_record),
		cmocka_unit_test(test_python_codes__take_reads_a_long_table),
		cmocka_unit_test(test_python_codes__take_does_not_believe_another_table),
		cmocka_unit_test(test_python_text__is_utf8),
		cmocka_unit_test(test_python_text__fits_and_marks_a_cut),
		cmocka_unit_test(test_python_codes__survive_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("python_codes", tests, NULL, NULL);
}

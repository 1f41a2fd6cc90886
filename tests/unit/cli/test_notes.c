/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "cli/notes.h"

static void good_machine(struct features *f)
{
	u32 id;

	memset(f, 0, sizeof(*f));
	for (id = 0; id < FEATURE_CNT; id++)
		f->at[id].state = FEATURE_YES;
}

static char *notes(const struct features *f, const struct capture_options *opt)
{
	struct sink out;
	size_t len;
	char *text;

	sink__init_mem(&out);
	notes_write(f, opt, &out);
	text = sink__steal(&out, &len);
	sink__done(&out);
	assert_non_null(text);
	return text;
}

static void expect(const struct features *f, const struct capture_options *opt, const char *want)
{
	char *text = notes(f, opt);

	if (want[0]) {
		assert_non_null(strstr(text, want));
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		assert_int_equal(strncmp(text, "coldspot: ", 10), 0);
	} else {
		assert_string_equal(text, "");
	}
	mem_free(text);
}

static void test_notes_write_is_silent_when_all_is_there(void **state)
{
	struct capture_options opt = { .user_stacks = true, .kernel_stacks = true };
	u32 self = (u32)getpid();
	struct features f;

	(void)state;
	good_machine(&f);
	expect(&f, &opt, "");
	opt.target = CAPTURE_PROCESSES;
	opt.ids = &self;
	opt.ids_len = 1;
	f.at[FEATURE_CAP_SYS_PTRACE].state = FEATURE_NO; /* our own needs none */
	expect(&f, &opt, "");
}

static void test_notes_write_tells_of_hidden_kernel_names(void **state)
{
	struct capture_options opt = { .kernel_stacks = true };
	struct features f;

	(void)state;
	good_machine(&f);
	f.at[FEATURE_KALLSYMS].state = FEATURE_NO;
	snprintf(f.at[FEATURE_KALLSYMS].detail, sizeof(f.at[0].detail), "kptr_restrict is 2");
	expect(&f, &opt, "kernel frames will have no names: kptr_restrict is 2; ");
	opt.kernel_stacks = false;
	opt.user_stacks = true;
	expect(&f, &opt, "");
}

static void test_notes_write_tells_of_other_users(void **state)
{
	struct capture_options opt = { .user_stacks = true };
	struct features f;

	(void)state;
	good_machine(&f);
	f.at[FEATURE_CAP_SYS_PTRACE].state = FEATURE_NO;
	expect(&f, &opt, "no CAP_SYS_PTRACE");
	opt.user_stacks = false;
	expect(&f, &opt, "");
}

static void test_notes_write_tells_of_shallow_stacks(void **state)
{
	struct capture_options opt = { .user_stacks = true };
	struct features f;

	(void)state;
	good_machine(&f);
	f.at[FEATURE_MAX_STACK].state = FEATURE_NO;
	snprintf(f.at[FEATURE_MAX_STACK].detail, sizeof(f.at[0].detail), "16 frames");
	expect(&f, &opt, "stacks deeper than 16 frames are cut");
	opt.user_stacks = false;
	expect(&f, &opt, "");
}

static void test_notes_write_is_silent_about_what_is_gone(void **state)
{
	u32 gone = 4194303;
	struct capture_options opt = {
		.user_stacks = true, .target = CAPTURE_PROCESSES, .ids = &gone, .ids_len = 1
	};
	struct features f;

	(void)state;
	good_machine(&f);
	expect(&f, &opt, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_write_is_silent_when_all_is_there),
		cmocka_unit_test(test_notes_write_tells_of_hidden_kernel_names),
		cmocka_unit_test(test_notes_write_tells_of_other_users),
		cmocka_unit_test(test_notes_write_tells_of_shallow_stacks),
		cmocka_unit_test(test_notes_write_is_silent_about_what_is_gone),
	};

	return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}

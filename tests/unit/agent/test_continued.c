/* SPDX-License-Identifier: Apache-2.0 */
/* Where a store ends that an agent goes on with. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "agent/continued.h"
#include "agent/keeper.h"
#include "base/boot_id.h"
#include "lib/lit.h"
#include "lib/workdir.h"

#define DAY_NS (86400 * NSEC_PER_SEC)

static struct workdir dir;
static struct agent_settings settings;

static u64 end_of(const char *store)
{
	struct err err = { 0 };
	u64 end_ns;

	if (continued_from(workdir__path(&dir, store), &end_ns, &err))
		fail_msg("%s", err.msg);
	return end_ns;
}

/* A window of 2 s that begins at `mono_ns`. "": no boot is known. */
static void keep(struct keeper *k, u64 wall_ns, u64 mono_ns, const char *boot)
{
	char text[256];
	struct profile *p;
	struct err err = { 0 };

	snprintf(text, sizeof(text),
		 "host db1\n%s%s\nbegin_wall %llu\nbegin_mono %lluns\nwindow 2s\n"
		 "task 4/4 main start=7 on=1s\n",
		 *boot ? "boot " : "", boot, wall_ns, mono_ns);
	p = lit(text);
	if (keeper__add(k, &settings, NULL, p, &err))
		fail_msg("%s", err.msg);
	profile__free(p);
}

static void open_keeper(struct keeper *k, const char *store)
{
	assert_int_equal(keeper__init(k, workdir__path(&dir, store), NULL), 0);
}

static void test_continued_from__is_the_end_of_the_last_window(void **state)
{
	char boot[BOOT_ID_SZ];
	struct keeper k;

	(void)state;
	assert_true(boot_id_read(boot));
	open_keeper(&k, "here");
	keep(&k, 3 * DAY_NS, 70 * NSEC_PER_SEC, boot);
	keep(&k, 4 * DAY_NS, 90 * NSEC_PER_SEC, boot);
	assert_int_equal(k.end_mono_ns, 92 * NSEC_PER_SEC);
	/* as after kill -9 */
	assert_int_equal(end_of("here"), 92 * NSEC_PER_SEC);
	keeper__done(&k);
	assert_int_equal(end_of("here"), 92 * NSEC_PER_SEC);
}

/* Its file has the name of a day that has not come, and stays the last one. */
static void test_continued_from__is_not_the_end_of_a_wrong_clock(void **state)
{
	char boot[BOOT_ID_SZ];
	struct keeper k;

	(void)state;
	assert_true(boot_id_read(boot));
	open_keeper(&k, "ahead");
	keep(&k, 8 * DAY_NS, 70 * NSEC_PER_SEC, boot);
	keep(&k, 9 * DAY_NS, 500 * NSEC_PER_SEC, "5f1c");
	keep(&k, 4 * DAY_NS, 90 * NSEC_PER_SEC, boot);
	keeper__done(&k);
	assert_int_equal(end_of("ahead"), 92 * NSEC_PER_SEC);
}

/* Its clock means nothing here. */
static void test_continued_from__is_the_boot_if_there_was_one(void **state)
{
	struct keeper k;

	(void)state;
	open_keeper(&k, "before");
	keep(&k, 3 * DAY_NS, 70 * NSEC_PER_SEC, "5f1b");
	keep(&k, 4 * DAY_NS, 90 * NSEC_PER_SEC, "5f1c");
	keeper__done(&k);
	assert_int_equal(end_of("before"), CONTINUED_BOOT);
}

static void test_continued_from__is_nothing_if_no_boot_is_known(void **state)
{
	struct keeper k;

	(void)state;
	open_keeper(&k, "unknown");
	keep(&k, 3 * DAY_NS, 70 * NSEC_PER_SEC, "");
	keeper__done(&k);
	assert_int_equal(end_of("unknown"), 0);
}

static void test_continued_from__is_nothing_in_a_new_store(void **state)
{
	struct keeper k;

	(void)state;
	open_keeper(&k, "new");
	assert_int_equal(end_of("new"), 0);
	keeper__done(&k);
}

static void test_continued_from__says_that_it_cannot_read_it(void **state)
{
	struct err err = { 0 };
	u64 end_ns = 7;

	(void)state;
	workdir__write(&dir, "file", "", 0);
	assert_int_equal(continued_from(workdir__path(&dir, "file"), &end_ns, &err), -ENOTDIR);
	assert_int_equal(end_ns, 0);
	assert_non_null(strstr(err.msg, "file"));
}

static int make_dir(void **state)
{
	(void)state;
	agent_settings__init(&settings);
	workdir__init(&dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_continued_from__is_the_end_of_the_last_window),
		cmocka_unit_test(test_continued_from__is_not_the_end_of_a_wrong_clock),
		cmocka_unit_test(test_continued_from__is_the_boot_if_there_was_one),
		cmocka_unit_test(test_continued_from__is_nothing_if_no_boot_is_known),
		cmocka_unit_test(test_continued_from__is_nothing_in_a_new_store),
		cmocka_unit_test(test_continued_from__says_that_it_cannot_read_it),
	};

	return cmocka_run_group_tests_name("continued", tests, make_dir, remove_dir);
}

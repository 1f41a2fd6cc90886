/* SPDX-License-Identifier: Apache-2.0 */
/* What the user is asked, and what the host is asked then. */
#include <errno.h>

#include "seen.h"

static struct asked {
	char path[PROMPT_SZ];
	bool replaced;
	u32 waits;
	char added[64];
	char removed[64];
	int answer;
} asked;

static int write_it(void *arg, const struct profile *p, struct cause_memo *memo, const char *path,
		    bool replace, struct err *err)
{
	struct asked *a = arg;

	assert_ptr_equal(memo->p, p);
	snprintf(a->path, sizeof(a->path), "%s", path);
	a->replaced = replace;
	a->waits = p->waits_len - 1;
	if (a->answer == -EEXIST && replace)
		return 0;
	return a->answer ? err__set(err, a->answer, "cannot write it") : 0;
}

static int change_it(void *arg, bool add, const char *whom, struct err *err)
{
	struct asked *a = arg;

	snprintf(add ? a->added : a->removed, sizeof(a->added), "%s", whom);
	return a->answer ?
		       err__set(err, a->answer, add ? "no process %s" : "cannot remove %s", whom) :
		       0;
}

static struct viewer_host host = {
	.write = write_it,
	.change_target = change_it,
	.arg = &asked,
};

static int setup_host(void **state)
{
	setup(state);
	memset(&asked, 0, sizeof(asked));
	host.no_targets = NULL;
	host.by_cgroup = false;
	v.opt.host = &host;
	return 0;
}

static void test_write(void **state)
{
	(void)state;
	press("e");
	assert_has(picture(80, 24, false), "\nthere is nothing to write yet\n");
	add(first);
	press("ex.svg");
	assert_has(picture(100, 24, false), "write what is seen to (.html .svg .folded .json "
					    ".pb.gz .coldspot ...): x.svg_\n");
	press("\r");
	assert_string_equal(asked.path, "x.svg");
	assert_false(asked.replaced);
	assert_int_equal(asked.waits, 3);
	assert_has(picture(80, 24, false), "\nwrote x.svg\n");
	/* only what was drilled into */
	press("\rey.svg\r");
	assert_int_equal(asked.waits, 1);
	/* no name, no file */
	asked.path[0] = '\0';
	press("e\r");
	press("ez.svg");
	press_key(KEY_OF_ESC);
	assert_string_equal(asked.path, "");
	asked.answer = -EACCES;
	press("ez.svg\r");
	assert_has(picture(80, 24, false), "\ncannot write it\n");
	v.opt.host = NULL;
	press("e");
	assert_has(picture(80, 24, false), "\nnothing can be written here\n");
}

static void test_replace(void **state)
{
	(void)state;
	add(first);
	asked.answer = -EEXIST;
	press("ex.svg\r");
	assert_has(picture(80, 24, false), "\nthe file exists; replace it? (y/n) x.svg_\n");
	press("n");
	assert_false(asked.replaced);
	assert_has(picture(80, 24, false), "\nnothing has changed\n");
	press("ex.svg\r");
	press_key(KEY_OF_ENTER);
	assert_false(asked.replaced);
	press("ex.svg\ry");
	assert_true(asked.replaced);
	assert_has(picture(80, 24, false), "\nwrote x.svg\n");
}

static void test_targets_that_are_cgroups(void **state)
{
	(void)state;
	host.by_cgroup = true;
	add(first);
	press("+/shop");
	assert_has(picture(80, 24, false), "\nalso record the cgroup: /shop_\n");
	press(".slice\r");
	assert_string_equal(asked.added, "/shop.slice");
	assert_has(picture(80, 24, false), "\ncgroup /shop.slice is recorded from now on\n");
	press("-/a\r");
	assert_string_equal(asked.removed, "/a");
	assert_has(picture(80, 24, false), "\ncgroup /a is no longer recorded\n");
}

static void test_targets(void **state)
{
	(void)state;
	add(first);
	press("+4");
	assert_has(picture(80, 24, false), "\nalso record PID: 4_\n");
	press("1\r");
	assert_string_equal(asked.added, "41");
	assert_has(picture(80, 24, false), "\nprocess 41 is recorded from now on\n");
	press("axy\r");
	assert_has(picture(80, 24, false), "\n'xy' is not a PID\n");
	press("-");
	assert_has(picture(80, 24, false), "\nchoose a process in tab 5 first\n");
	press("5-");
	assert_has(picture(80, 24, false), "\nstop recording this process? (y/n) PID 20_\n");
	press("x");
	assert_string_equal(asked.removed, "");
	press("-y");
	assert_string_equal(asked.removed, "20");
	assert_has(picture(80, 24, false), "\nprocess 20 is no longer recorded\n");
	press("4j-y");
	assert_string_equal(asked.removed, "10");
	asked.answer = -ESRCH;
	press("a7\r");
	assert_has(picture(80, 24, false), "\nno process 7\n");
	press("-y");
	assert_has(picture(80, 24, false), "\ncannot remove 10\n");
}

static void test_targets_that_cannot_change(void **state)
{
	(void)state;
	add(first);
	host.no_targets = "all processes are recorded";
	press("+");
	assert_has(picture(80, 24, false), "\nall processes are recorded\n");
	press("5-");
	assert_has(picture(80, 24, false), "\nall processes are recorded\n");
	host.no_targets = NULL;
	viewer__end(&v, "Over.");
	press("+");
	assert_has(picture(80, 24, false), "the recording is over\n");
	v.opt.host = NULL;
	press("-");
	assert_has(picture(80, 24, false), "targets cannot be changed here\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup_host, teardown)
	const struct CMUnitTest tests[] = {
		T(write),
		T(replace),
		T(targets),
		T(targets_that_are_cgroups),
		T(targets_that_cannot_change),
	};

	return cmocka_run_group_tests_name("tui/questions", tests, NULL, NULL);
}

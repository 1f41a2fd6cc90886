/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/feature/privilege.h"

/* Dropped privileges do not come back, so every drop is in a child; it reports by status. */
static int in_child(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int drop_to(u64 want, struct privilege *ret_after)
{
	struct err err = { 0 };

	if (privilege__drop(want, &err) < 0 || privilege__read(ret_after, &err) < 0)
		return 1;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 2;
}

static int drop_all(void)
{
	struct privilege after;
	int r = drop_to(0, &after);

	if (r)
		return r;
	return after.effective || after.permitted || after.inheritable || after.ambient ? 3 : 0;
}

static int drop_most(void)
{
	struct privilege before, after;
	u64 want = PRIVILEGE_BPF | PRIVILEGE_SYSLOG;
	int r;

	if (privilege__read(&before, NULL) < 0)
		return 1;
	r = drop_to(want, &after);
	if (r)
		return r;
	if (after.effective != (before.effective & want) || after.permitted != after.effective)
		return 3;
	return after.inheritable || after.ambient || after.bounding & ~want ? 4 : 0;
}

/* CAP_SYS_ADMIN alone, as on a machine that was set up before CAP_BPF existed. */
static int drop_with_admin_only(void)
{
	struct privilege after;

	if (drop_to(PRIVILEGE_SYS_ADMIN, &after) || after.effective != PRIVILEGE_SYS_ADMIN)
		return 1;
	if (drop_to(PRIVILEGE_BPF | PRIVILEGE_PERFMON, &after))
		return 2;
	return after.effective == PRIVILEGE_SYS_ADMIN ? 0 : 3;
}

static int drop_twice(void)
{
	struct privilege after;

	if (drop_to(PRIVILEGE_BPF, &after))
		return 1;
	/* without CAP_SETPCAP the bounding set cannot be touched, and that is no failure */
	if (drop_to(PRIVILEGE_BPF | PRIVILEGE_PERFMON, &after))
		return 2;
	return after.effective & PRIVILEGE_PERFMON ? 3 : 0;
}

static bool all_powerful(void)
{
	struct privilege now;
	u64 needed = PRIVILEGE_BPF | PRIVILEGE_SYSLOG | PRIVILEGE_SYS_ADMIN | PRIVILEGE_BIT(8);

	return !privilege__read(&now, NULL) && (now.effective & needed) == needed;
}

static void test_privilege__drop_gives_up_everything(void **state)
{
	(void)state;
	assert_int_equal(in_child(drop_all), 0);
}

static void test_privilege__drop_keeps_only_requested_capabilities(void **state)
{
	(void)state;
	if (!all_powerful())
		skip();
	assert_int_equal(in_child(drop_most), 0);
}

static void test_privilege__drop_keeps_admin_where_it_stands_in(void **state)
{
	(void)state;
	if (!all_powerful())
		skip();
	assert_int_equal(in_child(drop_with_admin_only), 0);
}

static void test_privilege__drop_never_adds(void **state)
{
	(void)state;
	if (!all_powerful())
		skip();
	assert_int_equal(in_child(drop_twice), 0);
}

static void test_privilege__read_is_consistent(void **state)
{
	struct privilege now;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(privilege__read(&now, &err), 0);
	assert_int_equal(now.effective & ~now.permitted, 0);
	assert_int_equal(now.ambient & ~(now.permitted & now.inheritable), 0);
}

static void test_privilege_allows_follows_the_kernel(void **state)
{
	(void)state;
	assert_true(privilege_allows(PRIVILEGE_BPF, PRIVILEGE_BPF));
	assert_true(privilege_allows(PRIVILEGE_SYS_ADMIN, PRIVILEGE_BPF));
	assert_true(privilege_allows(PRIVILEGE_SYS_ADMIN, PRIVILEGE_PERFMON));
	assert_true(privilege_allows(PRIVILEGE_SYS_ADMIN, PRIVILEGE_CHECKPOINT_RESTORE));
	assert_false(privilege_allows(PRIVILEGE_SYS_ADMIN, PRIVILEGE_SYS_PTRACE));
	assert_false(privilege_allows(PRIVILEGE_SYS_ADMIN, PRIVILEGE_SYSLOG));
	assert_false(privilege_allows(PRIVILEGE_PERFMON, PRIVILEGE_BPF));
	assert_false(privilege_allows(0, PRIVILEGE_BPF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_privilege__drop_gives_up_everything),
		cmocka_unit_test(test_privilege__drop_keeps_only_requested_capabilities),
		cmocka_unit_test(test_privilege__drop_keeps_admin_where_it_stands_in),
		cmocka_unit_test(test_privilege__drop_never_adds),
		cmocka_unit_test(test_privilege__read_is_consistent),
		cmocka_unit_test(test_privilege_allows_follows_the_kernel),
	};

	return cmocka_run_group_tests_name("privilege", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "lib/workdir.h"
#include "proc/cgroup/cgroup.h"
#include "proc/mountinfo.h"
#include "proc/cgroup/cgroup_paths.h"

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return workdir__run(&dir, "mkdir -p tree/a/deep/er tree/b 'tree/o\"d;d \xff' outside && "
				  "echo >tree/cgroup.procs") ?
		       0 :
		       -1;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static u64 inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static u64 inode_of(const char *name)
{
	return inode(workdir__path(&dir, name));
}

static void assert_path(struct cgroup_paths *c, u64 id, const char *expected)
{
	const char *path;

	assert_int_equal(cgroup_paths__see(c, id), 0);
	path = cgroup_paths__find(c, id);
	if (expected && !path)
		fail_msg("no path, not '%s'", expected);
	if (expected)
		assert_string_equal(path, expected);
	else
		assert_null(path);
}

static void open_tree(struct cgroup_paths *c)
{
	cgroup_paths__init(c);
	assert_int_equal(cgroup_paths__open(c, workdir__path(&dir, "tree/")), 0);
}

static void test_see__walks_the_tree_where_ids_cannot_be_asked_for(void **state)
{
	struct cgroup_paths c;

	(void)state;
	open_tree(&c);
	assert_path(&c, inode_of("tree/a/deep"), "/a/deep");
	assert_path(&c, inode_of("tree"), "/");
	assert_path(&c, inode_of("tree/a/deep/er"), "/a/deep/er");
	assert_path(&c, inode_of("tree/o\"d;d \xff"), "/o\"d;d \xff");
	assert_path(&c, inode_of("tree/cgroup.procs"), NULL);
	assert_path(&c, inode_of("outside"), NULL);
	assert_path(&c, 0, NULL);
	cgroup_paths__done(&c);
}

static void test_see__a_cgroup_removed_later_keeps_its_path(void **state)
{
	struct cgroup_paths c;
	u64 id;

	(void)state;
	assert_true(workdir__run(&dir, "mkdir tree/short"));
	id = inode_of("tree/short");
	open_tree(&c);
	assert_path(&c, id, "/short");
	assert_true(workdir__run(&dir, "rmdir tree/short"));
	assert_path(&c, id, "/short");
	cgroup_paths__done(&c);
}

/* A walk is for all ids that were not met before, and there is not one for each. */
static void test_see__walks_only_now_and_then(void **state)
{
	struct cgroup_paths c;
	u64 id;

	(void)state;
	open_tree(&c);
	assert_path(&c, inode_of("tree/b"), "/b");
	assert_true(workdir__run(&dir, "mkdir tree/b/late"));
	id = inode_of("tree/b/late");
	c.next_walk_ns = ~0ULL;
	assert_path(&c, id, NULL);
	c.next_walk_ns = clock_mono_ns();
	assert_path(&c, id, "/b/late");
	assert_true(c.next_walk_ns > clock_mono_ns());
	/* an id that was looked for is known not to be there */
	c.next_walk_ns = 0;
	assert_path(&c, ~0ULL, NULL);
	assert_true(c.next_walk_ns);
	c.next_walk_ns = 0;
	assert_path(&c, ~0ULL, NULL);
	assert_int_equal(c.next_walk_ns, 0);
	assert_true(workdir__run(&dir, "rmdir tree/b/late"));
	cgroup_paths__done(&c);
}

static void test_open__of_nothing_finds_nothing(void **state)
{
	struct cgroup_paths c;

	(void)state;
	cgroup_paths__init(&c);
	assert_path(&c, inode_of("tree/a"), NULL);
	assert_int_equal(cgroup_paths__open(&c, workdir__path(&dir, "nowhere")), -ENOENT);
	assert_path(&c, inode_of("tree/a"), NULL);
	cgroup_paths__done(&c);
}

static void test_tell__is_for_who_sees_the_whole_hierarchy(void **state)
{
	struct cgroup_paths c;

	(void)state;
	open_tree(&c);
	assert_false(c.is_whole);
	assert_int_equal(cgroup_paths__tell(&c, 4711, "/a/b/c", 4), 0);
	assert_path(&c, 4711, NULL);
	c.is_whole = true;
	assert_int_equal(cgroup_paths__tell(&c, 4711, "/a/b/c", 4), 0);
	assert_path(&c, 4711, "/a/b");
	assert_int_equal(cgroup_paths__tell(&c, 4712, "", 0), 0);
	assert_int_equal(cgroup_paths__tell(&c, 4713, "a", 1), 0);
	assert_path(&c, 4712, NULL);
	assert_path(&c, 4713, NULL);
	cgroup_paths__done(&c);
}

/* A cgroup of this process's own; false: none can be made here. */
static bool make_cgroup(char *path, size_t sz)
{
	char mount[512];

	if (cgroup_find_mount(mount, sizeof(mount)) || !*mount)
		return false;
	snprintf(path, sz, "%s/coldspot test %d", mount, getpid());
	return !mkdir(path, 0755);
}

static void test_see__asks_the_kernel(void **state)
{
	char path[600], mount[MOUNT_TEXT_SZ], expected[64];
	struct cgroup_paths c;
	u64 id;

	(void)state;
	if (geteuid() || !make_cgroup(path, sizeof(path)))
		skip();
	snprintf(expected, sizeof(expected), "/coldspot test %d", getpid());
	assert_int_equal(cgroup_find_mount(mount, sizeof(mount)), 0);
	cgroup_paths__init(&c);
	assert_int_equal(cgroup_paths__open(&c, mount), 0);
	id = inode(path);
	assert_path(&c, id, expected);
	assert_false(c.walks);
	assert_true(c.is_whole);
	assert_int_equal(c.by_id.len, 1);
	/* the same by a walk */
	c.walks = true;
	assert_path(&c, 1, "/");
	c.walks = false;
	rmdir(path);
	assert_path(&c, id, expected);
	cgroup_paths__done(&c);
	/* gone, and asked for too late */
	assert_int_equal(cgroup_paths__open(&c, mount), 0);
	assert_path(&c, id, NULL);
	assert_path(&c, 1, "/");
	assert_false(c.walks);
	cgroup_paths__done(&c);
}

/* Cut short it would be another cgroup. */
static void test_find_id__takes_long_paths(void **state)
{
	char path[600], mount[MOUNT_TEXT_SZ], name[PATH_MAX + 1] = "";
	struct err err = { 0 };
	u64 id;

	(void)state;
	if (geteuid() || !make_cgroup(path, sizeof(path)))
		skip();
	assert_int_equal(cgroup_find_mount(mount, sizeof(mount)), 0);
	memset(name, '/', 1000);
	snprintf(name + 1000, sizeof(name) - 1000, "%s", strrchr(path, '/'));
	assert_int_equal(cgroup_find_id(name, mount, &id, &err), 0);
	assert_int_equal(id, inode(path));
	rmdir(path);
	memset(name, '/', PATH_MAX);
	assert_int_equal(cgroup_find_id(name, mount, &id, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.msg, "4096 bytes"));
}

static void test_next_mount__is_one_of_version_2(void **state)
{
	struct view text = view__of_str(
		"22 1 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
		"30 22 0:26 / /sys/fs/cgroup ro - tmpfs cgroup2 ro\n"
		"31 30 0:27 /docker/ab /sys/fs/cgroup/uni\\040two rw,nosuid shared:9 master:1 - "
		"cgroup2 none rw\n"
		"a b c d e -\n"
		"30 22 0:26 / /x rw\n"
		"\n\n- cgroup2\n"
		"32 30 0:28 / /mnt rw - cgroup2 none rw\n"
		"33 30 0:28 / /too/long rw - cgroup2 none rw\n");
	char buf[32];
	bool whole;

	(void)state;
	assert_true(cgroup_next_mount(&text, buf, sizeof(buf), &whole));
	assert_string_equal(buf, "/sys/fs/cgroup/uni two");
	assert_false(whole);
	assert_true(cgroup_next_mount(&text, buf, sizeof(buf), &whole));
	assert_string_equal(buf, "/mnt");
	assert_true(whole);
	assert_false(cgroup_next_mount(&text, buf, 8, &whole));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_see__walks_the_tree_where_ids_cannot_be_asked_for),
		cmocka_unit_test(test_see__a_cgroup_removed_later_keeps_its_path),
		cmocka_unit_test(test_see__walks_only_now_and_then),
		cmocka_unit_test(test_open__of_nothing_finds_nothing),
		cmocka_unit_test(test_tell__is_for_who_sees_the_whole_hierarchy),
		cmocka_unit_test(test_see__asks_the_kernel),
		cmocka_unit_test(test_find_id__takes_long_paths),
		cmocka_unit_test(test_next_mount__is_one_of_version_2),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Units and containers by name, in a tree of directories of the test's own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/types.h"
#include "proc/cgroup/container.h"
#include "proc/cgroup/container_list.h"
#include "proc/cgroup/container_names.h"
#include "proc/cgroup/unit.h"

#define DOCKER "1111111111111111111111111111111111111111111111111111111111111111"
#define PODMAN "2222222222222222222222222222222222222222222222222222222222222222"
#define KUBE_A "abcdef3333333333333333333333333333333333333333333333333333333333"
#define KUBE_B "abcdee4444444444444444444444444444444444444444444444444444444444"

static char root[] = "/tmp/coldspot-containers-XXXXXX";
static char mount[64], path[512];
static struct err err;

static void make_dirs(const char *dir)
{
	char full[512], *at;

	snprintf(full, sizeof(full), "%s%s/", root, dir);
	for (at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*at = '/';
	}
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char full[512];
	FILE *f;

	make_dirs(dir);
	snprintf(full, sizeof(full), "%s%s/%s", root, dir, name);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int make_tree(void **state)
{
	static const char *const cgroups[] = {
		"/system.slice/nginx.service/sub",
		"/system.slice/_cpu.service",
		"/user.slice/user@1.service/app.slice/tool.service",
		"/user.slice/user@2.service/app.slice/tool.service",
		"/system.slice/docker-" DOCKER ".scope",
		"/machine.slice/libpod-" PODMAN ".scope/container",
		"/machine.slice/libpod-conmon-" PODMAN ".scope",
		"/kubepods.slice/pod7/cri-containerd-" KUBE_A ".scope",
		"/kubepods/pod8/" KUBE_B,
		"/lxc.payload.box",
		"/machine.slice/machine-nest.scope",
	};
	char dir[512];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(mount, sizeof(mount), "%s/cgroup", root);
	for (size_t i = 0; i < ARRAY_LEN(cgroups); i++) {
		snprintf(dir, sizeof(dir), "/cgroup%s", cgroups[i]);
		make_dirs(dir);
	}
	write_file("/var/lib/docker/containers/" DOCKER, "config.v2.json",
		   "{\"ID\":\"x\",\"Name\":\"/web\",\"RestartPolicy\":{\"Name\":\"always\"}}");
	write_file("/var/lib/docker/containers/" KUBE_A, "config.v2.json",
		   "{\"Name\":\"/k8s_front_shop-1_default_7_0\"}");
	write_file("/var/lib/docker/containers/" KUBE_B, "config.v2.json", "{\"Name\": broken");
	write_file("/var/lib/containers/storage/overlay-containers", "containers.json",
		   "[{\"id\":7},{\"id\":\"" PODMAN "\",\"names\":[\"db\",\"db2\"]}]");
	write_file("/var/log/containers", "shop-1_default_front-" KUBE_A ".log", "");
	write_file("/var/log/containers", "shop-2_default_back-" KUBE_B ".log", "");
	write_file("/var/log/containers", "odd_file-.log", "");
	return 0;
}

static int remove_tree(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", root);
	return system(line);
}

static void expect_unit(const char *name, const char *want)
{
	if (unit_find(mount, name, path, sizeof(path), &err))
		fail_msg("%s", err.msg);
	assert_string_equal(path, want);
}

static void expect_container(const char *name, const char *want)
{
	if (container_find(mount, root, name, path, sizeof(path), &err))
		fail_msg("%s", err.msg);
	assert_string_equal(path, want);
}

static void test_unit__has_the_cgroup_of_its_name(void **state)
{
	(void)state;
	expect_unit("nginx", "/system.slice/nginx.service");
	expect_unit("nginx.service", "/system.slice/nginx.service");
	expect_unit("cpu", "/system.slice/_cpu.service");
	expect_unit("system.slice", "/system.slice");
}

static void test_unit__must_be_there_once(void **state)
{
	(void)state;
	assert_int_equal(unit_find(mount, "ngin", path, sizeof(path), &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no unit 'ngin' has a cgroup below /tmp/"));
	assert_int_equal(unit_find(mount, "tool", path, sizeof(path), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "several cgroups are of unit 'tool', such as /user.slice"));
	assert_int_equal(unit_find("", "tool", path, sizeof(path), &err), -ENOENT);
	assert_int_equal(unit_find("/nowhere/at/all", "tool", path, sizeof(path), &err), -ENOENT);
	assert_int_equal(unit_find(mount, "nginx", path, 8, &err), -ENAMETOOLONG);
}

static void test_container__is_found_by_its_id(void **state)
{
	(void)state;
	expect_container(DOCKER, "/system.slice/docker-" DOCKER ".scope");
	expect_container("1111", "/system.slice/docker-" DOCKER ".scope");
	expect_container("2222", "/machine.slice/libpod-" PODMAN ".scope");
	expect_container("abcdef", "/kubepods.slice/pod7/cri-containerd-" KUBE_A ".scope");
	expect_container("abcdee44", "/kubepods/pod8/" KUBE_B);
	assert_int_equal(container_find(mount, root, "abcde", path, sizeof(path), &err), -EINVAL);
	assert_int_equal(container_find(mount, root, "111", path, sizeof(path), &err), -ENOENT);
}

static void test_container__is_found_by_its_name(void **state)
{
	(void)state;
	expect_container("web", "/system.slice/docker-" DOCKER ".scope");
	expect_container("db2", "/machine.slice/libpod-" PODMAN ".scope");
	expect_container("front", "/kubepods.slice/pod7/cri-containerd-" KUBE_A ".scope");
	expect_container("shop-2", "/kubepods/pod8/" KUBE_B);
	expect_container("box", "/lxc.payload.box");
	expect_container("nest", "/machine.slice/machine-nest.scope");
	expect_container("default/shop-2/back", "/kubepods/pod8/" KUBE_B);
	expect_container("shop-2/back", "/kubepods/pod8/" KUBE_B);
	assert_int_equal(container_find(mount, root, "default", path, sizeof(path), &err), -ENOENT);
	assert_int_equal(container_find(mount, root, "always", path, sizeof(path), &err), -ENOENT);
	assert_string_equal(strstr(err.msg, "no container"),
			    strstr(err.msg, "no container 'always' has a cgroup below"));
}

static void expect_name(struct container_names *names, const char *id, const char *want)
{
	const char *name;

	assert_int_equal(container_names__find(names, id, &name), 0);
	if (want)
		assert_string_equal(name, want);
	else
		assert_null(name);
}

static void test_container_names__are_by_id(void **state)
{
	struct container_names names;

	(void)state;
	assert_int_equal(container_names__init(&names, root), 0);
	expect_name(&names, DOCKER, "web");
	expect_name(&names, PODMAN, "db");
	expect_name(&names, KUBE_A, "default/shop-1/front");
	expect_name(&names, KUBE_B, "default/shop-2/back");
	container_names__done(&names);
	assert_int_equal(container_names__init(&names, "/nowhere"), 0);
	expect_name(&names, DOCKER, NULL);
	container_names__done(&names);
}

/* It has no name yet when its first thread is seen; files are not read for each of its threads. */
static void test_container_names__of_a_new_one_comes_later(void **state)
{
	static const char id[] = "5555555555555555555555555555555555555555555555555555555555555555";
	struct container_names names;

	(void)state;
	assert_int_equal(container_names__init(&names, root), 0);
	expect_name(&names, id, NULL);
	write_file("/var/lib/docker/containers/5555555555555555555555555555555555555555555555555555"
		   "555555555555",
		   "config.v2.json", "{\"Name\":\"/late\"}");
	expect_name(&names, id, NULL);
	names.next_read_ns = 0;
	expect_name(&names, id, "late");
	container_names__done(&names);
}

static void test_container_names__change(void **state)
{
	struct container_names names;

	(void)state;
	assert_int_equal(container_names__init(&names, root), 0);
	expect_name(&names, DOCKER, "web");
	write_file("/var/lib/docker/containers/" DOCKER, "config.v2.json", "{\"Name\":\"/web2\"}");
	names.next_read_ns = 0;
	expect_name(&names, DOCKER, "web");
	names.renew_ns = 0;
	expect_name(&names, DOCKER, "web2");
	container_names__done(&names);
}

static void test_container_names__are_not_kept_for_ever(void **state)
{
	struct container_names names;
	char id[CONTAINER_ID_LEN + 1];

	(void)state;
	assert_int_equal(container_names__init(&names, root), 0);
	for (u32 i = 0; i <= CONTAINER_TEXTS_MAX; i++) {
		snprintf(id, sizeof(id), "%064x", i);
		expect_name(&names, id, NULL);
	}
	names.next_read_ns = 0;
	expect_name(&names, "unknown", NULL);
	expect_name(&names, DOCKER, "web");
	assert_in_range(strtab__len(&names.texts), 1, 100);
	container_names__done(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unit__has_the_cgroup_of_its_name),
		cmocka_unit_test(test_unit__must_be_there_once),
		cmocka_unit_test(test_container__is_found_by_its_id),
		cmocka_unit_test(test_container__is_found_by_its_name),
		cmocka_unit_test(test_container_names__are_by_id),
		cmocka_unit_test(test_container_names__of_a_new_one_comes_later),
		cmocka_unit_test(test_container_names__are_not_kept_for_ever),
		cmocka_unit_test(test_container_names__change),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}

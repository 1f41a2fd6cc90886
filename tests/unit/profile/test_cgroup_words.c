/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as systemd and the runtimes of containers make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/types.h"
#include "profile/label/cgroup_words.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "1f2e3d4c-5b6a-7988-97a6-b5c4d3e2f101"
#define UID_ "1f2e3d4c_5b6a_7988_97a6_b5c4d3e2f101"

static void test_cgroup_words_of_has_what_the_path_says(void **state)
{
	static const struct {
		const char *path;
		struct {
			const char *unit, *container, *runtime, *pod;
		} want;
	} cases[] = {
		{ "", { "", "", "", "" } },
		{ "/", { "", "", "", "" } },
		{ "/system.slice/nginx.service", { "nginx.service", "", "", "" } },
		{ "/user.slice/user-1000.slice/session-3.scope",
		  { "session-3.scope", "", "", "" } },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-a.service/x",
		  { "app-a.service", "", "", "" } },
		{ "/system.slice/_cpu.service", { "cpu.service", "", "", "" } },
		{ "/user.slice", { "", "", "", "" } },
		{ "/system.slice/docker-" ID ".scope",
		  { "docker-" ID ".scope", ID, "docker", "" } },
		{ "/docker/" ID, { "", ID, "docker", "" } },
		{ "/machine.slice/libpod-" ID ".scope/container",
		  { "libpod-" ID ".scope", ID, "podman", "" } },
		{ "/machine.slice/libpod-conmon-" ID ".scope",
		  { "libpod-conmon-" ID ".scope", "", "", "" } },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		  ".slice/cri-containerd-" ID ".scope",
		  { "cri-containerd-" ID ".scope", ID, "containerd", UID } },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope",
		  { "crio-" ID ".scope", ID, "cri-o", UID } },
		{ "/kubepods/besteffort/pod" UID "/" ID, { "", ID, "", UID } },
		{ "/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" ID,
		  { "", ID, "", "0123456789abcdef0123456789abcdef" } },
		{ "/lxc.payload.web", { "", "web", "lxc", "" } },
		{ "/machine.slice/machine-db.scope/payload",
		  { "machine-db.scope", "db", "nspawn", "" } },
		{ "/docker/short", { "", "", "", "" } },
		{ "/podcast/pod1234", { "", "", "", "" } },
		{ "/system.slice/docker-" ID "0.scope", { "docker-" ID "0.scope", "", "", "" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cgroup_words got;

		cgroup_words_of(cases[i].path, "", &got);
		if (strcmp(got.unit, cases[i].want.unit) ||
		    strcmp(got.container, cases[i].want.container) ||
		    strcmp(got.runtime, cases[i].want.runtime) ||
		    strcmp(got.pod, cases[i].want.pod))
			fail_msg("%s: unit '%s', container '%s' of '%s', pod '%s'", cases[i].path,
				 got.unit, got.container, got.runtime, got.pod);
	}
}

static void test_cgroup_words_of_takes_any_text(void **state)
{
	struct cgroup_words w;
	char path[5000];

	(void)state;
	memset(path, 'a', sizeof(path) - 9);
	memcpy(path + sizeof(path) - 9, ".service", 9);
	cgroup_words_of(path, "", &w);
	assert_int_equal(strlen(w.unit), sizeof(w.unit) - 1);
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	cgroup_words_of(path, "", &w);
	assert_string_equal(w.unit, "");
	cgroup_words_of("pod-pod/.service/.scope/docker-.scope/libpod-/kubepods-pod.slice", "", &w);
	assert_string_equal(w.container, "");
}

static void test_cgroup_words_of_has_the_parts_of_a_name(void **state)
{
	struct cgroup_words w;

	(void)state;
	cgroup_words_of("/", "web", &w);
	assert_string_equal(w.container_name, "web");
	assert_string_equal(w.pod_name, "");
	cgroup_words_of("/", "shop/web-7f/nginx", &w);
	assert_string_equal(w.namespace, "shop");
	assert_string_equal(w.pod_name, "web-7f");
	assert_string_equal(w.container_name, "nginx");
	cgroup_words_of("/", "a/b", &w);
	assert_string_equal(w.container_name, "a/b");
	cgroup_words_of("/", "//", &w);
	assert_string_equal(w.namespace, "");
	assert_string_equal(w.container_name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup_words_of_has_what_the_path_says),
		cmocka_unit_test(test_cgroup_words_of_takes_any_text),
		cmocka_unit_test(test_cgroup_words_of_has_the_parts_of_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capture/mapping/devices.h"
#include "lib/workdir.h"
#include "profile/builder.h"

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	if (!workdir__run(&dir, "mkdir far dev over lower upper work"))
		return -1;
	return chdir(dir.path);
}

static int teardown(void **state)
{
	(void)state;
	umount2("over", MNT_DETACH);
	umount2("dev", MNT_DETACH);
	umount2("far", MNT_DETACH);
	if (chdir("/"))
		return -1;
	workdir__done(&dir);
	return 0;
}

/* As the kernel has it. */
static u64 number_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (u64)major(st.st_dev) << 20 | minor(st.st_dev);
}

static void assert_name(const char *path, const char *expected)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	struct devices d;
	u32 again, name;

	assert_non_null(b);
	devices__init(&d);
	assert_int_equal(devices__name(&d, b, number_of(path), (u32)getpid(), &name), 0);
	assert_int_equal(devices__name(&d, b, number_of(path), (u32)getpid(), &again), 0);
	assert_int_equal(name, again);
	devices__done(&d);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	assert_string_equal(profile__str(p, name), expected);
	profile__free(p);
}

/* Mounts of our own, that nobody else sees. */
static void own_mounts(void)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		skip();
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip();
}

static void test_devices__kernel_file_systems_are_on_none(void **state)
{
	(void)state;
	assert_name("/proc", "");
}

static void test_devices__others_are_on_what_they_are_mounted_from(void **state)
{
	(void)state;
	own_mounts();
	if (mount("host:/export a", "far", "tmpfs", 0, NULL))
		skip();
	assert_name("far", "host:/export a");
	assert_int_equal(mount("/dev/mapper/gone", "dev", "tmpfs", 0, NULL), 0);
	assert_name("dev", "mapper/gone");
}

static void test_devices__an_overlay_is_on_the_device_of_its_upper_layer(void **state)
{
	char device[256] = "", link[64];
	u64 number = number_of(".");

	(void)state;
	own_mounts();
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", (u32)(number >> 20),
		 (u32)number & 0xfffff);
	if (readlink(link, device, sizeof(device) - 1) < 0 ||
	    mount("overlay", "over", "overlay", 0, "lowerdir=lower,upperdir=upper,workdir=work"))
		skip();
	assert_name(".", strrchr(device, '/') + 1);
	assert_name("over", strrchr(device, '/') + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_devices__kernel_file_systems_are_on_none),
		cmocka_unit_test(test_devices__others_are_on_what_they_are_mounted_from),
		cmocka_unit_test(test_devices__an_overlay_is_on_the_device_of_its_upper_layer),
	};

	return cmocka_run_group_tests_name("devices", tests, setup, teardown);
}

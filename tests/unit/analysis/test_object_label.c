/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/object_label.h"
#include "lib/lit.h"

static void assert_label(const char *object, const char *expected)
{
	char text[512], label[OBJECT_LABEL_SZ];
	struct profile *p;

	snprintf(text, sizeof(text), "task 1/10 a\n  wait D blocked=1s\n    object %s\n", object);
	p = lit(text);
	assert_string_equal(object_label(p, p->waits[1].object, label, sizeof(label)), expected);
	profile__free(p);
}

static void test_label__of_a_kernel_lock_has_its_name_and_whose_it_is(void **state)
{
	(void)state;
	assert_label("kernel-lock name=mmap_lock tgid=77", "mmap_lock of 77");
	assert_label("kernel-lock name=i_rwsem file=/srv/wal ino=5 dev=1", "i_rwsem of /srv/wal");
	assert_label("kernel-lock name=mutex file=pipe:[5] ino=5", "mutex of pipe:[5]");
}

static void test_label__of_a_kernel_lock_that_is_a_variable_is_the_variable(void **state)
{
	(void)state;
	assert_label("kernel-lock name=rtnl_mutex", "kernel lock rtnl_mutex");
	assert_label("kernel-lock name=init_mm off=0x78", "kernel lock init_mm+0x78");
}

static void test_label__of_a_kernel_lock_without_a_name_is_its_address(void **state)
{
	(void)state;
	assert_label("kernel-lock name=mutex addr=0xffff888104fc2340",
		     "kernel mutex 0xffff888104fc2340");
}

static void test_label__of_a_pidfd_is_its_process(void **state)
{
	(void)state;
	assert_label("pidfd family=1 number=4711 name=worker tgid=7", "pidfd of 4711 worker");
	assert_label("pidfd family=1 name=worker", "pidfds of worker");
	assert_label("pidfd number=3 tgid=7", "pidfd fd 3 of 7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_label__of_a_kernel_lock_has_its_name_and_whose_it_is),
		cmocka_unit_test(test_label__of_a_kernel_lock_that_is_a_variable_is_the_variable),
		cmocka_unit_test(test_label__of_a_kernel_lock_without_a_name_is_its_address),
		cmocka_unit_test(test_label__of_a_pidfd_is_its_process),
	};

	return cmocka_run_group_tests_name("object_label", tests, NULL, NULL);
}

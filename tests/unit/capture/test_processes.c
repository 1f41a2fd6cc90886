/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of this program itself, which maps a file for it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/mapping/processes.h"

#define IMAGE 7
#define SZ 4096

struct told {
	u32 times;
	u64 image;
	const void *looked_for;
	bool found;
};

static int put(void *arg, u64 image, u32 tgid, const struct maps *maps)
{
	struct told *t = arg;

	assert_int_equal(tgid, getpid());
	t->times++;
	t->image = image;
	t->found = maps__find(maps, (u64)(uintptr_t)t->looked_for) != NULL;
	return 0;
}

static void *map_file(void)
{
	char name[] = "/tmp/coldspot-processes-XXXXXX";
	int fd = mkstemp(name);
	void *p;

	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(ftruncate(fd, SZ), 0);
	p = mmap(NULL, SZ, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_true(p != MAP_FAILED);
	return p;
}

static void test_see__reports_current_mappings(void **state)
{
	struct told t = { .looked_for = map_file() };
	struct processes ps;

	(void)state;
	processes__init(&ps, put, &t);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, 0), 0);
	assert_int_equal(t.times, 1);
	assert_int_equal(t.image, IMAGE);
	assert_true(t.found);
	munmap((void *)(uintptr_t)t.looked_for, SZ);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, 0), 0);
	assert_int_equal(t.times, 2);
	assert_false(t.found);
	processes__done(&ps);
}

static void test_see__reads_nothing_for_a_fork_or_another_program(void **state)
{
	struct told t = { 0 };
	struct processes ps;

	(void)state;
	processes__init(&ps, put, &t);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, IMAGE + 1), 0);
	assert_int_equal(t.times, 0);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, 0), 0);
	assert_int_equal(t.times, 1);
	/* what has its number now is not the first one's */
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE + 2, 0), 0);
	assert_int_equal(t.image, IMAGE + 2);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, 0), 0);
	assert_int_equal(t.times, 2);
	processes__done(&ps);
}

static void test_tick__looks_at_young_ones_again(void **state)
{
	struct told t = { 0 };
	struct processes ps;
	u64 now = clock_mono_ns(), next;
	u32 before;

	(void)state;
	processes__init(&ps, put, &t);
	assert_true(processes__tick(&ps, now) == ~0ULL);
	assert_int_equal(processes__see(&ps, (u32)getpid(), IMAGE, 0), 0);
	next = processes__tick(&ps, now);
	assert_int_equal(t.times, 1);
	while (next != ~0ULL) {
		before = t.times;
		next = processes__tick(&ps, next);
		assert_int_equal(t.times, before + 1);
	}
	assert_in_range(t.times, 4, 8);
	processes__done(&ps);
}

static void test_see__a_process_that_is_gone_is_no_error(void **state)
{
	struct told t = { 0 };
	struct processes ps;

	(void)state;
	processes__init(&ps, put, &t);
	assert_int_equal(processes__see(&ps, 1U << 30, IMAGE, 0), 0);
	assert_int_equal(t.times, 0);
	assert_true(processes__tick(&ps, clock_mono_ns() + NSEC_PER_SEC) == ~0ULL);
	processes__done(&ps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_see__reports_current_mappings),
		cmocka_unit_test(test_see__reads_nothing_for_a_fork_or_another_program),
		cmocka_unit_test(test_see__a_process_that_is_gone_is_no_error),
		cmocka_unit_test(test_tick__looks_at_young_ones_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

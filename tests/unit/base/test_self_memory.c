/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/self_memory.h"

#define MIB (1ULL << 20)
#define FAR (1ULL << 40)

/* A limit cannot be taken back, so each test has it in a process of its own. */
static void assert_in_child(bool (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid && self_memory_limit(FAR) == -ENOSPC)
		_exit(2);
	if (!pid)
		_exit(fn() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip(); /* a sanitizer has more than that */
	assert_int_equal(status, 0);
}

/* Room for `bytes` more. */
static bool limit_to(u64 bytes)
{
	return !self_memory_limit(FAR - self_memory_room() + bytes);
}

static void test_self_memory_room_has_no_end_without_limit(void **state)
{
	(void)state;
	assert_true(self_memory_room() == ~0ULL);
	assert_true(self_memory_allows(1ULL << 50));
	assert_false(self_memory_is_short());
}

static bool room_shrinks(void)
{
	u64 before, after;
	char *p;

	if (!limit_to(64 * MIB))
		return false;
	before = self_memory_room();
	p = mem_alloc(16 * MIB);
	after = self_memory_room();
	if (!p || before > 64 * MIB || after > before - 16 * MIB || after < before - 17 * MIB)
		return false;
	mem_free(p);
	return self_memory_room() > after + 15 * MIB;
}

static void test_self_memory_room_is_the_remaining_memory(void **state)
{
	(void)state;
	assert_in_child(room_shrinks);
}

static bool holds(void)
{
	return limit_to(8 * MIB) && !mem_alloc(9 * MIB) && mem_alloc(4 * MIB);
}

static void test_self_memory_limit_holds(void **state)
{
	(void)state;
	assert_in_child(holds);
}

static bool half_is_allowed(void)
{
	u64 room;

	if (!limit_to(64 * MIB))
		return false;
	room = self_memory_room();
	return self_memory_allows(room / 2 - MIB) && !self_memory_allows(room / 2 + MIB) &&
	       self_memory_allows(0);
}

static void test_self_memory_allows_half_of_the_remaining_memory(void **state)
{
	(void)state;
	assert_in_child(half_is_allowed);
}

static bool gets_short(void)
{
	if (!limit_to(256 * MIB) || self_memory_is_short())
		return false;
	return mem_alloc(240 * MIB) && self_memory_is_short() && self_memory_allows(0);
}

static void test_self_memory_is_short_near_the_limit(void **state)
{
	(void)state;
	assert_in_child(gets_short);
}

static bool lower_stays(void)
{
	return limit_to(8 * MIB) && !self_memory_limit(FAR) && self_memory_room() <= 8 * MIB;
}

static void test_self_memory_limit_leaves_a_lower_one(void **state)
{
	(void)state;
	assert_in_child(lower_stays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self_memory_room_has_no_end_without_limit),
		cmocka_unit_test(test_self_memory_room_is_the_remaining_memory),
		cmocka_unit_test(test_self_memory_limit_holds),
		cmocka_unit_test(test_self_memory_allows_half_of_the_remaining_memory),
		cmocka_unit_test(test_self_memory_is_short_near_the_limit),
		cmocka_unit_test(test_self_memory_limit_leaves_a_lower_one),
	};

	return cmocka_run_group_tests_name("base/self_memory", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/mapping/endings.h"

#define IMAGE 7

static u32 start_process(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	return (u32)pid;
}

static void end_process(u32 tgid)
{
	assert_int_equal(kill((pid_t)tgid, SIGKILL), 0);
	assert_int_equal(waitpid((pid_t)tgid, NULL, 0), (pid_t)tgid);
}

static void see(struct endings *e, u32 tgid, u64 image, u32 flags)
{
	struct cs_task_record rec = { .tgid = tgid, .image = image, .flags = flags };

	assert_int_equal(endings__see(e, &rec), 0);
}

/* The end of a window: is the program among those that have ended? */
static bool is_told(struct endings *e, u32 tgid, bool *ret_process)
{
	struct ended ended;
	bool told;

	ended__init(&ended);
	assert_int_equal(endings__take(e, &ended), 0);
	told = ended__has_image(&ended, IMAGE);
	*ret_process = ended__has_process(&ended, tgid);
	ended__done(&ended);
	return told;
}

static void test_endings__take_waits_for_the_process(void **state)
{
	u32 tgid = start_process();
	struct endings e;
	bool process;

	(void)state;
	endings__init(&e);
	/* One of its threads ended, whatever the others do. */
	see(&e, tgid, IMAGE, CS_TASK_EXITED);
	assert_false(is_told(&e, tgid, &process));
	assert_false(is_told(&e, tgid, &process));
	end_process(tgid);
	assert_true(is_told(&e, tgid, &process));
	assert_true(process);
	assert_false(is_told(&e, tgid, &process));
	assert_int_equal(e.waiting.len, 0);
	endings__done(&e);
}

static void test_endings__take_spares_the_window_at_hand(void **state)
{
	u32 tgid = start_process();
	struct endings e;
	bool process;

	(void)state;
	endings__init(&e);
	end_process(tgid);
	see(&e, tgid, IMAGE, CS_TASK_EXITED);
	assert_false(is_told(&e, tgid, &process));
	/* The next window has the rest of it. */
	see(&e, tgid, IMAGE, CS_TASK_CUT);
	assert_false(is_told(&e, tgid, &process));
	assert_true(is_told(&e, tgid, &process));
	assert_true(process);
	endings__done(&e);
}

static void test_endings__take_knows_an_exec(void **state)
{
	u32 tgid = start_process();
	struct endings e;
	bool process;

	(void)state;
	endings__init(&e);
	see(&e, tgid, IMAGE, CS_TASK_EXECED);
	see(&e, tgid, IMAGE + 1, CS_TASK_CUT);
	assert_false(is_told(&e, tgid, &process));
	/* The program has ended, its process goes on. */
	assert_true(is_told(&e, tgid, &process));
	assert_false(process);
	end_process(tgid);
	endings__done(&e);
}

static void test_endings__see_leaves_out_processes_that_live_on(void **state)
{
	struct endings e;
	bool process;

	(void)state;
	endings__init(&e);
	see(&e, (u32)getpid(), IMAGE, CS_TASK_CUT);
	see(&e, 2, IMAGE, CS_TASK_KTHREAD | CS_TASK_EXITED);
	assert_int_equal(e.waiting.len, 0);
	assert_false(is_told(&e, 2, &process));
	endings__done(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_endings__take_waits_for_the_process),
		cmocka_unit_test(test_endings__take_spares_the_window_at_hand),
		cmocka_unit_test(test_endings__take_knows_an_exec),
		cmocka_unit_test(test_endings__see_leaves_out_processes_that_live_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

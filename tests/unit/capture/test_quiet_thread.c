/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>

#include "capture/mapping/quiet_thread.h"

static void *read_mask(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
	return NULL;
}

static void test_start__blocks_signals_in_the_new_thread_only(void **state)
{
	sigset_t theirs, ours;
	pthread_t thread;

	(void)state;
	sigemptyset(&theirs);
	assert_int_equal(quiet_thread_start(&thread, NULL, read_mask, &theirs), 0);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &ours);
	assert_true(sigismember(&theirs, SIGINT));
	assert_true(sigismember(&theirs, SIGCHLD));
	assert_false(sigismember(&ours, SIGINT));
	assert_false(sigismember(&ours, SIGCHLD));
}

static void test_start__says_why_there_is_no_thread(void **state)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t ours;

	(void)state;
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, SIZE_MAX / 4 / 4096 * 4096), 0);
	assert_int_equal(quiet_thread_start(&thread, &attr, read_mask, &ours), -EAGAIN);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, NULL, &ours);
	assert_false(sigismember(&ours, SIGINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start__blocks_signals_in_the_new_thread_only),
		cmocka_unit_test(test_start__says_why_there_is_no_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

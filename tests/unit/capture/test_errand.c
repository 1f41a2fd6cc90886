/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/errand.h"

struct job {
	int go_on[2]; /* a pipe: the work waits for it */
	pthread_t thread;
	sigset_t blocked;
};

static void work(void *arg)
{
	struct job *job = arg;
	char c;

	job->thread = pthread_self();
	pthread_sigmask(SIG_SETMASK, NULL, &job->blocked);
	while (read(job->go_on[0], &c, 1) < 0 && errno == EINTR)
		;
}

static void test_errand__is_done_when_the_work_is(void **state)
{
	struct job job;
	struct errand e;
	struct pollfd fd;

	(void)state;
	assert_int_equal(pipe(job.go_on), 0);
	assert_int_equal(errand__start(&e, work, &job), 0);
	assert_false(errand__is_done(&e));
	assert_int_equal(write(job.go_on[1], "", 1), 1);
	fd = (struct pollfd){ .fd = e.done_fd, .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 10000), 1);
	assert_true(errand__is_done(&e));
	errand__finish(&e);
	assert_false(pthread_equal(job.thread, pthread_self()));
	assert_true(sigismember(&job.blocked, SIGINT));
	close(job.go_on[0]);
	close(job.go_on[1]);
}

static void test_errand__start_fails_without_descriptors(void **state)
{
	struct rlimit before, none = { 0 };
	struct errand e;
	int r;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = errand__start(&e, work, NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(r, -EMFILE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errand__is_done_when_the_work_is),
		cmocka_unit_test(test_errand__start_fails_without_descriptors),
	};

	return cmocka_run_group_tests_name("errand", tests, NULL, NULL);
}

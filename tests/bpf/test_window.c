/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A profiler that loses its CPU whenever it has read the clock, as on a busy machine: what its
 * threads did before it knew, and stored, where the window begins and ends is in no sum, or in none
 * twice.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/session.h"

#define SLOW_NS 3000000L
#define NAP_NS 100000L

static bool clock_is_slow;

/* In place of the one of libc, for all that this program is made of. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	int r = (int)syscall(SYS_clock_gettime, id, ts);

	if (clock_is_slow && id == CLOCK_MONOTONIC)
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0,
			&(struct timespec){ .tv_nsec = SLOW_NS }, NULL);
	return r;
}

static pid_t start_sleeper(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	pid_t pid = fork();

	while (!pid)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	return pid;
}

static struct profile *record(pid_t pid)
{
	u32 id = (u32)pid;
	const struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
							  .ids = &id,
							  .ids_len = 1,
							  .user_threads = true,
							  .max_ns = ~0ULL,
							  .state_any = true,
							  .state_r = true },
					     .command = "",
					     .target = "",
					     .version = "" };
	struct profile *p = NULL;
	struct session *s = NULL;
	struct features f;
	struct err err = { 0 };

	if (features__probe(&f, 0, &err) || features__verdict(&f, &err) ||
	    session__open(&opt, &f, &s, &err))
		fail_msg("%s", err.msg);
	clock_is_slow = true;
	session__start(s);
	clock_is_slow = false;
	if (session__poll(s, -1, 100, &err))
		fail_msg("%s", err.msg);
	clock_is_slow = true;
	if (session__finish(s, &p, &err))
		fail_msg("%s", err.msg);
	clock_is_slow = false;
	session__free(s);
	features__done(&f);
	return p;
}

static void time_is_whole_on_a_slow_machine(void **state)
{
	pid_t pid = start_sleeper();
	struct profile *p;
	u64 missed_ns;

	(void)state;
	assert_true(pid > 0);
	p = record(pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	missed_ns = p->losses[LOSS_MISSED_SWITCH].ns;
	assert_int_equal(p->losses[LOSS_CLOCK_BACK].events, 0);
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].tid, pid);
	assert_int_equal(p->tasks[1].wall_ns, p->hdr.window_ns);
	assert_true(p->tasks[1].switches > 10);
	assert_in_range(p->tasks[1].unaccounted_ns, 0, missed_ns);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_whole_on_a_slow_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

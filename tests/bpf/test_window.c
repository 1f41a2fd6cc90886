/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is in the window and what is not. A profiler may lose its CPU whenever it has read the
 * clock, as on a busy machine: what its threads did before it knew, and stored, where the window
 * begins and ends is counted once all the same.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
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

static void nap(void)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

/* Does one thing all the time. Ends with this process, also where a test ends that. */
static pid_t start(void (*each)(void))
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!pid)
		each();
	assert_true(pid > 0);
	return pid;
}

static void bear(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* 0.1 s of these processes; `reaped` is waited for in the middle of it, if it is not 0. */
static struct profile *record(const u32 *ids, u32 ids_len, pid_t reaped, bool slow)
{
	const struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
							  .ids = ids,
							  .ids_len = ids_len,
							  .user_threads = true,
							  .follow = true,
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
	clock_is_slow = slow;
	session__start(s, NULL);
	clock_is_slow = false;
	if (reaped)
		assert_int_equal(waitpid(reaped, NULL, 0), reaped);
	if (session__poll(s, -1, 100, &err))
		fail_msg("%s", err.msg);
	clock_is_slow = slow;
	if (session__finish(s, &p, &err))
		fail_msg("%s", err.msg);
	clock_is_slow = false;
	session__free(s);
	features__done(&f);
	return p;
}

static void time_is_whole_on_a_slow_machine(void **state)
{
	pid_t pid = start(nap);
	u32 id = (u32)pid;
	struct profile *p = record(&id, 1, 0, true);
	u64 missed_ns = p->losses[LOSS_MISSED_SWITCH].ns;

	(void)state;
	stop(pid);
	assert_int_equal(p->losses[LOSS_CLOCK_BACK].events, 0);
	assert_int_equal(p->tasks_len, 2);
	assert_int_equal(p->tasks[1].tid, pid);
	assert_int_equal(p->tasks[1].wall_ns, p->hdr.window_ns);
	assert_true(p->tasks[1].switches > 10);
	assert_in_range(p->tasks[1].unaccounted_ns, 0, missed_ns);
	profile__free(p);
}

/* A process that has ended and that nobody has waited for yet; it was a target all the same. */
static void the_dead_have_no_time(void **state)
{
	pid_t sleeper = start(nap), dead = fork();
	siginfo_t info;
	u32 ids[2];

	(void)state;
	if (!dead)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)dead, &info, WEXITED | WNOWAIT), 0);
	ids[0] = (u32)sleeper;
	ids[1] = (u32)dead;
	for (int reaped = 0; reaped < 2; reaped++) {
		struct profile *p = record(ids, 2, reaped ? dead : 0, false);

		assert_int_equal(p->tasks_len, 2);
		assert_int_equal(p->tasks[1].tid, sleeper);
		assert_int_equal(p->losses[LOSS_TASK_RECORD].events, 0);
		assert_int_equal(p->losses[LOSS_UNMARKED].events, 0);
		profile__free(p);
	}
	stop(sleeper);
}

/* Of those that are born and end while the hooks are put in, and while the sums are read. */
static void nobody_is_missing_among_many(void **state)
{
	pid_t pid = start(bear);
	u32 id = (u32)pid;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct profile *p = record(&id, 1, 0, false);

		assert_true(p->tasks_len > 2);
		assert_int_equal(p->losses[LOSS_TASK_RECORD].events, 0);
		profile__free(p);
	}
	stop(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_whole_on_a_slow_machine),
		cmocka_unit_test(the_dead_have_no_time),
		cmocka_unit_test(nobody_is_missing_among_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * In which interval a wait was, of a recording with objects and of one without, whose table has
 * shorter keys: what a thread slept in one function first is in the first half of the window, and
 * what it slept in another is in the second.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/session.h"

#define NAP_NS 4000000L
#define NAPS 200
#define INTERVAL_NS 200000000ULL
/* Where reading is slow, four intervals become two longer ones: see replicates.c. */
#define INTERVALS_MIN 2

/* The system call tells which function it is. */
static void sleeper(int ready, int go)
{
	const struct timespec ts = { .tv_nsec = NAP_NS };
	char byte = 0;

	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < NAPS; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	for (int i = 0; i < NAPS; i++)
		pselect(0, NULL, NULL, NULL, &ts, NULL);
	if (write(ready, &byte, 1) == 1)
		pause();
	_exit(1);
}

/* Where in the window the waits in a system call were, on average, and all of their time. */
static u64 mean_begin_ns(const struct profile *p, s32 sysno, u64 *ret_ns)
{
	u64 ns = 0, us_ms = 0;

	for (u32 i = 0; i < p->replicates_len; i++) {
		const struct profile_replicate *rep = &p->replicates[i];

		if (p->waits[rep->wait].sysno != sysno)
			continue;
		ns += rep->ns;
		us_ms += rep->ns / 1000 * (p->intervals[rep->interval].begin_ns / 1000000);
	}
	*ret_ns = ns;
	return ns ? us_ms / (ns / 1000) * 1000000 : 0;
}

static struct profile *record(bool objects, const struct features *f)
{
	u32 pid;
	struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
						    .ids = &pid,
						    .ids_len = 1,
						    .user_threads = true,
						    .max_ns = ~0ULL,
						    .state_any = true,
						    .state_r = true,
						    .user_stacks = true,
						    .kernel_stacks = true,
						    .objects = objects,
						    .interval_ns = INTERVAL_NS },
				       .command = "",
				       .target = "",
				       .version = "" };
	struct profile *p = NULL;
	struct session *s = NULL;
	struct err err = { 0 };
	int ready[2], go[2];
	struct pollfd done;
	char byte = 0;

	if (pipe(ready) || pipe(go))
		fail_msg("no pipe");
	pid = (u32)fork();
	if (!pid)
		sleeper(ready[1], go[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (session__open(&opt, f, &s, &err))
		fail_msg("%s", err.msg);
	session__start(s, NULL);
	assert_int_equal(write(go[1], &byte, 1), 1);
	done = (struct pollfd){ .fd = ready[0], .events = POLLIN };
	while (!poll(&done, 1, 0))
		if (session__poll(s, -1, 10, &err))
			fail_msg("%s", err.msg);
	if (session__finish(s, &p, &err))
		fail_msg("%s", err.msg);
	session__free(s);
	kill((pid_t)pid, SIGKILL);
	waitpid((pid_t)pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	return p;
}

static u64 listed_ns(const struct profile *p, s32 sysno)
{
	u64 ns = 0;

	for (u32 i = 1; i < p->waits_len; i++)
		if (p->waits[i].sysno == sysno)
			ns += p->waits[i].blocked_ns + p->waits[i].runq_ns;
	return ns;
}

static void waits_are_in_their_intervals(bool objects)
{
	u64 first_ns, second_ns, first_at, second_at;
	struct err err = { 0 };
	struct features f;
	struct profile *p;

	if (features__probe(&f, 0, &err) || features__verdict(&f, &err))
		fail_msg("%s", err.msg);
	p = record(objects, &f);
	features__done(&f);
	assert_in_range(p->intervals_len, INTERVALS_MIN, UINT32_MAX);
	first_at = mean_begin_ns(p, SYS_clock_nanosleep, &first_ns);
	second_at = mean_begin_ns(p, SYS_pselect6, &second_ns);
	/* all of it, though not all of it was there when the table was read */
	assert_int_equal(first_ns, listed_ns(p, SYS_clock_nanosleep));
	assert_int_equal(second_ns, listed_ns(p, SYS_pselect6));
	assert_in_range(first_ns, NAPS * NAP_NS, p->hdr.window_ns);
	assert_in_range(second_ns, NAPS * NAP_NS, p->hdr.window_ns);
	/* each in the middle of its half; an interval begins before what is in it */
	assert_in_range(first_at, 0, first_ns * 3 / 4);
	assert_in_range(second_at, first_ns * 3 / 4, p->hdr.window_ns);
	profile__free(p);
}

static void with_objects(void **state)
{
	(void)state;
	waits_are_in_their_intervals(true);
}

static void without_objects(void **state)
{
	(void)state;
	waits_are_in_their_intervals(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_objects),
		cmocka_unit_test(without_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

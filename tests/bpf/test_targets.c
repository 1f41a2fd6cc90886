/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Targets come and go while windows roll. A target has all of its time in each window that begins
 * and ends while it is one. One that is removed has neither a record nor waits in later windows,
 * also if it sleeps. Nothing of this counts as lost.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/session.h"

#define WINDOW_NS (50 * NSEC_PER_MSEC)

static void nap(u64 ns)
{
	const struct timespec ts = { .tv_nsec = (long)ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void naps(void)
{
	nap(NSEC_PER_MSEC);
}

static void spins(void)
{
	u64 end = clock_mono_ns() + NSEC_PER_MSEC;

	while (clock_mono_ns() < end)
		;
}

/* Wakes several times in a test, and not in each window. */
static void sleeps(void)
{
	nap(170 * NSEC_PER_MSEC);
}

static void stays_asleep(void)
{
	pause();
}

static void (*const loads[])(void) = { naps, spins, sleeps, stays_asleep };
#define LOADS ARRAY_LEN(loads)

static u32 pids[LOADS];

static int start_loads(void **state)
{
	(void)state;
	for (size_t i = 0; i < LOADS; i++) {
		pid_t pid = fork();

		if (!pid)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!pid)
			loads[i]();
		if (pid < 0)
			return -1;
		pids[i] = (u32)pid;
	}
	return 0;
}

static int stop_loads(void **state)
{
	(void)state;
	for (size_t i = 0; i < LOADS; i++) {
		kill((pid_t)pids[i], SIGKILL);
		waitpid((pid_t)pids[i], NULL, 0);
	}
	return 0;
}

static struct session *open_session(struct features *f)
{
	const struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
							  .ids = pids,
							  .ids_len = LOADS,
							  .user_threads = true,
							  .max_ns = ~0ULL,
							  .state_any = true,
							  .state_r = true,
							  .user_stacks = true,
							  .kernel_stacks = true,
							  .objects = true,
							  .max_waits = 1 << 14,
							  .on_cpu_hz = 499,
							  .windows = true },
					     .command = "",
					     .target = "",
					     .version = "" };
	struct session *s = NULL;
	struct err err = { 0 };

	if (features__probe(f, 0, &err) || features__verdict(f, &err) ||
	    session__open(&opt, f, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static struct profile *next(struct session *s)
{
	u64 end_ns = clock_mono_ns() + WINDOW_NS, now;
	struct profile *p = NULL;
	struct err err = { 0 };

	while ((now = clock_mono_ns()) + NSEC_PER_MSEC < end_ns)
		if (session__poll(s, -1, (int)((end_ns - now) / NSEC_PER_MSEC), &err))
			fail_msg("%s", err.msg);
	if (session__next(s, end_ns, &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p->losses[LOSS_TASK_RECORD].events, 0);
	assert_int_equal(p->losses[LOSS_ORPHAN_WAIT].events, 0);
	assert_int_equal(p->losses[LOSS_SAMPLES_LOST].events, 0);
	return p;
}

/* Of all records of load `i`. */
static u64 wall_of(const struct profile *p, size_t i)
{
	u64 ns = 0;

	for (u32 t = 1; t < p->tasks_len; t++)
		ns += p->tasks[t].tid == pids[i] ? p->tasks[t].wall_ns : 0;
	return ns;
}

/* A window at whose begin and end the loads in the mask `there`, and no others, are targets. */
static void window_has(struct session *s, unsigned int there)
{
	struct profile *p = next(s);

	for (size_t i = 0; i < LOADS; i++)
		assert_int_equal(wall_of(p, i), there >> i & 1 ? p->hdr.window_ns : 0);
	profile__free(p);
}

/* One in which those of `some` come or go; the others have all of their time or none. */
static void window_of_change(struct session *s, unsigned int there, unsigned int some)
{
	struct profile *p = next(s);

	for (size_t i = 0; i < LOADS; i++) {
		if (some >> i & 1)
			assert_true(wall_of(p, i) <= p->hdr.window_ns);
		else
			assert_int_equal(wall_of(p, i), there >> i & 1 ? p->hdr.window_ns : 0);
	}
	profile__free(p);
}

#define ALL ((1U << LOADS) - 1)

static void change(struct session *s, unsigned int some, bool add)
{
	struct err err = { 0 };

	for (size_t i = 0; i < LOADS; i++) {
		if (!(some >> i & 1))
			continue;
		if (add ? session__add_target(s, pids[i], &err) :
			  session__remove_target(s, pids[i], &err))
			fail_msg("%s", err.msg);
	}
}

static struct session *started(struct features *f)
{
	struct session *s = open_session(f);

	session__start(s, NULL);
	profile__free(next(s));
	window_has(s, ALL);
	return s;
}

static void stopped(struct session *s, struct features *f)
{
	struct profile *last = NULL;
	struct err err = { 0 };

	if (session__finish(s, &last, &err))
		fail_msg("%s", err.msg);
	profile__free(last);
	session__free(s);
	features__done(f);
}

static void each_goes_and_comes_back(void **state)
{
	struct features f;
	struct session *s = started(&f);

	(void)state;
	for (unsigned int one = 1; one < ALL; one <<= 1) {
		change(s, one, false);
		window_of_change(s, ALL, one);
		for (int i = 0; i < 5; i++)
			window_has(s, ALL & ~one);
		change(s, one, true);
		window_of_change(s, ALL, one);
		for (int i = 0; i < 5; i++)
			window_has(s, ALL);
	}
	stopped(s, &f);
}

static void all_go_and_come_back_in_one_window(void **state)
{
	struct features f;
	struct session *s = started(&f);

	(void)state;
	for (int i = 0; i < 4; i++) {
		change(s, ALL, false);
		change(s, ALL, true);
		window_of_change(s, ALL, ALL);
		window_has(s, ALL);
	}
	change(s, ALL, false);
	window_of_change(s, ALL, ALL);
	window_has(s, 0);
	stopped(s, &f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_goes_and_comes_back, start_loads, stop_loads),
		cmocka_unit_test_setup_teardown(all_go_and_come_back_in_one_window, start_loads,
						stop_loads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

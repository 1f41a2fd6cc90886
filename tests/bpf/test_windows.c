/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Windows that follow each other, of threads that do all kinds of things: every ns of every thread
 * is in exactly one of them, waits that go on from one into the next are in both with their parts,
 * and what is counted is counted once. Merged, they have the sums that they have one by one.
 * WINDOWS=20000 WINDOW_MS=2 for a day of them: descriptors and memory must not grow. ONLY='hist*'
 * for one of the tests.
 */
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/map64.h"
#include "lib/tally.h"
#include "profile/windows/source.h"
#include "session/session.h"

#define WINDOWS 40
#define WINDOW_MS 25
/* So many windows are compared with what they become when merged; nobody reads the ring then. */
#define MERGED 40
#define MERGED_OF_MANY 5
/* What a trace of a day may have more at its end than after its first tenth. */
#define FDS_MORE 64
#define KIB_MORE (32 << 10)

static u32 windows_len = WINDOWS;
static u64 window_ns = WINDOW_MS * NSEC_PER_MSEC;

static void nap(long ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = ns }, NULL);
}

static void spin(u64 ns)
{
	u64 end = clock_mono_ns() + ns;

	while (clock_mono_ns() < end)
		;
}

/* What a load does, over and over. */
static void naps(void)
{
	nap(300000);
}

/* Over several windows. */
static void sleeps(void)
{
	nap(130000000);
}

static void spins(void)
{
	spin(3000000);
	nap(1000);
}

static void bears(void)
{
	pid_t pid = fork();

	if (!pid) {
		spin(200000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *live_shortly(void *arg)
{
	nap(100000);
	return arg;
}

static void makes_threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, live_shortly, NULL))
			_exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void runs_programs(void)
{
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static int ball[2][2];

static void plays(void)
{
	char c = 0;

	if (write(ball[0][1], &c, 1) != 1 || read(ball[1][0], &c, 1) != 1)
		_exit(1);
}

static void plays_back(void)
{
	char c = 0;

	if (read(ball[0][0], &c, 1) != 1 || write(ball[1][1], &c, 1) != 1)
		_exit(1);
}

static void (*const loads[])(void) = {
	naps, sleeps, spins, bears, makes_threads, runs_programs, plays, plays_back,
};
#define LOADS ARRAY_LEN(loads)

static u32 pids[LOADS];

/* They end with this process, also where a test ends that. */
static void start_loads(void)
{
	assert_int_equal(pipe(ball[0]) | pipe(ball[1]), 0);
	for (size_t i = 0; i < LOADS; i++) {
		pid_t pid = fork();

		if (!pid)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!pid)
			loads[i]();
		assert_true(pid > 0);
		pids[i] = (u32)pid;
	}
}

static void stop_loads(void)
{
	for (size_t i = 0; i < LOADS; i++) {
		kill((pid_t)pids[i], SIGKILL);
		waitpid((pid_t)pids[i], NULL, 0);
	}
	for (int i = 0; i < 4; i++)
		close(ball[i / 2][i % 2]);
}

static struct session *open_session(struct features *f, bool hist, u64 interval_ns)
{
	const struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
							  .ids = pids,
							  .ids_len = LOADS,
							  .user_threads = true,
							  .follow = true,
							  .max_ns = ~0ULL,
							  .state_any = true,
							  .state_r = true,
							  .user_stacks = true,
							  .kernel_stacks = true,
							  .objects = true,
							  .max_waits = 1 << 17,
							  .on_cpu_hz = 499,
							  .hist_unit_ns = hist ? HIST_UNIT_NS : 0,
							  .interval_ns = interval_ns,
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

enum fate { ENDED = 1, GOES_ON };

/* Threads by their ids, with what became of them. */
struct watch {
	struct map64 before; /* in the last window */
	struct map64 now;
	u64 window;
	u64 end_mono_ns;
	u64 going; /* threads that the last window left alive */
	struct profile_pile pile;
	struct tally parts; /* the sums of what is in the pile */
	u32 fds; /* after the first tenth */
	u64 kib;
};

static u64 lost(const struct profile *p, enum profile_loss_kind kind)
{
	return p->losses[kind].events;
}

/*
 * Each wakeup ends a listed wait. A wait that ends in the very ns in which the window begins has no
 * part in it, and is only in the one before.
 */
static void check_wakeups(const struct profile_task *t, u64 listed, bool began_before)
{
	if (t->wakeups == listed + 1 && !t->begin_ns && !began_before)
		return;
	if (t->wakeups != listed)
		fail_msg("%llu wakeups of tid %u, and %llu waits; it %s at the start of the window",
			 (unsigned long long)t->wakeups, t->tid, (unsigned long long)listed,
			 began_before ? "waited" : "did not wait");
}

/* What must be true of each window by itself; profile__check() has seen the sums. */
static void check_window(const struct profile *p)
{
	u64 *counts = calloc(p->tasks_len, sizeof(*counts));
	bool *began_before = calloc(p->tasks_len, sizeof(*began_before));

	assert_non_null(counts);
	assert_non_null(began_before);
	assert_int_equal(lost(p, LOSS_TASK_RECORD), 0);
	assert_int_equal(lost(p, LOSS_WAITS_FULL), 0);
	assert_int_equal(lost(p, LOSS_CLOCK_BACK), 0);
	assert_int_equal(lost(p, LOSS_ORPHAN_WAIT), 0);
	for (u32 i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		assert_false(w->flags & WAIT_LOST);
		assert_true(w->max_ns <= p->hdr.window_ns);
		began_before[w->task] |= w->flags & WAIT_PRE;
		/* Only threads that run can end a wait, and are counted when they do. */
		if (!(w->flags & WAIT_OPEN) && w->state)
			counts[w->task] += w->count;
	}
	for (u32 i = 1; i < p->tasks_len; i++) {
		const struct profile_task *t = &p->tasks[i];

		if (!lost(p, LOSS_MISSED_SWITCH)) {
			assert_int_equal(t->unaccounted_ns, 0);
			check_wakeups(t, counts[i], began_before[i]);
		}
	}
	free(began_before);
	free(counts);
}

/* A thread is in every window from its birth to its death, from one end to the other. */
static void check_thread(struct watch *w, const struct profile *p, const struct profile_task *t)
{
	bool goes_on = !(t->flags & (TASK_EXITED | TASK_EXECED));
	u64 fate = 0;

	assert_false(map64__get(&w->now, tally_id(t), &fate) && fate == ENDED);
	if (w->window > 1 && !(t->flags & TASK_BORN)) {
		assert_true(map64__get(&w->before, tally_id(t), &fate));
		assert_int_equal(fate, GOES_ON);
		assert_int_equal(t->begin_ns, 0);
	}
	if (goes_on)
		assert_int_equal(t->begin_ns + t->wall_ns, p->hdr.window_ns);
	fate = t->flags & TASK_EXITED ? ENDED : GOES_ON;
	assert_int_equal(map64__set(&w->now, tally_id(t), fate), 0);
}

static void take_window(struct watch *w, const struct profile *p)
{
	u64 there = 0, going = 0;

	w->window++;
	map64__done(&w->before);
	w->before = w->now;
	map64__init(&w->now);
	if (w->window > 1)
		assert_int_equal(p->hdr.begin_mono_ns, w->end_mono_ns);
	w->end_mono_ns = p->hdr.begin_mono_ns + p->hdr.window_ns;
	check_window(p);
	for (u32 i = 1; i < p->tasks_len; i++) {
		const struct profile_task *t = &p->tasks[i];

		check_thread(w, p, t);
		there += !(t->flags & TASK_BORN);
		going += !(t->flags & (TASK_EXITED | TASK_EXECED));
	}
	/* Who was alive at the end of a window is there at the begin of the next one. */
	if (w->window > 1)
		assert_int_equal(there, w->going);
	w->going = going;
}

/* The windows in the pile, merged, have the sums that they had one by one. */
static void check_merged(struct watch *w)
{
	struct profile *p = NULL;
	struct tally merged;
	struct err err = { 0 };

	tally__init(&merged);
	if (profile_pile__take(&w->pile, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(tally__add(&merged, p), 0);
	assert_true(tally__equal(&w->parts, &merged));
	assert_true(w->parts.threads.len >= LOADS);
	tally__done(&merged);
	tally__done(&w->parts);
	tally__init(&w->parts);
	profile__free(p);
}

/* Takes `p`. */
static void pile_up(struct watch *w, struct profile *p)
{
	struct err err = { 0 };

	assert_int_equal(tally__add(&w->parts, p), 0);
	if (profile_pile__add(&w->pile, p, &err))
		fail_msg("%s", err.msg);
	if (w->window % (windows_len > WINDOWS ? MERGED_OF_MANY : MERGED) == 0)
		check_merged(w);
}

static struct profile *next(struct session *s, u64 end_ns)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	while (clock_mono_ns() + NSEC_PER_MSEC < end_ns) {
		u64 left_ms = (end_ns - clock_mono_ns()) / NSEC_PER_MSEC;

		if (session__poll(s, -1, (int)left_ms, &err))
			fail_msg("%s", err.msg);
	}
	if (session__next(s, end_ns, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static void watch__init(struct watch *w)
{
	*w = (struct watch){ 0 };
	map64__init(&w->before);
	map64__init(&w->now);
	profile_pile__init(&w->pile);
	tally__init(&w->parts);
}

static void watch__done(struct watch *w)
{
	map64__done(&w->before);
	map64__done(&w->now);
	profile_pile__done(&w->pile);
	tally__done(&w->parts);
}

static u32 fds_len(void)
{
	DIR *dir = opendir("/proc/self/fd");
	u32 n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static u64 rss_kib(void)
{
	unsigned long long all, rss = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu %llu", &all, &rss), 2);
	fclose(f);
	return rss * 4;
}

/* A trace that goes on for a day has at its end what it had after its first tenth. */
static void check_room(struct watch *w, const struct session *s, u32 i)
{
	u64 kib = rss_kib();
	u32 fds = fds_len();

	if (!getenv("WINDOWS") || i % (windows_len / 10 + 1))
		return;
	fprintf(stderr, "# window %u: %u fds, %llu KiB, %llu KiB of the kernel\n", i, fds,
		(unsigned long long)kib,
		(unsigned long long)session__kernel_memory_bytes(s) / 1024);
	if (i && !w->kib) {
		w->fds = fds;
		w->kib = kib;
	}
	if (i) {
		assert_true(fds <= w->fds + FDS_MORE);
		assert_true(kib <= w->kib + w->kib / 4 + KIB_MORE);
	}
}

static void roll(bool hist, u64 interval_ns)
{
	struct profile *last = NULL;
	struct features f;
	struct watch w;
	struct session *s;
	struct err err = { 0 };
	u64 end_ns;

	watch__init(&w);
	start_loads();
	s = open_session(&f, hist, interval_ns);
	session__start(s, NULL);
	end_ns = clock_mono_ns();
	for (u32 i = 0; i < windows_len; i++) {
		struct profile *p;

		end_ns += window_ns;
		p = next(s, end_ns);
		take_window(&w, p);
		pile_up(&w, p);
		check_room(&w, s, i);
	}
	if (session__finish(s, &last, &err))
		fail_msg("%s", err.msg);
	take_window(&w, last);
	pile_up(&w, last);
	check_merged(&w);
	session__free(s);
	features__done(&f);
	stop_loads();
	watch__done(&w);
}

static void every_ns_is_in_one_window(void **state)
{
	(void)state;
	roll(false, 0);
}

static void histograms_and_intervals_belong_to_their_window(void **state)
{
	(void)state;
	roll(true, 10 * NSEC_PER_MSEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ns_is_in_one_window),
		cmocka_unit_test(histograms_and_intervals_belong_to_their_window),
	};

	if (getenv("WINDOWS"))
		windows_len = (u32)atoi(getenv("WINDOWS"));
	if (getenv("WINDOW_MS"))
		window_ns = (u64)atoi(getenv("WINDOW_MS")) * NSEC_PER_MSEC;
	if (getenv("ONLY"))
		cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

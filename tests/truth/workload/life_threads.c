/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads, of short life or all blocked at once, and threads that die in their wait. What they
 * know is added up here; a line for each of ten thousand would be work for the harness only.
 */
#include "life.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/prctl.h>

#include "rawcall.h"

#define WAVE 40
#define STACK_SZ (64 * 1024)

struct short_life {
	pthread_t handle;
	struct truth truth;
	u64 created_ns; /* before pthread_create() */
	u64 born_ns; /* first thing in the thread */
	u64 dying_ns; /* last thing in it */
};

static noinline void block_short(struct truth *t)
{
	truth__begin(t);
	wl_pause(1000000);
	truth__end(t);
}

static noinline void run_short(struct short_life *s)
{
	block_short(&s->truth);
}

static void *short_main(void *arg)
{
	struct short_life *s = arg;

	s->born_ns = mono_ns();
	prctl(PR_SET_NAME, "short");
	run_short(s);
	s->dying_ns = mono_ns();
	return NULL;
}

struct sums {
	u64 threads;
	u64 blocked;
	u64 preempted;
	u64 mono_ns;
	u64 off_ns;
	u64 inner_ns; /* lives as the threads saw them */
	u64 outer_ns; /* and as their creator did */
};

static void run_wave(const pthread_attr_t *attr, struct short_life *wave, int n, struct sums *sums)
{
	int i;

	for (i = 0; i < n; i++) {
		wave[i] = (struct short_life){ .created_ns = mono_ns() };
		errno = pthread_create(&wave[i].handle, attr, short_main, &wave[i]);
		if (errno)
			wl_die("pthread_create");
	}
	for (i = 0; i < n; i++) {
		const struct truth *t = &wave[i].truth;

		pthread_join(wave[i].handle, NULL);
		sums->threads++;
		sums->blocked += t->blocked;
		sums->preempted += t->preempted;
		sums->mono_ns += t->mono_ns;
		sums->off_ns += t->off_ns;
		sums->inner_ns += wave[i].dying_ns - wave[i].born_ns;
		sums->outer_ns += mono_ns() - wave[i].created_ns;
	}
}

/* threads [COUNT [MS]]: a few at a time, with so long a pause between them */
static void run_threads(char **args)
{
	static struct short_life wave[WAVE];
	u64 left = life_number(args[0], 10000);
	u64 pause_ns = args[0] ? life_number(args[1], 0) * 1000000 : 0;
	struct sums s = { 0 };
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SZ);
	life_await_go();
	while (left) {
		int n = left < WAVE ? (int)left : WAVE;

		run_wave(&attr, wave, n, &s);
		left -= (u64)n;
		if (pause_ns)
			wl_pause(pause_ns);
	}
	wl_emit("{\"event\":\"sums\",\"threads\":%llu,\"blocked\":%llu,\"preempted\":%llu,"
		"\"mono_ns\":%llu,\"off_ns\":%llu,\"inner_ns\":%llu,\"outer_ns\":%llu}",
		(unsigned long long)s.threads, (unsigned long long)s.blocked,
		(unsigned long long)s.preempted, (unsigned long long)s.mono_ns,
		(unsigned long long)s.off_ns, (unsigned long long)s.inner_ns,
		(unsigned long long)s.outer_ns);
	life_await_quit();
}

static noinline void block_many(struct wl_thread *t)
{
	truth__begin(&t->truth);
	wl_pause(100000000);
	truth__end(&t->truth);
}

static noinline void run_many(struct wl_thread *t)
{
	block_many(t);
}

static struct wl_thread *start_many(u64 n, const char *name, void (*run)(struct wl_thread *t))
{
	struct wl_thread *threads = calloc(n, sizeof(*threads));
	u64 i;

	if (!threads)
		wl_die("calloc");
	for (i = 0; i < n; i++) {
		threads[i] = (struct wl_thread){ .kind = name, .name = name, .run = run };
		wl_thread__start(&threads[i]);
	}
	for (i = 0; i < n; i++)
		wl_thread__ready(&threads[i]);
	return threads;
}

/* blocked [COUNT]: all in one wait each before, in the middle of and after the recording */
static void run_blocked(char **args)
{
	u64 n = life_number(args[0], 2000), i;
	struct wl_thread *threads = start_many(n, "many", run_many);

	life_await_go();
	for (i = 0; i < n; i++)
		while (!__atomic_load_n(&threads[i].park_ns, __ATOMIC_ACQUIRE))
			wl_pause(1000000);
	for (i = 0; i < n; i++) {
		if (wl_asleep(threads[i].tid))
			wl_die("a thread does not come to its second gate");
		wl_thread__emit(&threads[i]);
	}
	life_await_quit();
}

static noinline void block_forever(struct wl_thread *t)
{
	char byte;

	rawcall3(SYS_read, t->pair->fd[0], &byte, 1);
}

static noinline void run_forever(struct wl_thread *t)
{
	block_forever(t);
}

/* exit [COUNT]: the process ends while its threads are blocked */
static void run_exit(char **args)
{
	static struct wl_pair pair;
	u64 n = life_number(args[0], 8), i;
	struct wl_thread *threads;

	if (pipe(pair.fd))
		wl_die("pipe");
	threads = calloc(n, sizeof(*threads));
	if (!threads)
		wl_die("calloc");
	for (i = 0; i < n; i++) {
		threads[i] = (struct wl_thread){
			.kind = "exit",
			.name = "forever",
			.run = run_forever,
			.pair = &pair,
			.early = 1,
		};
		wl_thread__start(&threads[i]);
		wl_thread__ready(&threads[i]);
	}
	life_await_go();
	wl_pause(200000000);
	wl_emit("{\"event\":\"exit\",\"mono_ns\":%llu}", (unsigned long long)mono_ns());
	rawcall1(SYS_exit_group, 0);
}

const struct life_mode life_threads[] = {
	{ "threads", run_threads },
	{ "blocked", run_blocked },
	{ "exit", run_exit },
	{ 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads whose wakeups follow a pattern. Usage:
 *
 *   herd COUNT ROUNDS       one thread wakes so many at once, and they meet at a mutex
 *   convoy COUNT ROUNDS     so many threads hand a mutex to each other
 *   ping-pong KIND ROUNDS   two threads wake each other in turn
 *   queue COUNT ROUNDS      a producer and so many consumers that have work to do: none of these
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"

#define HERD_PAUSE_NS 4000000ULL
#define HERD_WORK_NS 3000ULL
#define CONVOY_HELD_NS 150000ULL
#define CONVOY_FREE_NS 100000ULL
#define QUEUE_PAUSE_NS 1000000ULL
#define QUEUE_WORK_NS 400000ULL

static int rounds, count;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int herd_round, herd_waiting, queue_items;
static sem_t balls[2];
static int pipes[2][2];
static int by_pipe;

static int number_of(const struct wl_thread *t)
{
	return (int)(t - crew);
}

/* Computes for so long, by the thread's own clock. */
static noinline void burn(u64 ns)
{
	struct timespec ts;
	u64 begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	begin = (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
	} while (now - begin < ns);
}

static noinline void herd_wait(int round)
{
	pthread_mutex_lock(&mutex);
	herd_waiting++;
	while (herd_round <= round)
		pthread_cond_wait(&cond, &mutex);
	burn(HERD_WORK_NS);
	pthread_mutex_unlock(&mutex);
}

static noinline void herd_wake(void)
{
	pthread_mutex_lock(&mutex);
	herd_waiting = 0;
	herd_round++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

/* Thread 0 wakes all others. */
static void run_herd(struct wl_thread *t)
{
	for (int i = 0; i < rounds; i++) {
		if (number_of(t)) {
			herd_wait(i);
			continue;
		}
		while (__atomic_load_n(&herd_waiting, __ATOMIC_ACQUIRE) < count)
			wl_pause(1000000);
		wl_pause(HERD_PAUSE_NS);
		herd_wake();
	}
}

static noinline void convoy_pass(void)
{
	pthread_mutex_lock(&mutex);
	burn(CONVOY_HELD_NS);
	pthread_mutex_unlock(&mutex);
}

static void run_convoy(struct wl_thread *t)
{
	(void)t;
	for (int i = 0; i < rounds; i++) {
		convoy_pass();
		burn(CONVOY_FREE_NS);
	}
}

static noinline void ball_wait(int side)
{
	char c;

	if (!by_pipe)
		while (sem_wait(&balls[side]))
			;
	else if (read(pipes[side][0], &c, 1) != 1)
		wl_die("read");
}

static noinline void ball_throw(int side)
{
	if (!by_pipe)
		sem_post(&balls[side]);
	else if (write(pipes[side][1], "", 1) != 1)
		wl_die("write");
}

static void run_ping_pong(struct wl_thread *t)
{
	int me = number_of(t);

	for (int i = 0; i < rounds; i++) {
		if (me)
			ball_wait(me);
		ball_throw(!me);
		if (!me)
			ball_wait(me);
	}
}

static noinline void queue_take(void)
{
	pthread_mutex_lock(&mutex);
	while (!queue_items)
		pthread_cond_wait(&cond, &mutex);
	queue_items--;
	pthread_mutex_unlock(&mutex);
}

static noinline void queue_put(void)
{
	pthread_mutex_lock(&mutex);
	queue_items++;
	pthread_mutex_unlock(&mutex);
	pthread_cond_signal(&cond);
}

/* Thread 0 makes an item for each round of each of the others, when somebody is idle. */
static void run_queue(struct wl_thread *t)
{
	for (int i = 0; i < rounds * (number_of(t) ? 1 : count); i++) {
		if (number_of(t)) {
			queue_take();
			burn(QUEUE_WORK_NS);
			continue;
		}
		wl_pause(QUEUE_PAUSE_NS);
		queue_put();
	}
}

static void ping_pong(const char *kind)
{
	by_pipe = !strcmp(kind, "pipe");
	for (int i = 0; i < 2; i++) {
		sem_init(&balls[i], 0, 0);
		wl_checked(pipe(pipes[i]), "pipe");
	}
	crew_start(2, run_ping_pong, "ball");
	crew_converse(2);
}

int main(int argc, char **argv)
{
	const char *mode = argc == 4 ? argv[1] : "";

	count = argc == 4 ? atoi(argv[2]) : 0;
	rounds = argc == 4 ? atoi(argv[3]) : 0;
	if (!strcmp(mode, "ping-pong")) {
		ping_pong(argv[2]);
		return 0;
	}
	if (count >= CREW_MOST || count < 1)
		mode = "";
	if (!strcmp(mode, "herd")) {
		crew_start(count + 1, run_herd, "herd");
		crew_converse(count + 1);
	} else if (!strcmp(mode, "convoy")) {
		crew_start(count, run_convoy, "convoy");
		crew_converse(count);
	} else if (!strcmp(mode, "queue")) {
		crew_start(count + 1, run_queue, "queue");
		crew_converse(count + 1);
	} else {
		wl_die("usage: storms herd|convoy|queue COUNT ROUNDS | ping-pong KIND ROUNDS");
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Waits of known number and length, in threads with names; prints its own account of each:
 *
 *	NAME COUNT NS
 *
 * Waits for the end of standard input before it begins, so that a trace can begin first, and ends
 * when all is done, which ends the trace. Frame pointers: each thread's own function must be in the
 * stacks of its waits.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 20
#define SLEEP_NS 50000000
#define ROUNDS 200
#define HOLDS 10
#define HOLD_NS 30000000

struct account {
	unsigned long count;
	unsigned long ns;
};

static int ping_pipe[2], pong_pipe[2], held_pipe[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static unsigned long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long)ts.tv_sec * 1000000000 + (unsigned long)ts.tv_nsec;
}

static void check(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void nap(long ns)
{
	struct timespec ts = { .tv_nsec = ns };

	check(!nanosleep(&ts, NULL), "nanosleep");
}

static void pass(int from, int to)
{
	char byte = 0;

	check(read(from, &byte, 1) == 1, "read");
	check(write(to, &byte, 1) == 1, "write");
}

static void *sleeps(void *arg)
{
	struct account *a = arg;

	prctl(PR_SET_NAME, "sleeps");
	for (a->count = 0; a->count < SLEEPS; a->count++) {
		unsigned long begin = now_ns();

		nap(SLEEP_NS);
		a->ns += now_ns() - begin;
	}
	return NULL;
}

static void *pings(void *arg)
{
	struct account *a = arg;

	prctl(PR_SET_NAME, "pings");
	check(write(ping_pipe[1], "", 1) == 1, "write");
	for (a->count = 0; a->count < ROUNDS; a->count++)
		pass(pong_pipe[0], ping_pipe[1]);
	return NULL;
}

static void *pongs(void *arg)
{
	struct account *a = arg;

	prctl(PR_SET_NAME, "pongs");
	for (a->count = 0; a->count < ROUNDS; a->count++)
		pass(ping_pipe[0], pong_pipe[1]);
	return NULL;
}

/* Takes the mutex, says so, and lets it go 30 ms later. */
static void *holds(void *arg)
{
	struct account *a = arg;

	prctl(PR_SET_NAME, "holds");
	for (a->count = 0; a->count < HOLDS; a->count++) {
		pthread_mutex_lock(&mutex);
		check(write(held_pipe[1], "", 1) == 1, "write");
		nap(HOLD_NS);
		pthread_mutex_unlock(&mutex);
		nap(HOLD_NS / 3);
	}
	return NULL;
}

static void *locks(void *arg)
{
	struct account *a = arg;
	char byte;

	prctl(PR_SET_NAME, "locks");
	for (a->count = 0; a->count < HOLDS; a->count++) {
		unsigned long begin;

		check(read(held_pipe[0], &byte, 1) == 1, "read");
		begin = now_ns();
		pthread_mutex_lock(&mutex);
		a->ns += now_ns() - begin;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	static const struct {
		const char *name;
		void *(*body)(void *arg);
	} threads[] = {
		{ "sleeps", sleeps }, { "pings", pings }, { "pongs", pongs },
		{ "holds", holds },   { "locks", locks },
	};
	enum { THREADS = sizeof(threads) / sizeof(threads[0]) };
	struct account accounts[THREADS] = { 0 };
	pthread_t ids[THREADS];
	char byte;

	check(!pipe(ping_pipe) && !pipe(pong_pipe) && !pipe(held_pipe), "pipe");
	check(read(0, &byte, 1) == 0, "standard input");
	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&ids[i], NULL, threads[i].body, &accounts[i]), "thread");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		printf("%s %lu %lu\n", threads[i].name, accounts[i].count, accounts[i].ns);
	}
	return 0;
}

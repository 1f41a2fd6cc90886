/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Waits of known number and length, one kind for each thread; prints its own account of them:
 *
 *	NAME TID COUNT NS
 *
 * Waits for the end of standard input before it begins, so that a trace can begin first, and ends
 * when all is done, which ends the trace. The function NAME is in the user stacks of the waits by
 * frame pointers alone: it makes them through another function of ours, whose frame is the one that
 * a library without frame pointers leaves in the register.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 20
#define SLEEP_NS 50000000
#define ROUNDS 200
#define HOLDS 10
#define HOLD_NS 30000000

struct account {
	long tid;
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

static __attribute__((noinline)) void nap(long ns)
{
	struct timespec ts = { .tv_nsec = ns };

	check(!nanosleep(&ts, NULL), "nanosleep");
}

static __attribute__((noinline)) void take(void)
{
	check(!pthread_mutex_lock(&mutex), "mutex");
}

static __attribute__((noinline)) void pass(int from, int to)
{
	char byte = 0;

	check(read(from, &byte, 1) == 1, "read");
	check(write(to, &byte, 1) == 1, "write");
}

static void *sleeps(void *arg)
{
	struct account *a = arg;

	a->tid = syscall(SYS_gettid);
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

	a->tid = syscall(SYS_gettid);
	check(write(ping_pipe[1], "", 1) == 1, "write");
	for (a->count = 0; a->count < ROUNDS; a->count++)
		pass(pong_pipe[0], ping_pipe[1]);
	return NULL;
}

static void *pongs(void *arg)
{
	struct account *a = arg;

	a->tid = syscall(SYS_gettid);
	for (a->count = 0; a->count < ROUNDS; a->count++)
		pass(ping_pipe[0], pong_pipe[1]);
	return NULL;
}

/* Takes the mutex, says so, and lets it go 30 ms later. */
static void *holds(void *arg)
{
	struct account *a = arg;

	a->tid = syscall(SYS_gettid);
	for (a->count = 0; a->count < HOLDS; a->count++) {
		take();
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

	a->tid = syscall(SYS_gettid);
	for (a->count = 0; a->count < HOLDS; a->count++) {
		unsigned long begin;

		check(read(held_pipe[0], &byte, 1) == 1, "read");
		begin = now_ns();
		take();
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
		const struct account *a = &accounts[i];

		pthread_join(ids[i], NULL);
		printf("%s %ld %lu %lu\n", threads[i].name, a->tid, a->count, a->ns);
	}
	return 0;
}

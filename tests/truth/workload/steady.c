/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Threads that wait in the same way all the time, for two profilers that look at once: a sleeper, a
 * reader and a writer of a pipe, a lock that is held long and one who wants it. Runs until its
 * standard input ends. Prints a line {"event":"ready", ...} when all are at it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void nap_ms(long ms)
{
	struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* glibc's wrappers have no frame, so the caller of one is missing in stacks: this is what is. */
static __attribute__((noinline)) void steady_nap(long ms)
{
	nap_ms(ms);
	__asm__ volatile("");
}

static __attribute__((noinline)) void steady_read(char *c)
{
	if (read(ends[0], c, 1) != 1)
		exit(1);
}

static __attribute__((noinline)) void steady_lock(void)
{
	pthread_mutex_lock(&lock);
	__asm__ volatile("");
}

static void *sleeper(void *arg)
{
	prctl(PR_SET_NAME, "steady-sleep");
	for (;;)
		steady_nap(10);
	return arg;
}

static void *reader(void *arg)
{
	char c;

	prctl(PR_SET_NAME, "steady-read");
	for (;;)
		steady_read(&c);
	return arg;
}

static void *writer(void *arg)
{
	prctl(PR_SET_NAME, "steady-write");
	for (;;) {
		steady_nap(5);
		if (write(ends[1], "x", 1) != 1)
			exit(1);
	}
	return arg;
}

static void *owner(void *arg)
{
	prctl(PR_SET_NAME, "steady-hold");
	for (;;) {
		pthread_mutex_lock(&lock);
		steady_nap(20);
		pthread_mutex_unlock(&lock);
		steady_nap(2);
	}
	return arg;
}

static void *wanter(void *arg)
{
	prctl(PR_SET_NAME, "steady-want");
	for (;;) {
		steady_lock();
		pthread_mutex_unlock(&lock);
		steady_nap(1);
	}
	return arg;
}

int main(void)
{
	void *(*const runs[])(void *) = { sleeper, reader, writer, owner, wanter };
	pthread_t t;
	char c;

	if (pipe(ends))
		return 1;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (pthread_create(&t, NULL, runs[i], NULL))
			return 1;
	nap_ms(50);
	printf("{\"event\":\"ready\",\"pid\":%d}\n", getpid());
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1)
		;
	return 0;
}

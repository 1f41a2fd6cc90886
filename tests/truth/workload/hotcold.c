/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One thread that runs in two functions, 70 to 30, and sleeps in a third, in turns. It says with
 * the kernel's own clock of the thread how long it ran in which, and how long it was off the CPU.
 *
 *	hotcold ROUNDS
 *
 * Prints {"event":"ready",...}, works from "go" on, prints {"event":"done",...}, and ends when its
 * standard input does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long u64;

static u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* The clock is read seldom, so that few samples hit the frames of its reading. */
static inline __attribute__((always_inline)) u64 spin(u64 ns)
{
	u64 begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), now;
	volatile unsigned int turn;

	do {
		for (turn = 0; turn < 100000; turn++)
			;
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now - begin < ns);
	return now - begin;
}

static __attribute__((noinline)) u64 hot_seventy(void)
{
	return spin(7000000);
}

static __attribute__((noinline)) u64 hot_thirty(void)
{
	return spin(3000000);
}

/* glibc's wrapper has no frame of its own, so the call must not be the last. */
static __attribute__((noinline)) void cold_nap(u64 *off_ns, u64 *mono_ns)
{
	struct timespec ts = { .tv_nsec = 8000000 };
	u64 mono = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	nanosleep(&ts, NULL);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	mono = clock_ns(CLOCK_MONOTONIC) - mono;
	*off_ns += mono - cpu;
	*mono_ns += mono;
}

static void await(const char *word)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, word, strlen(word)))
			return;
	}
	exit(0);
}

int main(int argc, char **argv)
{
	u64 seventy = 0, thirty = 0, off = 0, mono = 0;
	int rounds = argc > 1 ? atoi(argv[1]) : 100, i;

	printf("{\"event\":\"ready\",\"pid\":%d}\n", getpid());
	fflush(stdout);
	await("go");
	for (i = 0; i < rounds; i++) {
		seventy += hot_seventy();
		thirty += hot_thirty();
		cold_nap(&off, &mono);
	}
	printf("{\"event\":\"done\",\"seventy\":%llu,\"thirty\":%llu,\"off\":%llu,\"mono\":%llu}\n",
	       seventy, thirty, off, mono);
	fflush(stdout);
	await("quit");
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: crowd THREADS SWITCHES
 *
 * THREADS threads that sleep, of which as few as possible switch SWITCHES times a second together,
 * until standard input ends. A switch is a sleep of a millisecond; where that is too slow, one
 * thread of each CPU passes a byte to another one and back, for a part of each 10 ms. Says "ready"
 * when all are there.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* With more than that, threads pass bytes. */
#define SLEEPS_MAX 20000L
#define PERIODS 100L /* a second */
#define STACK_SZ (64UL << 10)
/* A sleep of 1 ms takes a little more. */
#define SLEEPS_OF_ONE 900L

struct crowd {
	long threads;
	long sleepers; /* that sleep for 1 ms at a time */
	long players; /* two for each CPU */
	long trips; /* of a byte, in each period: two switches */
};

struct member {
	const struct crowd *crowd;
	long number;
	int from, to; /* pipes of a player */
};

static void sleep_ns(long ns)
{
	const struct timespec ts = { .tv_nsec = ns };

	nanosleep(&ts, NULL);
}

static void pin(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* One of each two begins, and rests for the remainder of the period. */
static void play(const struct member *m)
{
	char byte = 0;

	pin(m->number / 2);
	for (;;) {
		if (m->number % 2) {
			if (read(m->from, &byte, 1) != 1 || write(m->to, &byte, 1) != 1)
				exit(1);
			continue;
		}
		for (long i = 0; i < m->crowd->trips; i++)
			if (write(m->to, &byte, 1) != 1 || read(m->from, &byte, 1) != 1)
				exit(1);
		sleep_ns(1000000000 / PERIODS);
	}
}

static void *live(void *arg)
{
	const struct member *m = arg;

	if (m->number < m->crowd->players)
		play(m);
	for (;;) {
		if (m->number < m->crowd->players + m->crowd->sleepers)
			sleep_ns(1000000);
		else
			pause();
	}
	return NULL;
}

static void plan(struct crowd *c, long switches)
{
	if (switches <= SLEEPS_MAX) {
		c->sleepers = switches / SLEEPS_OF_ONE;
		return;
	}
	c->players = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	c->trips = switches / PERIODS / c->players;
}

static int join(struct member *a, struct member *b)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		return 1;
	a->to = there[1];
	a->from = back[0];
	b->to = back[1];
	b->from = there[0];
	return 0;
}

static int start(const struct crowd *c)
{
	struct member *members = calloc((size_t)c->threads, sizeof(*members));
	pthread_attr_t attr;
	pthread_t thread;

	if (!members)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SZ);
	for (long i = 0; i < c->threads; i++)
		members[i] = (struct member){ .crowd = c, .number = i };
	for (long i = 0; i < c->players; i += 2)
		if (join(&members[i], &members[i + 1]))
			return 1;
	for (long i = 0; i < c->threads; i++) {
		if (pthread_create(&thread, &attr, live, &members[i]))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct crowd c = { .threads = argc == 3 ? strtol(argv[1], NULL, 10) : 0 };
	char byte;

	if (c.threads < 10) {
		fprintf(stderr, "usage: crowd THREADS SWITCHES, with 10 threads or more\n");
		return 2;
	}
	plan(&c, strtol(argv[2], NULL, 10));
	if (start(&c)) {
		perror("crowd: cannot start a thread");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}

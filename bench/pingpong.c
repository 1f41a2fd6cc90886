/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: pingpong DEPTH TRIPS
 *
 * Two threads hand a byte to each other over two pipes, TRIPS times there and back, each DEPTH
 * calls below its beginning. With frame pointers, so that every tracer has all of them to walk.
 *
 * Prints what CPU time a trip took both threads, in ns: the median of blocks of trips, which knows
 * nothing of the interrupts and neighbours that the sum has to bear.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 500

struct player {
	int (*descend)(struct player *p,
		       unsigned long levels); /* by pointer, a call stays a call */
	unsigned long depth;
	unsigned long blocks;
	bool serves; /* writes first, and takes the time */
	int from;
	int to;
	int failed;
	long long *took; /* of each block */
};

static long long cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* In play(), not called by it: it is one of the frames. */
static inline __attribute__((always_inline)) bool trip(const struct player *p)
{
	char byte = 0;

	if (p->serves)
		return write(p->to, &byte, 1) == 1 && read(p->from, &byte, 1) == 1;
	return read(p->from, &byte, 1) == 1 && write(p->to, &byte, 1) == 1;
}

static int __attribute__((noinline)) play(struct player *p)
{
	for (unsigned long i = 0; i < p->blocks; i++) {
		long long begin = cpu_ns();

		for (int k = 0; k < BLOCK; k++)
			if (!trip(p))
				return 1;
		if (p->serves)
			p->took[i] = cpu_ns() - begin;
	}
	return 0;
}

/* The result is used after the call, so that none of them is a jump. */
static int __attribute__((noinline)) descend(struct player *p, unsigned long levels)
{
	int failed = levels > 1 ? p->descend(p, levels - 1) : play(p);

	p->failed |= failed;
	return failed;
}

static void *run(void *arg)
{
	struct player *p = arg;

	p->descend(p, p->depth);
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return x < y ? -1 : x > y;
}

static int play_both(struct player players[2])
{
	pthread_t threads[2];
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		return 1;
	players[0].to = there[1];
	players[0].from = back[0];
	players[1].to = back[1];
	players[1].from = there[0];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, run, &players[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return players[0].failed | players[1].failed;
}

int main(int argc, char **argv)
{
	struct player players[2] = { { 0 } };
	struct player p = { .descend = descend };

	if (argc == 3) {
		p.depth = strtoul(argv[1], NULL, 10);
		p.blocks = strtoul(argv[2], NULL, 10) / BLOCK;
	}
	p.took = calloc(p.blocks ? p.blocks : 1, sizeof(*p.took));
	if (!p.depth || !p.blocks || !p.took) {
		fprintf(stderr, "usage: pingpong DEPTH TRIPS, at least %d\n", BLOCK);
		return 2;
	}
	players[0] = players[1] = p;
	players[0].serves = true;
	if (play_both(players)) {
		perror("pingpong");
		return 1;
	}
	qsort(p.took, p.blocks, sizeof(*p.took), by_size);
	printf("%lld\n", p.took[p.blocks / 2] / BLOCK);
	free(p.took);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * usage: cores FILE...
 *
 * The time our programs take for a switch, on 1 CPU and on all of this machine's at once, with and
 * without a sum that all of them add to. Only CPUs that are there can be timed: what more of them
 * would do is counted by cores_count, and what a fetch from another CPU costs is the difference of
 * two lines here. The walk of a user stack is not in it, nor what the kernel does to call us.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/types.h"
#include "lib/switch_world.h"

#define ROUNDS 7
#define SWITCHES 200000 /* of a round */

struct lane {
	struct switch_world *world;
	pthread_barrier_t *start;
	u32 copy;
	u32 passes;
	int cpu;
	bool hooks;
	u64 ns;
};

static u64 now_ns(void)
{
	struct timespec t;

	/* Of this thread: excludes what other threads do on its CPU. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void *run_lane(void *arg)
{
	struct lane *lane = arg;
	cpu_set_t set;
	u64 begin;
	u32 i;

	CPU_ZERO(&set);
	CPU_SET(lane->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	pthread_barrier_wait(lane->start);
	begin = now_ns();
	for (i = 0; i < lane->passes; i++)
		switch_world__pass_of(lane->world, lane->copy, lane->hooks);
	lane->ns = now_ns() - begin;
	return NULL;
}

/* CPU time of all lanes. */
static int run(struct switch_world *w, u32 cpus, u32 passes, bool hooks, u64 *ret_ns)
{
	struct lane lanes[WORLD_CPUS];
	pthread_t threads[WORLD_CPUS];
	pthread_barrier_t start;
	u32 i, made = 0;

	if (pthread_barrier_init(&start, NULL, cpus))
		return -ENOMEM;
	for (i = 0; i < cpus; i++) {
		lanes[i] = (struct lane){ w, &start, i, passes, (int)i, hooks, 0 };
		if (pthread_create(&threads[i], NULL, run_lane, &lanes[i])) {
			/* The others would wait for it forever. */
			fprintf(stderr, "cores: cannot start a thread\n");
			exit(1);
		}
		made++;
	}
	*ret_ns = 0;
	for (i = 0; i < made; i++) {
		pthread_join(threads[i], NULL);
		*ret_ns += lanes[i].ns;
	}
	pthread_barrier_destroy(&start);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of what our programs add to a switch. */
static int measure(const struct switch_stream *s, u32 cpus, enum world_layout layout, double *ret)
{
	struct switch_world *w = switch_world__new(s, cpus, layout, 0);
	u32 passes = SWITCHES / s->switches, i;
	double took[ROUNDS];
	u64 with, without;
	int r = w ? 0 : -ENOMEM;

	for (i = 0; i < ROUNDS && !r; i++) {
		r = run(w, cpus, passes, false, &without);
		if (!r)
			r = run(w, cpus, passes, true, &with);
		if (!r)
			took[i] = ((double)with - (double)without) /
				  ((double)cpus * passes * s->switches);
	}
	switch_world__free(w);
	if (r)
		return r;
	qsort(took, ROUNDS, sizeof(*took), by_value);
	*ret = took[ROUNDS / 2];
	return 0;
}

static int measure_all(const struct switch_stream *s, u32 cpus_max)
{
	double one = 0, apart = 0, key = 0;
	int r = measure(s, 1, WORLD_APART, &one);

	if (!r)
		printf("  1 CPU:%33.0f ns per switch\n", one);
	if (r || cpus_max < 2)
		return r;
	r = measure(s, cpus_max, WORLD_APART, &apart);
	if (!r)
		r = measure(s, cpus_max, WORLD_ONE_KEY, &key);
	if (!r)
		printf("  %u CPUs, threads of their own:%10.0f ns per switch\n"
		       "  %u CPUs that add to one sum:%12.0f ns per switch\n",
		       cpus_max, apart, cpus_max, key);
	return r;
}

int main(int argc, char **argv)
{
	struct switch_stream stream;
	cpu_set_t set;
	u32 line, cpus = 0;
	int i, r;

	if (argc < 2) {
		fprintf(stderr, "usage: cores FILE...\n");
		return 2;
	}
	if (!sched_getaffinity(0, sizeof(set), &set))
		while (cpus < WORLD_CPUS && CPU_ISSET(cpus, &set))
			cpus++;
	printf("Time of our programs, without walks of user stacks, on this machine's CPUs\n");
	for (i = 1; i < argc; i++) {
		printf("\n%s\n", argv[i]);
		r = switch_stream__read(&stream, argv[i], &line);
		if (!r)
			r = measure_all(&stream, cpus);
		if (r) {
			fprintf(stderr, "cores: %s, line %u: %s\n", argv[i], line, strerror(-r));
			return 1;
		}
		switch_stream__done(&stream);
	}
	printf("\nMore CPUs than these cannot be timed here; cores_count says what they would "
	       "share.\n");
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread sleeps, a second one joins it, and the first of all joins that. In a PID namespace of
 * its own they have the numbers 2 and 3 each time, which are values of locks, too.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void number_from(int pid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!f)
		return;
	fprintf(f, "%d", pid - 1);
	fclose(f);
}

static void *nap(void *arg)
{
	const struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
	return arg;
}

static void *join(void *thread)
{
	pthread_join(*(pthread_t *)thread, NULL);
	return NULL;
}

int main(void)
{
	for (;;) {
		pthread_t sleeper, joiner;

		if (getpid() == 1)
			number_from(2);
		pthread_create(&sleeper, NULL, nap, NULL);
		if (getpid() == 1)
			number_from(3);
		pthread_create(&joiner, NULL, join, &sleeper);
		pthread_join(joiner, NULL);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take turns with a mutex of musl: `normal`, which does not say who holds it, or
 * `checking`, which does.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

pthread_mutex_t held;

static void *take_turns(void *arg)
{
	const struct timespec nap = { 0, 20000000 };

	for (;;) {
		pthread_mutex_lock(&held);
		nanosleep(&nap, NULL);
		pthread_mutex_unlock(&held);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_t thread;
	int i;

	pthread_mutexattr_init(&attr);
	if (argc > 1 && !strcmp(argv[1], "checking"))
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&held, &attr);
	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, take_turns, NULL);
	take_turns(NULL);
	return 0;
}

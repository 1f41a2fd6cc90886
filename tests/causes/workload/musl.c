/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for what musl makes of futexes. `normal` and `checking`: threads take turns with a mutex
 * that does not say who holds it, or does; `cond` and `semaphore`: one that nobody signals.
 */
#include <pthread.h>
#include <semaphore.h>
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

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 20000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void await_cond(void)
{
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&held);
	for (;;) {
		struct timespec end = soon();

		pthread_cond_timedwait(&cond, &held, &end);
	}
}

static void await_semaphore(void)
{
	static sem_t sem;

	sem_init(&sem, 0, 0);
	for (;;) {
		struct timespec end = soon();

		sem_timedwait(&sem, &end);
	}
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	pthread_t thread;
	int i;

	if (argc > 1 && !strcmp(argv[1], "cond"))
		await_cond();
	if (argc > 1 && !strcmp(argv[1], "semaphore"))
		await_semaphore();
	pthread_mutexattr_init(&attr);
	if (argc > 1 && !strcmp(argv[1], "checking"))
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&held, &attr);
	for (i = 0; i < 3; i++)
		pthread_create(&thread, NULL, take_turns, NULL);
	take_turns(NULL);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * For a number of seconds, some 1,000 threads a second that each sleep once, for 50 to
 * 250 ms, and end. So some end just after any instant.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000L
#define STACK_BYTES 65536

static void *life(void *arg)
{
	const struct timespec ts = { .tv_nsec = (long)(intptr_t)arg };

	nanosleep(&ts, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = MS / 2 };
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	while (time(NULL) < end) {
		long sleep_ns = 50 * MS + random() % (200 * MS);

		if (pthread_create(&thread, &attr, life, (void *)(intptr_t)sleep_ns))
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One descriptor number for many things: the main thread waits once for each of so many pipes,
 * eventfds and timerfds in turn, and closes them. On standard input comes "go".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "wl.h"

#define ROUNDS 40
#define PAUSE_NS 1000000

static void *feed(void *fd)
{
	wl_pause(PAUSE_NS);
	if (write(*(int *)fd, "12345678", 8) != 8)
		wl_die("write");
	return NULL;
}

static void wait_once(int fd, int *fed)
{
	pthread_t feeder;
	char bytes[8];

	if (fed && pthread_create(&feeder, NULL, feed, fed))
		wl_die("pthread_create");
	if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		wl_die("read");
	if (fed)
		pthread_join(feeder, NULL);
}

static void wait_pipe(void)
{
	struct stat st;
	int fd[2];

	if (pipe(fd) || fstat(fd[0], &st))
		wl_die("pipe");
	wait_once(fd[0], &fd[1]);
	wl_emit("{\"event\":\"pipe\",\"fd\":%d,\"label\":\"pipe:[%lu]\"}", fd[0],
		(unsigned long)st.st_ino);
	close(fd[0]);
	close(fd[1]);
}

static void wait_event(void)
{
	int fd = eventfd(0, 0);

	if (fd < 0)
		wl_die("eventfd");
	wait_once(fd, &fd);
	close(fd);
}

static void wait_timer(void)
{
	struct itimerspec after = { .it_value = { .tv_nsec = PAUSE_NS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	if (fd < 0 || timerfd_settime(fd, 0, &after, NULL))
		wl_die("timerfd");
	wait_once(fd, NULL);
	close(fd);
}

int main(void)
{
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	for (int i = 0; i < ROUNDS; i++) {
		wait_pipe();
		wait_event();
		wait_timer();
	}
	wl_emit("{\"event\":\"done\",\"rounds\":%d,\"tid\":%d}", ROUNDS, wl_gettid());
	wl_expect("quit");
	return 0;
}

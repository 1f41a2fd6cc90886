/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Threads for `record --sample`: one whose pattern has exactly the period of 19 visits a second,
 * one that burns CPU time, two that pass a byte, two that want one mutex, one that starts threads
 * which live for 4 ms, and one that needs a CPU after each of two waits. On standard input comes
 * "go", and then "quit".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 6
#define THREADS 8
#define PERIOD_NS (1000000000LL / 19)

static pthread_barrier_t ready, go, done, quit;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;
static int pipes[2][2];

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void sleep_until(long long at_ns)
{
	const struct timespec ts = { at_ns / 1000000000, at_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void burn_until(long long at_ns)
{
	while (now_ns() < at_ns)
		;
}

void block_quarter(long long at_ns);
__attribute__((noinline)) void block_quarter(long long at_ns)
{
	sleep_until(at_ns);
}

void block_rest(long long at_ns);
__attribute__((noinline)) void block_rest(long long at_ns)
{
	sleep_until(at_ns);
}

static void lockstep(void)
{
	long long begin_ns = now_ns();

	for (long long i = 0; !stop; i++) {
		block_quarter(begin_ns + i * PERIOD_NS + PERIOD_NS / 4);
		block_rest(begin_ns + (i + 1) * PERIOD_NS);
	}
}

static void burner(void)
{
	while (!stop)
		;
}

void block_pipe(int fd);
__attribute__((noinline)) void block_pipe(int fd)
{
	char c;

	if (read(fd, &c, 1) < 0)
		exit(1);
}

static void ping(void)
{
	while (!stop) {
		if (write(pipes[0][1], "", 1) != 1)
			exit(1);
		block_pipe(pipes[1][0]);
		usleep(200);
	}
	close(pipes[0][1]);
}

static void pong(void)
{
	char c;

	while (read(pipes[0][0], &c, 1) == 1) {
		usleep(300);
		if (write(pipes[1][1], "", 1) != 1)
			exit(1);
	}
}

void block_mutex(void);
__attribute__((noinline)) void block_mutex(void)
{
	pthread_mutex_lock(&mutex);
}

static void locker(void)
{
	while (!stop) {
		block_mutex();
		usleep(1500);
		pthread_mutex_unlock(&mutex);
		usleep(100);
	}
}

void block_child(void);
__attribute__((noinline)) void block_child(void)
{
	sleep_until(now_ns() + 3000000);
}

static void *child(void *arg)
{
	prctl(PR_SET_NAME, "child");
	block_child();
	burn_until(now_ns() + 1000000);
	return arg;
}

static void breeder(void)
{
	pthread_t thread;

	while (!stop) {
		if (pthread_create(&thread, NULL, child, NULL))
			exit(1);
		pthread_join(thread, NULL);
	}
}

void block_long(void);
__attribute__((noinline)) void block_long(void)
{
	sleep_until(now_ns() + 50000000);
}

void block_short(void);
__attribute__((noinline)) void block_short(void)
{
	sleep_until(now_ns() + 10000000);
}

/* Visits find it on a CPU between a wait of one kind and one of the other. */
static void turner(void)
{
	while (!stop) {
		block_long();
		burn_until(now_ns() + 20000000);
		block_short();
		burn_until(now_ns() + 20000000);
	}
}

static const struct work {
	const char *name;
	void (*run)(void);
} works[THREADS] = {
	{ "lockstep", lockstep }, { "burner", burner }, { "ping", ping },
	{ "pong", pong },	  { "locker", locker }, { "locker", locker },
	{ "breeder", breeder },	  { "turner", turner },
};

static void *work(void *arg)
{
	const struct work *w = arg;

	prctl(PR_SET_NAME, w->name);
	printf("{\"event\":\"thread\",\"name\":\"%s\",\"tid\":%d}\n", w->name,
	       (int)syscall(SYS_gettid));
	fflush(stdout);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	w->run();
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&quit);
	return NULL;
}

static void expect(const char *word)
{
	char line[32];

	if (!fgets(line, sizeof(line), stdin) || strncmp(line, word, strlen(word)) != 0)
		exit(1);
}

static void say(const char *event)
{
	printf("{\"event\":\"%s\",\"pid\":%d}\n", event, (int)getpid());
	fflush(stdout);
}

int main(void)
{
	pthread_barrier_t *const barriers[] = { &ready, &go, &done, &quit };
	pthread_t threads[THREADS];

	for (size_t i = 0; i < 4; i++)
		pthread_barrier_init(barriers[i], NULL, THREADS + 1);
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return 1;
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)&works[i]))
			return 1;
	pthread_barrier_wait(&ready);
	say("ready");
	expect("go");
	pthread_barrier_wait(&go);
	sleep_until(now_ns() + SECONDS * 1000000000LL);
	stop = true;
	pthread_barrier_wait(&done);
	say("done");
	expect("quit");
	pthread_barrier_wait(&quit);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Waits and slices of known lengths: a thread that sleeps 1, 10 and 100 ms, so and so often, again
 * and again, and says how long each took it; and two that always want the same CPU. On standard
 * input comes "go", and then "stop".
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct {
	long ms;
	int times;
} sleeps[] = { { 1, 30 }, { 10, 10 }, { 100, 3 } };

#define SLEEPS_MAX 4096

static struct {
	long ms;
	long long took_ns;
} slept[SLEEPS_MAX];

static atomic_bool stop;
static pthread_barrier_t ready, go, done, quit;
static int cpu;

static void say_thread(const char *name)
{
	prctl(PR_SET_NAME, name);
	printf("{\"event\":\"thread\",\"name\":\"%s\",\"tid\":%d}\n", name,
	       (int)syscall(SYS_gettid));
	fflush(stdout);
}

static long long mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int sleep_once(long ms, int n)
{
	long long begin = mono_ns();

	if (n == SLEEPS_MAX)
		exit(1);
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
	slept[n].ms = ms;
	slept[n].took_ns = mono_ns() - begin;
	return n + 1;
}

static void say_sleeps(int len)
{
	printf("{\"event\":\"slept\",\"sleeps\":[");
	for (int i = 0; i < len; i++)
		printf("%s[%ld,%lld]", i ? "," : "", slept[i].ms, slept[i].took_ns);
	printf("]}\n");
	fflush(stdout);
}

static void *sleeper(void *arg)
{
	int len = 0;

	say_thread("sleeper");
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	while (!stop)
		for (size_t i = 0; i < sizeof(sleeps) / sizeof(*sleeps); i++)
			for (int n = 0; n < sleeps[i].times; n++)
				len = sleep_once(sleeps[i].ms, len);
	say_sleeps(len);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&quit);
	return arg;
}

static void *spinner(void *name)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
	say_thread(name);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	while (!stop)
		;
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
	pthread_t threads[3];
	size_t i;

	cpu = sched_getcpu();
	for (i = 0; i < 4; i++)
		pthread_barrier_init(barriers[i], NULL, 4);
	pthread_create(&threads[0], NULL, spinner, "spinner-a");
	pthread_create(&threads[1], NULL, spinner, "spinner-b");
	pthread_create(&threads[2], NULL, sleeper, NULL);
	pthread_barrier_wait(&ready);
	say("ready");
	expect("go");
	pthread_barrier_wait(&go);
	expect("stop");
	stop = true;
	pthread_barrier_wait(&done);
	say("done");
	expect("quit");
	pthread_barrier_wait(&quit);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that are no plain chain of calls: coroutines (makecontext), handlers on an alternate stack
 * that are interrupted themselves, children made by vfork and posix_spawn, the vDSO, and calls
 * through the PLT that are bound late, in a library that comes and goes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define OUTLINE __attribute__((noinline, noclone))

extern char **environ;

static volatile uint64_t sink;

OUTLINE static void pause_us(long us)
{
	struct timespec t = { 0, us * 1000 };

	nanosleep(&t, NULL);
	sink = sink + 1;
}

OUTLINE static void churn(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		sink = sink * 31 + i;
}

static ucontext_t outer, inner;
static char coroutine_stack[1 << 16];

OUTLINE static void generate(unsigned int depth)
{
	if (depth) {
		generate(depth - 1);
		churn(10);
		return;
	}
	pause_us(300);
	churn(2000);
	swapcontext(&inner, &outer);
}

static void coroutine(void)
{
	for (;;)
		generate((unsigned int)sink % 9);
}

static void *run_coroutine(void *arg)
{
	getcontext(&inner);
	inner.uc_stack.ss_sp = coroutine_stack;
	inner.uc_stack.ss_size = sizeof(coroutine_stack);
	inner.uc_link = &outer;
	makecontext(&inner, coroutine, 0);
	for (;;) {
		swapcontext(&outer, &inner);
		churn(5000);
		pause_us(100);
	}
	return arg;
}

OUTLINE static void in_handler(unsigned int n)
{
	churn(n % 20000);
	if (n % 2)
		pause_us(500);
}

static void on_signal(int sig)
{
	int saved = errno;

	in_handler((unsigned int)sink + (unsigned int)sig);
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	errno = saved;
}

static void *run_signals(void *arg)
{
	stack_t alternate = { .ss_size = 1 << 16 };

	alternate.ss_sp = malloc(alternate.ss_size);
	if (!alternate.ss_sp || sigaltstack(&alternate, NULL))
		abort();
	for (;;) {
		pthread_kill(pthread_self(), SIGUSR1);
		churn(3000);
	}
	return arg;
}

static void *run_spawn(void *arg)
{
	char *const argv[] = { (char[]){ "true" }, NULL };

	for (;;) {
		pid_t pid;

		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			waitpid(pid, NULL, 0);
		pid = vfork();
		if (!pid) {
			churn(3000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		pause_us(500);
	}
	return arg;
}

static void *run_clock(void *arg)
{
	for (;;) {
		struct timespec t;
		struct timeval v;

		clock_gettime(CLOCK_MONOTONIC, &t);
		gettimeofday(&v, NULL);
		sink = sink + (uint64_t)t.tv_nsec + (uint64_t)v.tv_usec;
	}
	return arg;
}

static void *run_library(void *arg)
{
	for (;;) {
		void *lib = dlopen("libz.so.1", RTLD_LAZY | RTLD_LOCAL);
		int (*pack)(unsigned char *, unsigned long *, const unsigned char *, unsigned long);
		unsigned char from[3000] = { 1, 2, 3 }, to[4000];
		unsigned long len = sizeof(to);

		if (!lib)
			return arg;
		*(void **)&pack = dlsym(lib, "compress");
		if (pack)
			sink = sink + (uint64_t)pack(to, &len, from, sizeof(from)) + to[5];
		pause_us(200);
		dlclose(lib);
	}
	return arg;
}

static void *run_calls(void *arg)
{
	for (;;) {
		sink = sink + (uint64_t)labs((long)sink) + (uint64_t)getppid();
		sink = sink + (uint64_t)strtol("1234567", NULL, 10);
		sink = sink + (uint64_t)(1000 * cos((double)(sink % 1000)));
	}
	return arg;
}

int main(void)
{
	void *(*const runs[])(void *) = { run_coroutine, run_signals, run_spawn, run_clock,
					  run_library };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };
	pthread_t t;

	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (pthread_create(&t, NULL, runs[i], NULL))
			return 1;
	}
	run_calls(NULL);
	return 0;
}

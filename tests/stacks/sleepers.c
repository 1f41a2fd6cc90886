/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps at the end of known chains of calls; tests/stacks/roots.t builds it in several ways. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#ifdef WITH_CONTEXT
#include <ucontext.h>
#endif

#define SLEEPS 10
#define KEEP static __attribute__((noinline))

/* After a call, so that it is no jump. */
#define STAY __asm__ volatile("" ::: "memory")

KEEP void inner(void)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

	nanosleep(&pause, NULL);
	STAY;
}

KEEP void outer(void)
{
	for (int i = 0; i < SLEEPS; i++)
		inner();
	STAY;
}

#ifdef WITH_CONTEXT
static ucontext_t context, back;

KEEP void entry(void)
{
	outer();
	STAY;
}

int main(void)
{
	const size_t size = 64 * 1024;

	getcontext(&context);
	context.uc_stack.ss_sp = malloc(size);
	context.uc_stack.ss_size = size;
	context.uc_link = &back;
	makecontext(&context, entry, 0);
	return swapcontext(&back, &context);
}
#else
KEEP void *entry(void *arg)
{
	outer();
	STAY;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, entry, NULL);
	pthread_join(thread, NULL);
	STAY;
	return 0;
}
#endif

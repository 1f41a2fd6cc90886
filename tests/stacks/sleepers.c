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

KEEP __attribute__((used)) void inner(void)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };

	nanosleep(&pause, NULL);
	STAY;
}

#ifdef WITH_SHORT
/*
 * 20 bytes of code without CFI, behind a function with CFI. By the rule of that one, each of the
 * words that relay() pushes is a return address.
 */
__asm__(".text\n.balign 16\nbefore: .cfi_startproc\nnop\nret\n.balign 16\n.cfi_endproc\n"
	"relay: push %rax\npush %rax\npush %rax\ncall inner\nadd $24, %rsp\nret\n"
	".skip 7, 0xcc\nbehind: .cfi_startproc\nret\n.cfi_endproc\n");

/* Calls inner() through relay(). */
#define CALL_INNER                                                                                 \
	__asm__ volatile("lea before + 1(%%rip), %%rax\ncall relay" ::                             \
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",    \
				   "memory")
#else
#define CALL_INNER inner()
#endif

KEEP void outer(void)
{
	for (int i = 0; i < SLEEPS; i++)
		CALL_INNER;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: stacks CASE
 *
 * Makes a stack of the kind CASE and stops itself with SIGSTOP. Built without frame pointers and
 * with lazy binding, so that only unwind tables lead up.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;
static ucontext_t main_context, other_context;

static NOINLINE void stop(void)
{
	raise(SIGSTOP);
	sink++;
}

static void use(const volatile void *p)
{
	sink += *(const volatile char *)p;
}

/* Frames of changing size; alloca() makes a frame pointer, alignment a copy of the old stack. */
static NOINLINE int recurse(int depth, void (*bottom)(void))
{
	if (!depth) {
		bottom();
		return 1;
	}
	if (depth % 3 == 0) {
		char *room = alloca((size_t)(depth * 37 % 300 + 1));

		room[0] = (char)depth;
		use(room);
		sink += recurse(depth - 1, bottom);
		use(room);
		return sink;
	}
	if (depth % 3 == 1) {
		_Alignas(64) volatile char aligned[128];

		aligned[0] = (char)depth;
		use(aligned);
		sink += recurse(depth - 1, bottom);
		use(aligned);
		return sink;
	}
	sink += recurse(depth - 1, bottom);
	return sink + 1;
}

static void case_recursion(void)
{
	recurse(40, stop);
}

static void case_deep(void)
{
	recurse(400, stop);
}

static int compare(const void *a, const void *b)
{
	static int calls;

	if (++calls == 20)
		recurse(3, stop);
	return *(const int *)a - *(const int *)b;
}

static void case_callback(void)
{
	int numbers[64], i;

	for (i = 0; i < 64; i++)
		numbers[i] = i * 31 % 64;
	qsort(numbers, 64, sizeof(numbers[0]), compare);
	use(numbers);
}

static void on_signal(int sig)
{
	(void)sig;
	recurse(4, stop);
}

static void on_outer_signal(int sig)
{
	(void)sig;
	raise(SIGUSR1);
	sink++;
}

static void raise_usr2(void)
{
	raise(SIGUSR2);
	sink++;
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

static void case_signal(void)
{
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_outer_signal, 0);
	recurse(5, raise_usr2);
}

static void case_altstack(void)
{
	static char memory[1 << 16];
	stack_t ss = { .ss_sp = memory, .ss_size = sizeof(memory) };

	sigaltstack(&ss, NULL);
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_outer_signal, SA_ONSTACK);
	recurse(5, raise_usr2);
}

static void in_context(void)
{
	recurse(6, stop);
}

static void enter_context(ucontext_t *after)
{
	static char memory[1 << 16];

	getcontext(&other_context);
	other_context.uc_stack.ss_sp = memory;
	other_context.uc_stack.ss_size = sizeof(memory);
	other_context.uc_link = after;
	makecontext(&other_context, in_context, 0);
	swapcontext(&main_context, &other_context);
}

static void case_context(void)
{
	enter_context(NULL);
}

/* What lies where a caller's address would be is the context to go on with. */
static void case_linked(void)
{
	enter_context(&main_context);
}

static NOINLINE void call_vfork(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void case_vfork(void)
{
	recurse(3, call_vfork);
}

static void *thread(void *arg)
{
	recurse(7, stop);
	return arg;
}

static void case_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
}

#if defined(__x86_64__)
/*
 * last_call() ends with a call, so that its return address is the first byte of the next function,
 * whose rule differs. without_fp() has no CFI, and 0 in rbp. It is longer than the padding that a
 * rule reaches over (GAP_MIN in src/elf/cfi.c).
 */
__asm__(".text\n"
	".type last_call, @function\n"
	"last_call:\n"
	"	.cfi_startproc\n"
	"	sub $56, %rsp\n"
	"	.cfi_adjust_cfa_offset 56\n"
	"	call stop_for_good\n"
	"	.cfi_endproc\n"
	".size last_call, . - last_call\n"
	".type after_last_call, @function\n"
	"after_last_call:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size after_last_call, . - after_last_call\n"
	".type without_fp, @function\n"
	"without_fp:\n"
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	call stop_below\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.skip 32, 0x90\n"
	".size without_fp, . - without_fp\n");

void last_call(void);
void without_fp(void);
void stop_for_good(void);
void stop_below(void);

NOINLINE __attribute__((used)) void stop_for_good(void)
{
	stop();
	_exit(0);
}

NOINLINE __attribute__((used)) void stop_below(void)
{
	stop();
	sink++;
}

static void case_last_call(void)
{
	recurse(3, last_call);
}

static void case_without_fp(void)
{
	recurse(3, without_fp);
}
#endif

static NOINLINE void read_clock(void)
{
	struct timespec ts;

	stop();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	use(&ts);
}

static void case_clock(void)
{
	recurse(3, read_clock);
}

/* Prologues, epilogues, first calls through the linkage table. */
static NOINLINE void work(void)
{
	char text[64], other[64];
	int numbers[16], i;

	stop();
	snprintf(text, sizeof(text), "%d %s %5.2f", 42, "words", 3.25);
	memcpy(other, text, sizeof(other));
	sink += (int)strtol(other, NULL, 10) + (int)strlen(text) + strcmp(text, other);
	recurse(9, raise_usr2);
	for (i = 0; i < 16; i++)
		numbers[i] = i * 7 % 16;
	qsort(numbers, 16, sizeof(numbers[0]), compare);
	free(malloc((size_t)sink % 1000));
	use(numbers);
}

static void nothing(int sig)
{
	sink += sig;
}

static void case_steps(void)
{
	handle(SIGUSR2, nothing, 0);
	recurse(4, work);
	/* what the start-up files do at the end has no unwind tables */
	_exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "recursion", case_recursion },
		{ "deep", case_deep },
		{ "callback", case_callback },
		{ "signal", case_signal },
		{ "altstack", case_altstack },
		{ "context", case_context },
		{ "linked", case_linked },
		{ "vfork", case_vfork },
		{ "thread", case_thread },
		{ "clock", case_clock },
		{ "steps", case_steps },
#if defined(__x86_64__)
		{ "last-call", case_last_call },
		{ "without-fp", case_without_fp },
#endif
	};
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		cases[i].run();
		return 0;
	}
	fprintf(stderr, "usage: stacks CASE\n");
	return 2;
}

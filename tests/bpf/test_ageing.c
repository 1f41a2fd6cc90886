/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A trace that goes on for long meets more stacks and objects than its tables have room for. Here
 * every other wait of a thread has a stack and an object that no other has: the stack of the n-th
 * spells n. The waits between them are all alike. Windows must have every one, each with its own
 * stack and object.
 */
#include <linux/futex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/session.h"

#define BITS 13
#define NUMBERS (1U << BITS)
#define WINDOWS 120
#define WINDOW_NS (25 * NSEC_PER_MSEC)
/* Fewer than the thread has in all windows, more than in a quarter of a second. */
#define STACKS 1500

static u32 *words;

static void spell_one(u32 number, u32 left);
static void spell_zero(u32 number, u32 left);

static long waits_len(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* On a busy machine the timer can fire before the thread sleeps, and then it does not. */
static void wait_for(u32 number, long ns)
{
	const struct timespec nap = { .tv_nsec = ns };
	long before = waits_len();

	while (waits_len() == before)
		syscall(SYS_futex, &words[number], FUTEX_WAIT_PRIVATE, 0, &nap);
}

static void spell(u32 number, u32 left)
{
	if (!left)
		wait_for(number, 500000);
	else if (number >> (left - 1) & 1)
		spell_one(number, left - 1);
	else
		spell_zero(number, left - 1);
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

static __attribute__((noinline)) void spell_one(u32 number, u32 left)
{
	spell(number, left);
	__asm__ volatile("nop");
}

static __attribute__((noinline)) void spell_zero(u32 number, u32 left)
{
	spell(number, left);
	__asm__ volatile("");
}

static __attribute__((noinline)) void rest(void)
{
	wait_for(NUMBERS, 100000);
	__asm__ volatile("nop");
}

static u32 start_speller(int *ret_go)
{
	int go[2];
	pid_t pid;
	char c;

	words = mmap(NULL, (NUMBERS + 1) * sizeof(*words), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(words != MAP_FAILED);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		for (u32 i = 0; i < NUMBERS; i++) {
			spell(i, BITS);
			rest();
		}
		pause();
	}
	close(go[0]);
	*ret_go = go[1];
	return (u32)pid;
}

static struct session *open_session(struct features *f, u32 *pid)
{
	const struct session_options opt = { .capture = { .target = CAPTURE_PROCESSES,
							  .ids = pid,
							  .ids_len = 1,
							  .user_threads = true,
							  .max_ns = ~0ULL,
							  .state_any = true,
							  .user_stacks = true,
							  .kernel_stacks = true,
							  .objects = true,
							  .max_waits = 1 << 14,
							  .max_stacks = STACKS,
							  .windows = true },
					     .command = "",
					     .target = "",
					     .version = "" };
	struct session *s = NULL;
	struct err err = { 0 };

	if (features__probe(f, 0, &err) || features__verdict(f, &err) ||
	    session__open(&opt, f, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static bool is_rest(const struct profile *p, u32 stack)
{
	for (; stack; stack = p->stacks[stack].parent)
		if (!strcmp(profile__str(p, p->frames[p->stacks[stack].frame].name), "rest"))
			return true;
	return false;
}

/* What the stack of a wait spells; NUMBERS: nothing. */
static u32 number_of(const struct profile *p, u32 stack)
{
	u32 number = 0, bits = 0;

	for (; stack; stack = p->stacks[stack].parent) {
		const char *name = profile__str(p, p->frames[p->stacks[stack].frame].name);
		u32 one = !strcmp(name, "spell_one");

		if (one || !strcmp(name, "spell_zero"))
			number |= one << bits++;
	}
	return bits == BITS ? number : NUMBERS;
}

/* A wait that a window cut is in the next one, too. */
static void check_window(const struct profile *p, u64 *counts, u32 *ret_others)
{
	assert_int_equal(p->losses[LOSS_STACKS_FULL].events, 0);
	assert_int_equal(p->losses[LOSS_OBJECTS_FULL].events, 0);
	assert_int_equal(p->losses[LOSS_WAITS_FULL].events, 0);
	for (u32 i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		u32 number = number_of(p, w->ustack);

		if (!w->state)
			continue;
		if (number == NUMBERS && !is_rest(p, w->ustack)) {
			(*ret_others)++;
			continue;
		}
		assert_true(w->kstack);
		assert_int_equal(p->objects[w->object].kind, OBJECT_FUTEX);
		assert_int_equal(p->objects[w->object].addr, (uintptr_t)&words[number]);
		if (number < NUMBERS && !(w->flags & WAIT_OPEN))
			counts[number] += w->count;
	}
}

/* How many numbers were spelled, without a gap. */
static u32 met_numbers(const u64 *counts)
{
	u32 met = 0;

	while (met < NUMBERS && counts[met])
		met++;
	return met;
}

/* On a busy machine it takes more windows until enough stacks were there. */
static void roll(struct session *s, u64 *counts)
{
	u64 end_ns = clock_mono_ns();
	struct err err = { 0 };
	u32 others = 0;

	for (u32 i = 0; i < WINDOWS || (i < 10 * WINDOWS && met_numbers(counts) <= 2 * STACKS);
	     i++) {
		struct profile *p = NULL;

		end_ns += WINDOW_NS;
		while (clock_mono_ns() + NSEC_PER_MSEC < end_ns)
			if (session__poll(s, -1, 5, &err))
				fail_msg("%s", err.msg);
		if (session__next(s, end_ns, &p, &err))
			fail_msg("%s", err.msg);
		check_window(p, counts, &others);
		profile__free(p);
	}
	/* Its wait for our word, and the last one. */
	assert_true(others <= 2);
}

static void every_wait_has_its_stack_and_its_object(void **state)
{
	u64 *counts = calloc(NUMBERS, sizeof(*counts));
	struct features f;
	struct session *s;
	u32 pid, met;
	int go;

	(void)state;
	assert_non_null(counts);
	pid = start_speller(&go);
	s = open_session(&f, &pid);
	session__start(s, NULL);
	assert_int_equal(write(go, "x", 1), 1);
	roll(s, counts);
	met = met_numbers(counts);
	for (u32 i = 0; i < NUMBERS; i++)
		assert_int_equal(counts[i], i < met ? 1 : 0);
	assert_true(met > 2 * STACKS);
	session__free(s);
	features__done(&f);
	close(go);
	kill((pid_t)pid, SIGKILL);
	waitpid((pid_t)pid, NULL, 0);
	free(counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wait_has_its_stack_and_its_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that could run and may not, and a thread that is moved while it waits. The first are
 * tied to one CPU, the last one of the process, so that there is something to fight for.
 */
#include "waits.h"

#include <errno.h>
#include <sched.h>

#include "rawcall.h"

#define SPIN_NS 1000000000ULL
#define BUSY_NS 4000000ULL

static int last_cpu(int *ret_other)
{
	cpu_set_t set;
	int cpu, last = -1;

	*ret_other = -1;
	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &set))
			continue;
		*ret_other = last;
		last = cpu;
	}
	return last;
}

static void pin(int tid, int cpu)
{
	if (wl_pin(tid, cpu))
		wl_die("sched_setaffinity");
}

static void pin_to_last(void)
{
	int other;

	pin(0, last_cpu(&other));
}

/* One bracket; the clock is read seldom, so that few preemptions hit the frames of its reading. */
static noinline void spin_preempt(struct wl_thread *t)
{
	u64 end = mono_ns() + SPIN_NS;
	volatile unsigned int turn;

	truth__begin(&t->truth);
	while (mono_ns() < end)
		for (turn = 0; turn < 300000; turn++)
			;
	truth__end(&t->truth);
}

static noinline void run_preempt(struct wl_thread *t)
{
	pin_to_last();
	spin_preempt(t);
}

static noinline void spin_yield(struct wl_thread *t)
{
	truth__begin(&t->truth);
	rawcall1(SYS_sched_yield, 0);
	truth__end(&t->truth);
}

static noinline void run_yield(struct wl_thread *t)
{
	int i;

	pin_to_last();
	for (i = 0; i < t->pair->rounds; i++)
		spin_yield(t);
}

/* Numbers that no system call has: negative in 16 bits, and another one's in 16 bits. */
static noinline void run_odd_call(struct wl_thread *t)
{
	u64 end = mono_ns() + SPIN_NS;
	int turn;

	(void)t;
	pin_to_last();
	while (mono_ns() < end) {
		for (turn = 0; turn < 20000; turn++) {
			rawcall1(0x9000, 0);
			rawcall1(0x10000, 0);
		}
	}
}

static noinline void block_migrate(struct wl_thread *t)
{
	truth__begin(&t->truth);
	wl_pause(t->pair->pause_ns);
	truth__end(&t->truth);
}

static noinline void run_migrate(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_migrate(t);
	__atomic_store_n(&t->pair->word, 1, __ATOMIC_RELEASE);
}

/* Gives the sleeper another CPU while it sleeps. Thrice a sleep, not in its step. */
static noinline void run_mover(struct wl_thread *t)
{
	int cpu[2], i;

	cpu[0] = last_cpu(&cpu[1]);
	for (i = 0; !__atomic_load_n(&t->pair->word, __ATOMIC_ACQUIRE); i++) {
		pin(t->pair->partner_tid, cpu[i & 1]);
		wl_pause(t->pair->pause_ns / 3);
	}
}

static noinline void block_moved(struct wl_thread *t)
{
	truth__begin(&t->truth);
	wl_pause(t->pair->pause_ns);
	truth__end(&t->truth);
}

static void busy(u64 ns)
{
	u64 end = mono_ns() + ns;

	while (mono_ns() < end)
		;
}

/*
 * Has more of the CPU than its share when it goes to sleep, so that a scheduler with delayed
 * dequeue leaves it on the queue.
 */
static noinline void run_moved(struct wl_thread *t)
{
	int i, other, last = last_cpu(&other);

	for (i = 0; i < t->pair->rounds; i++) {
		pin(0, last);
		busy(BUSY_NS);
		__atomic_store_n(&t->pair->word, 2, __ATOMIC_RELEASE);
		block_moved(t);
	}
	__atomic_store_n(&t->pair->word, 1, __ATOMIC_RELEASE);
}

/* On the sleeper's CPU, so that it runs when that one does not: moves it while it sleeps. */
static noinline void run_hog(struct wl_thread *t)
{
	int word, other, last = last_cpu(&other);

	pin(0, last);
	do {
		word = __atomic_load_n(&t->pair->word, __ATOMIC_ACQUIRE);
		if (word != 2)
			continue;
		__atomic_store_n(&t->pair->word, 0, __ATOMIC_RELEASE);
		pin(t->pair->partner_tid, other);
	} while (word != 1);
}

static int setup_two_cpus(struct wl_pair *p)
{
	int other;

	(void)p;
	last_cpu(&other);
	return other < 0 ? -ENODEV : 0;
}

const struct waits_kind waits_cpu[] = {
	{ "preempt", 1, 0, NULL, 0, { { "preempt", run_preempt }, { "preempt-2", run_preempt } } },
	{ "spin", 1, 0, NULL, 0, { { "spin", run_preempt } } },
	{ "yield", 3000, 0, NULL, 0, { { "yield", run_yield }, { "yield-2", run_yield } } },
	{ "odd-call",
	  0,
	  0,
	  NULL,
	  0,
	  { { "odd-call", run_odd_call }, { "odd-call-2", run_odd_call } } },
	{ "migrate",
	  50,
	  10000000,
	  setup_two_cpus,
	  0,
	  { { "migrate", run_migrate }, { "mover", run_mover } } },
	{ "moved",
	  60,
	  20000000,
	  setup_two_cpus,
	  0,
	  { { "moved", run_moved }, { "hog", run_hog } } },
	{ 0 },
};

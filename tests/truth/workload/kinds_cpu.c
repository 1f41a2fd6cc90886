/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of a thread that could run, and for all CPUs. */
#include "kinds.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int first_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)cpu, &set))
		cpu++;
	return cpu;
}

/* All threads of the process on one CPU, the helper and the waiter alike. */
static int make_pinned(struct wait *w, void (*fn)(struct wait *w))
{
	int r = wl_pin(0, first_cpu());

	if (!r)
		kinds_help(w, fn);
	w->owner = 0;
	return r;
}

static void yield(struct wait *w)
{
	u64 end = kinds_deadline();

	(void)w;
	while (mono_ns() < end)
		sched_yield();
}

static int make_yield(struct wait *w)
{
	return make_pinned(w, yield);
}

static void spin(struct wait *w)
{
	u64 end = kinds_deadline();

	(void)w;
	while (mono_ns() < end)
		;
}

static int make_spin(struct wait *w)
{
	return make_pinned(w, spin);
}

static int make_barrier(struct wait *w)
{
	(void)w;
	return syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) < 0 ? -errno : 0;
}

static void wait_barrier(struct wait *w)
{
	u64 end = kinds_deadline();

	(void)w;
	while (mono_ns() < end)
		kinds_check(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0), "membarrier");
}

const struct kind kinds_cpu[] = {
	{ "yield", make_yield, yield, NULL, NULL },
	{ "preempted", make_spin, spin, NULL, NULL },
	/* to be made is to wait for a CPU */
	{ "new-thread", NULL, spin, NULL, NULL },
	{ "membarrier", make_barrier, wait_barrier, NULL, NULL },
	{ .name = NULL },
};

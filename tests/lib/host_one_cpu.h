/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_HOST_ONE_CPU_H
#define TESTS_LIB_HOST_ONE_CPU_H

/*
 * One CPU for tests that call our programs one by one: random numbers that are the same in each
 * run, no user space, no kernel stacks, and tables that store nothing. The test sets the time, the
 * running thread, its slot and the results of lookups.
 */
#include "lib/host_switch.h"

static u32 host_cpu_number(void)
{
	return 0;
}

static u32 host_random(void)
{
	static u64 state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}

static const void *host_user_regs(const struct task_struct *task)
{
	(void)task;
	return NULL;
}

static long host_kernel_stack(u64 *pc, u32 sz)
{
	(void)pc;
	(void)sz;
	return 0;
}

static long host_insert(const void *map, const void *key, const void *value)
{
	(void)map;
	(void)key;
	(void)value;
	return -1;
}

int walk_all(struct user_walk *w)
{
	(void)w;
	return 0;
}

#endif

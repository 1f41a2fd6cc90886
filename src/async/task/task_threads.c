/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a container a thread asks the kernel for its number and gets another than ours. Its status has
 * both. All threads are read at once, and again for a number that is new.
 */
#include "async/task/task_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/task.h"

/* PID_MAX_LIMIT of the kernel. */
#define NUMBER_MAX (1UL << 22)
#define READ_EVERY_NS (100 * NSEC_PER_MSEC)

void task_threads__init(struct task_threads *t, u32 tgid)
{
	*t = (struct task_threads){ .tgid = tgid };
	map64__init(&t->own);
}

void task_threads__done(struct task_threads *t)
{
	if (t)
		map64__done(&t->own);
}

static void look_up(struct task_threads *t)
{
	struct task_status s;

	t->has_own = !task_status__read(&s, t->tgid, NULL) && s.ns_depth;
	t->is_known = true;
}

static int read_threads(struct task_threads *t)
{
	char path[32];
	struct dirent *e;
	DIR *dir;
	int r = 0;

	t->read_ns = clock_mono_ns();
	snprintf(path, sizeof(path), "/proc/%u/task", t->tgid);
	dir = opendir(path);
	while (dir && !r && (e = readdir(dir))) {
		u32 tid = (u32)strtoul(e->d_name, NULL, 10);
		struct task_status s;

		if (tid && !task_status__read(&s, tid, NULL))
			r = map64__set(&t->own, s.ns_pid, tid);
	}
	if (dir)
		closedir(dir);
	return r;
}

int task_threads__find(struct task_threads *t, u64 number, u32 *ret_tid)
{
	u64 tid = 0;
	int r = 0;

	*ret_tid = 0;
	if (!number || number > NUMBER_MAX)
		return 0;
	if (!t->is_known)
		look_up(t);
	if (!t->has_own) {
		*ret_tid = (u32)number;
		return 0;
	}
	if (!map64__get(&t->own, number, &tid) && clock_mono_ns() - t->read_ns >= READ_EVERY_NS)
		r = read_threads(t);
	if (!r && map64__get(&t->own, number, &tid))
		*ret_tid = (u32)tid;
	return r;
}

bool task_threads__has(struct task_threads *t, u64 number)
{
	char path[48];
	u32 tid;

	if (task_threads__find(t, number, &tid) || !tid)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/task/%u", t->tgid, tid);
	return access(path, F_OK) == 0;
}

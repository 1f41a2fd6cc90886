/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for a child. The child makes raw system calls only: after vfork() it runs on its parent's
 * stack, and after fork() of a process with threads little else is allowed.
 */
#include "waits.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rawcall.h"

static noinline void block_wait4(struct wl_thread *t, long pid)
{
	int status;

	truth__begin(&t->truth);
	rawcall4(SYS_wait4, pid, &status, 0, 0);
	truth__end(&t->truth);
}

static noinline void run_wait4(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		pid_t pid = fork();

		if (pid < 0)
			wl_die("fork");
		if (!pid) {
			wl_pause(t->pair->pause_ns);
			_exit(0);
		}
		block_wait4(t, pid);
	}
}

/*
 * clone() as vfork() does it, inline: the parent has to be blocked below a frame of this function.
 * Both return here, on one stack; the child leaves it as it is.
 */
static noinline long block_vfork(struct wl_thread *t)
{
	struct timespec ts = { 0, (long)t->pair->pause_ns };
	long pid;

	truth__begin(&t->truth);
	pid = rawcall6(SYS_clone, CLONE_VFORK | CLONE_VM | SIGCHLD, 0, 0, 0, 0, 0);
	if (!pid) {
		rawcall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, 0);
		rawcall1(SYS_exit_group, 0);
	}
	truth__end(&t->truth);
	if (pid < 0)
		wl_die("clone");
	return pid;
}

static noinline void run_vfork(struct wl_thread *t)
{
	int i, status;

	for (i = 0; i < t->pair->rounds; i++)
		rawcall4(SYS_wait4, block_vfork(t), &status, 0, 0);
}

const struct waits_kind waits_child[] = {
	{ "wait4", 20, 20000000, NULL, 0, { { "wait4", run_wait4 } } },
	{ "vfork", 20, 20000000, NULL, 0, { { "vfork", run_vfork } } },
	{ 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for children, by all the ways to say which. */
#include "kinds.h"

#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rawcall.h"

#define P_OF_PIDFD 3

static void wait_pid(struct wait *w)
{
	kinds_check(waitpid(w->pid, NULL, 0), "waitpid");
}

static void wait_any(struct wait *w)
{
	(void)w;
	kinds_check(waitpid(-1, NULL, 0), "waitpid");
}

static int make_group(struct wait *w)
{
	int r = kinds_make_child(w);

	return r ? r : setpgid(w->pid, w->pid) ? -errno : 0;
}

static void wait_group(struct wait *w)
{
	kinds_check(waitpid(-w->pid, NULL, 0), "waitpid");
}

static void wait_id(struct wait *w)
{
	kinds_check(waitid(P_PID, (id_t)w->pid, NULL, WEXITED), "waitid");
}

static int make_pidfd(struct wait *w)
{
	int r = kinds_make_child(w);

	if (r)
		return r;
	w->fd[2] = w->fd[0];
	w->fd[0] = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return w->fd[0] < 0 ? -errno : 0;
}

static void wait_pidfd(struct wait *w)
{
	kinds_check(waitid(P_OF_PIDFD, (id_t)w->fd[0], NULL, WEXITED), "waitid");
}

static const struct timespec hold = { 0, (long)KINDS_HOLD_NS };

/* Both come back here, on one stack; the child leaves it as it is. */
static void wait_vfork(struct wait *w)
{
	long pid = rawcall6(SYS_clone, CLONE_VFORK | CLONE_VM | SIGCHLD, 0, 0, 0, 0, 0);

	if (!pid) {
		rawcall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &hold, 0);
		rawcall1(SYS_exit_group, 0);
	}
	w->pid = (int)pid;
	waitpid((int)pid, NULL, 0);
}

const struct kind kinds_process[] = {
	{ "wait4", kinds_make_child, wait_pid, kinds_write, NULL },
	{ "wait4-any", kinds_make_child, wait_any, kinds_write, NULL },
	{ "wait4-group", make_group, wait_group, kinds_write, NULL },
	{ "waitid", kinds_make_child, wait_id, kinds_write, NULL },
	{ "waitid-pidfd", make_pidfd, wait_pidfd, kinds_write, NULL },
	{ "vfork", NULL, wait_vfork, NULL, NULL },
	{ .name = NULL },
};

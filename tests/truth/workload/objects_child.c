/* SPDX-License-Identifier: Apache-2.0 */
/* Children, each of a name of its own, and a brood of one name. */
#include "objects.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BROOD 6
#define BROOD_NS 15000000

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

void objects_make_child(struct object *o)
{
	char byte;

	wl_checked(pipe(o->fd), "pipe");
	o->pid = wl_checked(fork(), "fork");
	if (!o->pid) {
		snprintf(o->path, sizeof(o->path), "%.8s-kid", o->name);
		prctl(PR_SET_NAME, o->path);
		close(o->fd[1]); /* or it would not hear of the end of its parent */
		_exit(read(o->fd[0], &byte, 1) < 0);
	}
	snprintf(o->label, sizeof(o->label), "child %d %.8s-kid", o->pid, o->name);
}

/* Before it ends there are others, and it may be any of them. */
void objects_make_any_child(struct object *o)
{
	objects_make_child(o);
	snprintf(o->early, sizeof(o->early), "any child of %d", getpid());
}

void objects_wait_child(struct object *o)
{
	wl_checked(waitpid(o->pid, NULL, 0), "waitpid");
}

void objects_wait_child_id(struct object *o)
{
	wl_checked(waitid(P_PID, (id_t)o->pid, NULL, WEXITED), "waitid");
}

void objects_wait_child_fd(struct object *o)
{
	int fd = wl_checked((int)syscall(SYS_pidfd_open, o->pid, 0), "pidfd_open");

	wl_checked(waitid((idtype_t)P_PIDFD, (id_t)fd, NULL, WEXITED), "waitid");
}

void objects_wait_any_child(struct object *o)
{
	if (wl_checked(waitpid(-1, NULL, 0), "waitpid") != o->pid)
		wl_die("another child ended");
}

void objects_make_brood(struct object *o)
{
	snprintf(o->label, sizeof(o->label), "children %s", o->name);
}

/* They have the name of their parent. */
void objects_wait_brood(struct object *o)
{
	int i;

	for (i = 0; i < BROOD; i++) {
		o->pid = wl_checked(fork(), "fork");
		if (!o->pid) {
			wl_pause(BROOD_NS);
			_exit(0);
		}
		objects_wait_child(o);
	}
}

void objects_feed_nothing(struct object *o)
{
	(void)o;
}

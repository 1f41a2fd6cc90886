/* SPDX-License-Identifier: Apache-2.0 */
/* A process that somebody else stops, or slows down; it is a child that works. */
#include "kinds.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kinds_cgroup.h"

static struct cgroup group;

/* Begins when told to: it is in the recording then. */
static int make_worker(struct wait *w, void (*work)(void))
{
	w->pid = fork();
	if (w->pid < 0)
		return -errno;
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, w->kind->name);
		for (;;)
			work();
	}
	w->tid = w->pid;
	return 0;
}

static void doze(void)
{
	wl_pause(1000000);
}

static int make_dozer(struct wait *w)
{
	return make_worker(w, doze);
}

static void end(struct wait *w)
{
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
}

static void hold_by_signal(struct wait *w)
{
	kinds_check(kill(w->pid, SIGSTOP), "kill");
	wl_pause(2 * KINDS_HOLD_NS);
	kinds_check(kill(w->pid, SIGCONT), "kill");
	wl_pause(5000000);
	end(w);
}

static void hold_by_trace(struct wait *w)
{
	kinds_check(ptrace(PTRACE_SEIZE, w->pid, NULL, NULL), "ptrace");
	kinds_check(ptrace(PTRACE_INTERRUPT, w->pid, NULL, NULL), "ptrace");
	kinds_check(waitpid(w->pid, NULL, __WALL), "waitpid");
	wl_pause(2 * KINDS_HOLD_NS);
	kinds_check(ptrace(PTRACE_DETACH, w->pid, NULL, NULL), "ptrace");
	wl_pause(5000000);
	end(w);
}

static void spin(void)
{
}

/* One that is asleep already would just sleep on, with the freezer of cgroups of version 1. */
static int make_freezer(struct wait *w)
{
	int r = cgroup__make(&group, "freezer");

	if (!r)
		r = make_worker(w, spin);
	return r ? r : cgroup__add(&group, w->pid);
}

static int freeze(int on)
{
	if (group.v2)
		return cgroup__put(&group, "cgroup.freeze", on ? "1" : "0");
	return cgroup__put(&group, "freezer.state", on ? "FROZEN" : "THAWED");
}

static void hold_by_freezer(struct wait *w)
{
	errno = -freeze(1);
	kinds_check(-!!errno, "freeze");
	wl_pause(2 * KINDS_HOLD_NS);
	freeze(0);
	wl_pause(5000000);
	end(w);
	cgroup__remove(&group);
}

static int make_throttled(struct wait *w)
{
	int r = cgroup__make(&group, "cpu");

	if (r)
		return r;
	if (group.v2)
		r = cgroup__put(&group, "cpu.max", "10000 100000");
	else if (!cgroup__put(&group, "cpu.cfs_period_us", "100000"))
		r = cgroup__put(&group, "cpu.cfs_quota_us", "10000");
	else
		r = -ENOENT;
	if (!r)
		r = make_worker(w, spin);
	return r ? r : cgroup__add(&group, w->pid);
}

static void wait_throttled(struct wait *w)
{
	wl_pause(350000000);
	end(w);
	cgroup__remove(&group);
}

/* Takes memory beyond its limit again and again. */
static void take_memory(void)
{
	size_t sz = 32 << 20, i;
	volatile char *map =
		mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (i = 0; map != MAP_FAILED && i < sz; i += 4096)
		map[i] = 1;
}

static int make_reclaim(struct wait *w)
{
	int r = cgroup__make(&group, "memory");

	if (r)
		return r;
	r = group.v2 ? cgroup__put(&group, "memory.high", "4M") : -EOPNOTSUPP;
	if (!r)
		r = make_worker(w, take_memory);
	if (!r)
		r = cgroup__add(&group, w->pid);
	if (r)
		cgroup__remove(&group);
	return r;
}

static void wait_reclaim(struct wait *w)
{
	wl_pause(400000000);
	end(w);
	cgroup__remove(&group);
}

/* One call is for another process to decide. */
static void wait_supervised(struct wait *w)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	w->fd[1] = (int)kinds_check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
					    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog),
				    "seccomp");
	syscall(SYS_getpriority, 0, 0);
}

static void feed_verdict(struct wait *w)
{
	struct seccomp_notif request = { 0 };
	struct seccomp_notif_resp verdict = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

	kinds_check(ioctl(w->fd[1], SECCOMP_IOCTL_NOTIF_RECV, &request), "NOTIF_RECV");
	verdict.id = request.id;
	kinds_check(ioctl(w->fd[1], SECCOMP_IOCTL_NOTIF_SEND, &verdict), "NOTIF_SEND");
}

const struct kind kinds_stop[] = {
	{ "sigstop", make_dozer, hold_by_signal, NULL, NULL },
	{ "ptrace", make_dozer, hold_by_trace, NULL, NULL },
	{ "freezer", make_freezer, hold_by_freezer, NULL, NULL },
	{ "throttled", make_throttled, wait_throttled, NULL, NULL },
	{ "memory-high", make_reclaim, wait_reclaim, NULL, NULL },
	{ "supervised", NULL, wait_supervised, feed_verdict, NULL },
	{ .name = NULL },
};

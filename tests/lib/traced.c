/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/traced.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static long ptrace_of(int request, pid_t tid, void *data)
{
	return ptrace((enum __ptrace_request)request, tid, NULL, data);
}

static _Noreturn void run(const char *program, const char *arg)
{
	ptrace_of(PTRACE_TRACEME, 0, NULL);
	execl(program, program, arg, (char *)NULL);
	_exit(127);
}

/* Lets all threads run until one stops for good. */
static bool run_to_stop(struct traced *t)
{
	for (;;) {
		int status, sig;
		pid_t tid = waitpid(-1, &status, __WALL);

		if (tid < 0 || (tid == t->pid && !WIFSTOPPED(status)))
			return false;
		if (!WIFSTOPPED(status))
			continue;
		t->tid = tid;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_VFORK << 8))
			return true;
		sig = WSTOPSIG(status);
		/* a new thread begins with a SIGSTOP that nobody sent */
		if (sig == SIGSTOP) {
			siginfo_t info;

			if (!ptrace_of(PTRACE_GETSIGINFO, tid, &info) && info.si_code == SI_TKILL)
				return true;
			sig = 0;
		}
		ptrace_of(PTRACE_CONT, tid, (void *)(long)(sig == SIGTRAP ? 0 : sig));
	}
}

bool traced__start(struct traced *t, const char *program, const char *arg)
{
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	char path[64];
	int status;

	*t = (struct traced){ .mem_fd = -1 };
	t->pid = fork();
	if (!t->pid)
		run(program, arg);
	if (t->pid < 0 || waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status))
		return false;
	ptrace_of(PTRACE_SETOPTIONS, t->pid, (void *)options);
	ptrace_of(PTRACE_CONT, t->pid, NULL);
	if (!run_to_stop(t))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", t->pid);
	t->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	return t->mem_fd >= 0;
}

bool traced__step(struct traced *t)
{
	int status, sig = 0;

	for (;;) {
		ptrace_of(PTRACE_SINGLESTEP, t->tid, (void *)(long)sig);
		if (waitpid(t->tid, &status, __WALL) != t->tid || !WIFSTOPPED(status))
			return false;
		if (WSTOPSIG(status) == SIGTRAP)
			return true;
		sig = WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
	}
}

void traced__done(struct traced *t)
{
	int status;
	pid_t pid;

	if (!t || t->pid <= 0)
		return;
	dwfl_end(t->dwfl);
	kill(t->pid, SIGKILL);
	/* a child of its own, from vfork(), is ours to end as well */
	while ((pid = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			kill(pid, SIGKILL);
	if (t->mem_fd >= 0)
		close(t->mem_fd);
	*t = (struct traced){ .mem_fd = -1 };
}

bool traced__regs(const struct traced *t, u64 reg[TRACED_REGS])
{
#if defined(__x86_64__)
	struct user_regs_struct r;

	if (ptrace_of(PTRACE_GETREGS, t->tid, &r))
		return false;
	reg[0] = r.rax;
	reg[1] = r.rdx;
	reg[2] = r.rcx;
	reg[3] = r.rbx;
	reg[4] = r.rsi;
	reg[5] = r.rdi;
	reg[6] = r.rbp;
	reg[7] = r.rsp;
	reg[8] = r.r8;
	reg[9] = r.r9;
	reg[10] = r.r10;
	reg[11] = r.r11;
	reg[12] = r.r12;
	reg[13] = r.r13;
	reg[14] = r.r14;
	reg[15] = r.r15;
	reg[16] = r.rip;
	return true;
#else
	(void)t;
	(void)reg;
	return false;
#endif
}

int traced__read(const struct traced *t, void *dst, size_t sz, u64 addr)
{
	ssize_t n = pread(t->mem_fd, dst, sz, (off_t)addr);

	if (n < 0)
		return -errno;
	return (size_t)n == sz ? 0 : -EIO;
}

static bool attach(struct traced *t)
{
	static char *debuginfo_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debuginfo_path,
	};

	if (t->dwfl)
		return true;
	t->dwfl = dwfl_begin(&callbacks);
	return t->dwfl && !dwfl_linux_proc_report(t->dwfl, t->pid) &&
	       !dwfl_report_end(t->dwfl, NULL, NULL) &&
	       !dwfl_linux_proc_attach(t->dwfl, t->pid, true);
}

struct unwound {
	u64 *pcs;
	size_t max;
	size_t len;
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwound *u = arg;
	Dwarf_Addr pc;

	if (u->len == u->max || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	u->pcs[u->len++] = pc;
	return DWARF_CB_OK;
}

size_t traced__unwind(struct traced *t, u64 *pcs, size_t max, bool *ret_whole)
{
	struct unwound u = { .pcs = pcs, .max = max };

	*ret_whole = attach(t) && !dwfl_getthread_frames(t->dwfl, t->tid, take_frame, &u);
	return u.len;
}

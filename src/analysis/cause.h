/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_H
#define ANALYSIS_CAUSE_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * The kind of a wait: a pure function of the system call it was in, its state, its flags and the
 * names of its kernel frames. X(NAME, name, sentence); `name` is stable: it is in JSON. Append
 * only. The rules are one table in cause.c.
 */
#define CAUSES(X)                                                                                  \
	X(UNKNOWN, "unknown", "no rule knows it")                                                  \
	X(PREEMPTED, "preempted", "could run, but another thread had the CPU")                     \
	X(YIELD, "yield", "gave the CPU away with sched_yield")                                    \
	X(NEW, "new-thread", "a new thread on its way to its first CPU")                           \
	X(THROTTLED, "cpu-throttled", "its cgroup had used up its CPU quota")                      \
	X(FAULT, "page-fault", "a page of memory was not there")                                   \
	X(MMAP_LOCK, "mmap-lock", "the lock of the process's address space")                       \
	X(KERNEL_LOCK, "kernel-lock", "a lock inside the kernel")                                  \
	X(FUTEX, "futex", "a lock, condition or semaphore of user space")                          \
	X(FUTEX_PI, "futex-pi", "a mutex with priority inheritance")                               \
	X(DISK_SYNC, "disk-sync", "data on its way to the disk")                                   \
	X(DISK, "disk", "block I/O")                                                               \
	X(WRITEBACK, "dirty-throttle", "slowed down for having written too much")                  \
	X(RECLAIM, "reclaim", "memory was short and had to be freed")                              \
	X(FILE_LOCK, "file-lock", "flock or fcntl")                                                \
	X(NET_RECV, "net-recv", "data from a socket")                                              \
	X(NET_SEND, "net-send", "room in a socket: the peer is slow")                              \
	X(NET_CONNECT, "net-connect", "the answer to a connect")                                   \
	X(NET_ACCEPT, "net-accept", "a client")                                                    \
	X(UNIX, "unix", "a unix socket")                                                           \
	X(PIPE, "pipe", "a pipe or fifo")                                                          \
	X(TTY, "tty", "a terminal")                                                                \
	X(POLL, "poll", "one of several files")                                                    \
	X(URING, "io_uring", "a completion of io_uring or aio")                                    \
	X(SLEEP, "sleep", "time to pass")                                                          \
	X(IPC, "ipc", "an eventfd, signal, message queue or System V semaphore")                   \
	X(CHILD, "child", "a child process")                                                       \
	X(STOPPED, "stopped", "a signal or tracer stopped it")                                     \
	X(EXIT, "exit", "the thread was ending")                                                   \
	X(KTHREAD, "kthread", "a kernel thread between two pieces of work")                        \
	X(VM, "vm-halt", "a virtual machine without work")                                         \
	X(SYSCALL, "syscall", "a system call that no rule knows")                                  \
	X(LOST, "lost", "waits of which only the total is known")                                  \
	X(ON_CPU, "on-cpu", "no wait: it ran")

enum cause {
#define X(NAME, name, sentence) CAUSE_##NAME,
	CAUSES(X)
#undef X
		CAUSE_CNT
};

/* Never NULL. */
const char *cause_name(enum cause cause);
const char *cause_sentence(enum cause cause);

/* What a rule may look at. */
struct cause_facts {
	const char *syscall; /* NULL: in none, or without a name */
	s32 sysno; /* -1: in none */
	u32 state; /* index into PROFILE_STATE_LETTERS */
	u32 flags; /* enum profile_wait_flag */
	bool kthread;
	u64 frames; /* or of cause_frame_bits() over the kernel stack */
};

/* Which groups of the rules' frames a kernel function belongs to; compiler suffixes are ignored. */
u64 cause_frame_bits(const char *function);
enum cause cause_of(const struct cause_facts *facts);

/* The cause of each wait of a profile. */
struct causes {
	u8 *of_wait; /* enum cause by wait id */
	u32 waits_len;
};

/* -ENOMEM or 0. Release with causes__done() in either case. */
int causes__init(struct causes *c, const struct profile *p, struct err *err);
void causes__done(struct causes *c);
enum cause causes__of(const struct causes *c, u32 wait);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_H
#define ANALYSIS_CAUSE_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * The kind of a wait: what the first rule says that fits its system call, state, flags, futex, the
 * names of its thread and process, and the frames of its two stacks (rule.h). The rules are tables
 * in rules_*.c, and those of a user are asked before them. X(NAME, name, sentence); `name` is
 * stable: it is in JSON. Append only. Where nothing says which primitive of user space it was, the
 * kind is `futex`.
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
	X(IPC, "ipc", "an eventfd, message queue or System V semaphore")                           \
	X(CHILD, "child", "a child process")                                                       \
	X(STOPPED, "stopped", "a signal, a tracer or a guard of files or calls stopped it")        \
	X(EXIT, "exit", "the thread was ending")                                                   \
	X(KTHREAD, "kthread", "a kernel thread between two pieces of work")                        \
	X(VM, "vm-halt", "a virtual machine without work")                                         \
	X(SYSCALL, "syscall", "a system call that no rule knows")                                  \
	X(LOST, "lost", "waits of which only the total is known")                                  \
	X(ON_CPU, "on-cpu", "no wait: it ran")                                                     \
	X(SWAP, "swap", "a page of memory that had been swapped out")                              \
	X(JOURNAL, "journal", "the journal of a file system")                                      \
	X(FUSE, "fuse", "the answer of a file system in user space")                               \
	X(NFS, "nfs", "the answer of a file server")                                               \
	X(LOCK, "lock", "a mutex of user space that another thread held")                          \
	X(RWLOCK, "rwlock", "a lock for readers and writers")                                      \
	X(COND, "cond", "a condition: another thread had to say that something is so")             \
	X(SEMAPHORE, "semaphore", "a semaphore of user space")                                     \
	X(BARRIER, "barrier", "the other threads of a barrier, or a memory barrier of all")        \
	X(JOIN, "join", "the end of another thread")                                               \
	X(ONCE, "once", "something that another thread was making for the first time")             \
	X(MALLOC_LOCK, "malloc-lock", "a lock of the memory allocator")                            \
	X(GIL, "gil", "the one lock under which Python code runs")                                 \
	X(MONITOR, "monitor", "a synchronized block of Java that another thread was in")           \
	X(OBJECT_WAIT, "object-wait", "a notify of a Java object")                                 \
	X(PARK, "park", "another thread to unpark this one")                                       \
	X(QUEUE, "queue", "an element of a queue or channel")                                      \
	X(FUTURE, "future", "a result that another thread was making")                             \
	X(DB_LOCK, "db-lock", "a row, table or transaction that another session had locked")       \
	X(DNS, "dns", "the answer of a name server")                                               \
	X(SAFEPOINT, "safepoint", "the virtual machine to let its threads go on")                  \
	X(GC, "gc", "the garbage collector")                                                       \
	X(SIGNAL, "signal", "a signal: pause, sigwait, sigsuspend or a signalfd")

enum cause {
#define X(NAME, name, sentence) CAUSE_##NAME,
	CAUSES(X)
#undef X
		CAUSE_CNT
};

/* Never NULL. */
const char *cause_name(enum cause cause);
const char *cause_sentence(enum cause cause);
/* By name; CAUSE_CNT: there is none. */
enum cause cause_find(const char *name);
/* What to look at next: one sentence without a full stop, or "" where the name says it all. */
const char *cause_hint(enum cause cause);

/*
 * What a wait means to who asks where the time went. `name` is stable: it is in JSON. Append only.
 */
#define CLASSES(X)                                                                                 \
	X(NONE, "none", "not decided")                                                             \
	X(WORK, "work", "kept somebody from getting on")                                           \
	X(IDLE, "idle", "a wait for work")                                                         \
	X(EXPECTED, "expected", "a rule of the user says that it is meant to be so")               \
	X(BAD, "bad", "held up an event loop, and all that it serves")                             \
	X(ON_CPU, "on-cpu", "no wait: it ran")

enum wait_class {
#define X(NAME, name, sentence) CLASS_##NAME,
	CLASSES(X)
#undef X
		CLASS_CNT
};

/*
 * Pictures have one colour and name for all waits for work. Numbers for this: those of enum cause,
 * CAUSE_CNT where there is none, and this one.
 */
#define CAUSE_SHOWN_IDLE (CAUSE_CNT + 1)
#define CAUSE_SHOWN_CNT (CAUSE_CNT + 2)

/* "idle", the name and sentence of the cause, or "none". */
const char *cause_shown_name(u32 shown);
const char *cause_shown_sentence(u32 shown);

/* Never NULL. */
const char *class_name(enum wait_class class);
const char *class_sentence(enum wait_class class);

struct rule;
struct ruleset;

/* The cause and class of each wait of a profile, and the rules that decided. */
struct causes {
	u8 *of_wait; /* enum cause by wait id */
	u8 *class_of_wait; /* enum wait_class */
	u16 *kind_rule; /* number in `rules`; RULE_NONE: no rule, or a fact that needs none */
	u16 *class_rule;
	const struct ruleset *rules;
	struct ruleset *own_rules; /* the same when none were given */
	u32 waits_len;
	u32 rows_len; /* of a view: those from waits_len on are time on a CPU */
	bool borrowed; /* all of this: cause_memo.h */
};

/*
 * Frames must be named before. `rules` are borrowed; NULL: those that are built in. -ENOMEM or 0.
 * Release with causes__done() in either case.
 */
int causes__init(struct causes *c, const struct profile *p, const struct ruleset *rules,
		 struct err *err);
void causes__done(struct causes *c);
enum cause causes__of(const struct causes *c, u32 wait);
/* CLASS_WORK for waits that no rule knows, CLASS_ON_CPU for what is none; never CLASS_NONE. */
enum wait_class causes__class(const struct causes *c, u32 wait);
/* CAUSE_SHOWN_IDLE for a wait for work, else its cause. */
u32 causes__shown(const struct causes *c, u32 wait);
/* The rule that decided; NULL: none did. */
const struct rule *causes__kind_rule(const struct causes *c, u32 wait);
const struct rule *causes__class_rule(const struct causes *c, u32 wait);

#endif

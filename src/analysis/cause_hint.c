/* SPDX-License-Identifier: Apache-2.0 */
/* What to look at next, once the kind of a wait is known: for the summary and the report. */
#include "analysis/cause.h"

static const char *const hints[CAUSE_CNT] = {
	[CAUSE_PREEMPTED] =
		"more threads can run than there are CPUs: see --by thread for who runs",
	[CAUSE_YIELD] = "a loop that yields is a lock made by hand: look for what it waits for",
	[CAUSE_THROTTLED] = "raise cpu.max of the cgroup, or use fewer threads in it",
	[CAUSE_FAULT] = "a mapped file is read from disk: read it ahead, or give it memory",
	[CAUSE_MMAP_LOCK] = "threads map and unmap memory at a time: see --under '*munmap*'",
	[CAUSE_KERNEL_LOCK] = "threads meet in one file or directory: the kernel stack names it",
	[CAUSE_FUTEX] = "the user stack says which lock; if it is short, see `User stacks`",
	[CAUSE_FUTEX_PI] =
		"the holder of the mutex is slow: look for what it does while it holds it",
	[CAUSE_DISK_SYNC] = "each fsync waits for the disk: put several changes into one",
	[CAUSE_DISK] = "reads that memory does not hold: look at the size of the files and iostat",
	[CAUSE_WRITEBACK] = "more is written than the disk takes: write less, or sync earlier",
	[CAUSE_RECLAIM] = "memory is short: look at the limit of the cgroup and its memory.stat",
	[CAUSE_FILE_LOCK] = "another process holds the file: see /proc/locks",
	[CAUSE_NET_RECV] = "the peer has not answered: look at it, and at how many calls are made",
	[CAUSE_NET_SEND] = "the peer does not read as fast as this writes",
	[CAUSE_NET_CONNECT] =
		"new connections: keep them open, and look at the backlog of the peer",
	[CAUSE_UNIX] = "the process at the other end has not answered, or does not read",
	[CAUSE_PIPE] =
		"the process at the other end is slower: it writes too late or reads too late",
	[CAUSE_POLL] = "no rule knows this loop: if it waits for work, say so with --rules",
	[CAUSE_URING] = "completions are late: look at the disk or socket behind the ring",
	[CAUSE_SLEEP] = "the program asks for it: look at the caller for a retry or a poll",
	[CAUSE_CHILD] = "a child runs: record it too, with --follow",
	[CAUSE_SWAP] = "memory was swapped out: give it more, or use less",
	[CAUSE_JOURNAL] =
		"the journal is full or being written: look at other writers of that disk",
	[CAUSE_FUSE] = "look at the process that serves the file system",
	[CAUSE_NFS] = "look at the server and the network: nfsiostat tells them apart",
	[CAUSE_LOCK] = "look for what the threads do while they hold it: the longest holder is it",
	[CAUSE_RWLOCK] = "a writer holds it, or readers keep writers out: look for the longest",
	[CAUSE_COND] = "another thread is late: if it is a wait for work, say so with --rules",
	[CAUSE_SEMAPHORE] = "another thread is late to post: look for what it does meanwhile",
	[CAUSE_BARRIER] = "the slowest thread of the group is what the others wait for",
	[CAUSE_JOIN] = "look at the thread that is joined: it does the work",
	[CAUSE_ONCE] = "make it before the threads start",
	[CAUSE_MALLOC_LOCK] = "threads share an arena: allocate less, or try another allocator",
	[CAUSE_GIL] =
		"only one thread runs Python at a time: use processes, or code that lets it go",
	[CAUSE_MONITOR] = "make the synchronized block shorter, or split what it guards",
	[CAUSE_OBJECT_WAIT] = "look at the thread that notifies",
	[CAUSE_PARK] = "its callers say for what; if they have no names, see `coldspot doctor PID`",
	[CAUSE_QUEUE] = "the producer is late: look at its thread",
	[CAUSE_FUTURE] = "look at the pool that makes the result: is it busy or too small?",
	[CAUSE_DB_LOCK] = "another session holds it: see pg_locks, or SHOW ENGINE INNODB STATUS",
	[CAUSE_DNS] = "names are looked up again and again: cache them, or look at the name server",
	[CAUSE_SAFEPOINT] = "threads reach the safepoint late: see -Xlog:safepoint",
	[CAUSE_GC] = "allocate less, or give the heap more memory",
	[CAUSE_SIGNAL] = "look at who is to send it: if it is a wait for work, say so with --rules",
};

const char *cause_hint(enum cause cause)
{
	const char *hint = (u32)cause < CAUSE_CNT ? hints[cause] : NULL;

	return hint ? hint : "";
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_CAUSES_H
#define ANALYSIS_CAUSE_CAUSES_H

/*
 * All causes, one row each: a new one needs only a row and its rules. The enum and the names in C
 * and web/src/causes.ts (`make causes`) are generated from here, and `make lint` compares the table
 * in docs/rules.md with it. No includes: the file is also preprocessed alone.
 *
 * X(NAME, name, letter, firefox): families of related causes. Colours of a family have similar
 * hues. `letter` is used where there is room for only one; `firefox` is the nearest colour that the
 * Firefox Profiler has a name for. Its grey is used by its own default.
 */
#define CAUSE_FAMILIES(X)                                                                          \
	X(RUN_QUEUE, "run-queue", 'R', "darkgrey")                                                 \
	X(LOCK, "lock", 'L', "red")                                                                \
	X(THREAD, "thread", 'T', "magenta")                                                        \
	X(NET, "net", 'N', "blue")                                                                 \
	X(EVENT, "event", 'E', "lightblue")                                                        \
	X(DISK, "disk", 'D', "orange")                                                             \
	X(MEMORY, "memory", 'M', "brown")                                                          \
	X(IPC, "ipc", 'I', "green")                                                                \
	X(PROCESS, "process", 'P', "green")                                                        \
	X(TIME, "time", 'S', "purple")                                                             \
	X(KERNEL, "kernel", 'K', "transparent")                                                    \
	X(OTHER, "other", '?', "yellow")                                                           \
	X(CPU, "cpu", 'C', "yellow")

/*
 * X(NAME, name, FAMILY, EITHER or BUSY, colour, sentence, hint). `name` is stable: it is in JSON.
 * Append only. EITHER may be a wait for work if user frames say so; BUSY never is, unless a rule
 * names the cause. Colours are 0xRRGGBB, chosen in OKLab so that no two are closer than 0.06, and
 * dark or light enough for text on them (contrast 4.5). The sentence says what the thread waited
 * for; the hint says what to look at next, at most 90 bytes without a full stop, or "" if the name
 * says it all.
 */
/* clang-format off */
#define CAUSES(X) \
	X(UNKNOWN, "unknown", OTHER, EITHER, 0xc9b96d, "no rule matches", "") \
	X(PREEMPTED, "preempted", RUN_QUEUE, BUSY, 0x82828f, \
	  "was runnable, but another thread had the CPU", \
	  "more threads are runnable than there are CPUs: see --by thread for those that run") \
	X(YIELD, "yield", RUN_QUEUE, BUSY, 0x66696f, "gave up the CPU with sched_yield", \
	  "a loop around sched_yield is a hand-made lock: find what it waits for") \
	X(NEW, "new-thread", RUN_QUEUE, BUSY, 0x9e95b2, "a new thread waiting for its first CPU", \
	  "") \
	X(THROTTLED, "cpu-throttled", RUN_QUEUE, BUSY, 0x48526c, \
	  "its cgroup had used up its CPU quota", \
	  "raise cpu.max of the cgroup, or run fewer threads in it") \
	X(FAULT, "page-fault", MEMORY, BUSY, 0x634634, "a page of memory that was not present", \
	  "a mapped file is read from disk: use readahead, or add memory") \
	X(MMAP_LOCK, "mmap-lock", LOCK, BUSY, 0xbe7166, "the lock of the process's address space", \
	  "threads map and unmap memory at the same time: see --under '*munmap*'") \
	X(KERNEL_LOCK, "kernel-lock", LOCK, BUSY, 0xe3517f, "a lock inside the kernel", \
	  "threads contend for one file or directory: see the kernel stack") \
	X(FUTEX, "futex", LOCK, EITHER, 0xaa014c, \
	  "a lock, condition variable or semaphore in user space", \
	  "the user stack shows which lock; if it is truncated, see `User stacks`") \
	X(FUTEX_PI, "futex-pi", LOCK, BUSY, 0xb04e6b, "a mutex with priority inheritance", \
	  "the owner holds the mutex for long: find what it does meanwhile") \
	X(DISK_SYNC, "disk-sync", DISK, BUSY, 0xd17411, "data to reach the disk", \
	  "each fsync waits for the disk: batch several changes") \
	X(DISK, "disk", DISK, BUSY, 0xed9b30, "block I/O", \
	  "reads miss the page cache: compare file sizes with memory, and see iostat") \
	X(WRITEBACK, "dirty-throttle", DISK, BUSY, 0xf9ba8a, \
	  "throttled by the kernel for dirtying too much memory", \
	  "writes exceed the speed of the disk: write less, or sync earlier") \
	X(RECLAIM, "reclaim", MEMORY, BUSY, 0x9b8d6c, "memory was short and had to be reclaimed", \
	  "memory is short: check the cgroup's limit and memory.stat") \
	X(FILE_LOCK, "file-lock", LOCK, BUSY, 0xfb947a, "flock or fcntl", \
	  "another open file has the lock: the owner is the process that took it") \
	X(NET_RECV, "net-recv", NET, EITHER, 0x4e8ae6, "data from a socket", \
	  "the peer takes this long to answer: look at what it does, and at the number of calls") \
	X(NET_SEND, "net-send", NET, BUSY, 0x70a3ff, "space in a send buffer: the peer is slow", \
	  "the peer reads more slowly than this thread writes") \
	X(NET_CONNECT, "net-connect", NET, BUSY, 0x0055ae, "a connection to be established", \
	  "connections are slow to open: reuse them, and check the backlog of the peer") \
	X(NET_ACCEPT, "net-accept", NET, EITHER, 0x3372a6, "a client to connect", "") \
	X(UNIX, "unix", IPC, EITHER, 0x57e2dd, "a unix socket", \
	  "the process at the other end does not answer or does not read") \
	X(PIPE, "pipe", IPC, EITHER, 0x209993, "a pipe or fifo", \
	  "the process at the other end is slow to write or to read") \
	X(TTY, "tty", IPC, EITHER, 0x22baae, "a terminal", "") \
	X(POLL, "poll", EVENT, EITHER, 0x76bfe4, "one of several files to become ready", \
	  "it may be a wait for work: no rule knows this code; --rules adds one") \
	X(URING, "io_uring", EVENT, EITHER, 0x2ca4d0, "a completion of io_uring or aio", \
	  "completions are slow: look at the disk or socket behind the ring") \
	X(SLEEP, "sleep", TIME, EITHER, 0x9e87df, "a delay that the program asked for", \
	  "the program asks for it: check the caller for a retry or polling loop") \
	X(IPC, "ipc", IPC, EITHER, 0x007862, "an eventfd, message queue or System V semaphore", \
	  "") \
	X(CHILD, "child", PROCESS, EITHER, 0x50a248, "a child process", \
	  "a child process is running: record it too, with --tree") \
	X(STOPPED, "stopped", PROCESS, BUSY, 0x537a00, \
	  "a signal, a tracer, fanotify or seccomp stopped it", "") \
	X(EXIT, "exit", PROCESS, BUSY, 0x5cc272, "the thread was exiting", "") \
	X(KTHREAD, "kthread", KERNEL, BUSY, 0x92b2b7, "a kernel thread without work", "") \
	X(VM, "vm-halt", KERNEL, BUSY, 0xbfe4fa, "a virtual CPU without work", "") \
	X(SYSCALL, "syscall", OTHER, EITHER, 0x9fa65b, "a system call that no rule knows", "") \
	X(LOST, "lost", OTHER, BUSY, 0xd1d6a3, "waits of which only the total is known", "") \
	X(ON_CPU, "on-cpu", CPU, BUSY, 0xfe6a00, "not a wait: it ran", "") \
	X(SWAP, "swap", MEMORY, BUSY, 0x73602c, "a page that had been swapped out", \
	  "memory was swapped out: add memory, or use less") \
	X(JOURNAL, "journal", DISK, BUSY, 0xc99365, "the journal of a file system", \
	  "the journal is full or being written: look for other writers on that disk") \
	X(FUSE, "fuse", DISK, BUSY, 0xf9c131, "a FUSE file system to answer", \
	  "look at the process that serves the file system") \
	X(NFS, "nfs", DISK, BUSY, 0xa78009, "a file server to answer", \
	  "look at the server and the network: nfsiostat separates the two") \
	X(LOCK, "lock", LOCK, BUSY, 0xc72c34, "a user-space mutex that another thread held", \
	  "find what threads do while they hold it, longest owner first") \
	X(RWLOCK, "rwlock", LOCK, BUSY, 0xa32b08, "a read-write lock", \
	  "a writer holds it, or readers block writers: find the longest owner") \
	X(COND, "cond", THREAD, EITHER, 0xd470b5, \
	  "a condition variable that another thread must signal", \
	  "another thread signals late: if it is a wait for work, add a rule with --rules") \
	X(SEMAPHORE, "semaphore", THREAD, EITHER, 0xac489b, "a user-space semaphore", \
	  "another thread posts late: find what it does meanwhile") \
	X(BARRIER, "barrier", THREAD, BUSY, 0xfe88bf, \
	  "the other threads of a barrier, or a memory barrier", \
	  "all threads wait for the slowest one: find it") \
	X(JOIN, "join", THREAD, EITHER, 0xa375aa, "another thread to exit", \
	  "look at the joined thread: it does the work") \
	X(ONCE, "once", LOCK, BUSY, 0xff6c75, "a one-time initialization in another thread", \
	  "initialize it before the threads start") \
	X(MALLOC_LOCK, "malloc-lock", LOCK, BUSY, 0xe65543, "a lock of the memory allocator", \
	  "threads share an arena: allocate less, or try another allocator") \
	X(GIL, "gil", LOCK, BUSY, 0xd68695, "the global interpreter lock of Python", \
	  "only one thread runs Python at a time: use processes, or release the GIL") \
	X(MONITOR, "monitor", LOCK, BUSY, 0xa0573c, \
	  "a synchronized block in Java that another thread was in", \
	  "shorten the synchronized block, or split the data it protects") \
	X(OBJECT_WAIT, "object-wait", THREAD, EITHER, 0xfab2d2, "a Java object to be notified", \
	  "look at the thread that notifies") \
	X(PARK, "park", THREAD, EITHER, 0xd585f0, "another thread to unpark it", \
	  "its callers show why; if they have no names, see `coldspot doctor PID`") \
	X(QUEUE, "queue", THREAD, EITHER, 0xfc9eff, "an item from a queue or channel", \
	  "the producer is slow: look at its thread") \
	X(FUTURE, "future", THREAD, BUSY, 0xc9a1d5, "a result that another thread computes", \
	  "look at the pool that computes the result: is it busy or too small?") \
	X(DB_LOCK, "db-lock", LOCK, BUSY, 0x8a4151, \
	  "a row, table or transaction that another session had locked", \
	  "another session holds it: see the server's list of locks") \
	X(DNS, "dns", NET, BUSY, 0x535cd2, "a name server to answer", \
	  "repeated name lookups: cache them, or look at the name server") \
	X(SAFEPOINT, "safepoint", THREAD, BUSY, 0x884bb7, \
	  "the JVM to end a safepoint or finish an operation", \
	  "threads reach the safepoint late: see -Xlog:safepoint") \
	X(GC, "gc", THREAD, BUSY, 0x865787, "the garbage collector", \
	  "allocate less, or give the heap more memory") \
	X(SIGNAL, "signal", PROCESS, EITHER, 0x81e390, \
	  "a signal: pause, sigwait, sigsuspend or a signalfd", \
	  "look at the sender: if it is a wait for work, add a rule with --rules") \
	X(LWLOCK, "lwlock", LOCK, BUSY, 0xe2aca8, \
	  "a lock inside PostgreSQL (LWLock), not a row's", \
	  "a lock inside PostgreSQL is contended: see wait_event in pg_stat_activity") \
	X(RUNNABLE, "runnable", RUN_QUEUE, BUSY, 0xaaa091, \
	  "a CPU: it was woken, or another thread took its CPU, which visits cannot tell", \
	  "more threads are runnable than there are CPUs: see --by thread for those that run")
/* clang-format on */

/* Graphs have one colour for all waits for work. */
#define CAUSE_IDLE_COLOR 0xb9bec8

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What goroutines wait for, as Go 1.19 and later versions call it. */
#include "lib/seen.h"

#define PROGRAM "/srv/shop/shop"
#define PARK "runtime.gopark<"
#define SEMAPHORE PARK "runtime.semacquire1<"
#define POLL "[IO wait]<" PARK "runtime.netpollblock<internal/poll.runtime_pollWait<"
#define NET_READ POLL "internal/poll.(*FD).Read<net.(*netFD).Read<net.(*conn).Read<"

#define TASK(what, cause, user, ...)                                                               \
	{                                                                                          \
		what, NULL, 'S', 0, "", cause, user, ##__VA_ARGS__, .program = PROGRAM,            \
		.task = true                                                                       \
	}

/* clang-format off */
static const struct seen waits[] = {
	TASK("Mutex, Go 1.19", CAUSE_LOCK,
	     "[semacquire]<" SEMAPHORE "sync.runtime_SemacquireMutex<sync.(*Mutex).lockSlow<main.pay"),
	TASK("Mutex, Go 1.20", CAUSE_LOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE "sync.(*Mutex).lockSlow<main.pay"),
	TASK("Mutex, Go 1.26", CAUSE_LOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE "internal/sync.(*Mutex).lockSlow<main.pay"),
	TASK("a writer behind a writer", CAUSE_RWLOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE "sync.(*Mutex).lockSlow<sync.(*RWMutex).Lock<main.store"),
	TASK("RWMutex, Go 1.19", CAUSE_RWLOCK,
	     "[semacquire]<" SEMAPHORE "sync.runtime_SemacquireMutex<sync.(*RWMutex).RLock<main.look"),
	TASK("RWMutex, Go 1.20", CAUSE_RWLOCK,
	     "[sync.RWMutex.Lock]<" SEMAPHORE "sync.(*RWMutex).Lock<main.store"),
	TASK("Cond", CAUSE_COND,
	     "[sync.Cond.Wait]<" PARK "sync.runtime_notifyListWait<sync.(*Cond).Wait<main.take"),
	TASK("WaitGroup, Go 1.19", CAUSE_JOIN,
	     "[semacquire]<" SEMAPHORE "sync.runtime_Semacquire<sync.(*WaitGroup).Wait<main.main"),
	TASK("WaitGroup, Go 1.25", CAUSE_JOIN,
	     "[sync.WaitGroup.Wait]<" SEMAPHORE "sync.(*WaitGroup).Wait<main.main"),
	TASK("a semaphore of another library", CAUSE_SEMAPHORE,
	     "[semacquire]<" SEMAPHORE "internal/poll.runtime_Semacquire<internal/poll.(*FD).Close"),
	TASK("Accept", CAUSE_NET_ACCEPT,
	     POLL "internal/poll.(*FD).Accept<net.(*netFD).accept<main.serve", CLASS_IDLE),
	TASK("Dial", CAUSE_NET_CONNECT,
	     POLL "internal/poll.(*pollDesc).waitWrite<net.(*netFD).connect<net.(*netFD).dial"),
	TASK("Write to a connection", CAUSE_NET_SEND,
	     POLL "internal/poll.(*FD).Write<net.(*netFD).Write<net.(*conn).Write<main.send"),
	TASK("Read of a connection", CAUSE_NET_RECV, NET_READ "main.ask"),
	TASK("Read of a pipe", CAUSE_POLL,
	     POLL "internal/poll.(*FD).Read<os.(*File).read<os.(*File).Read<main.pipe"),
	TASK("Sleep", CAUSE_SLEEP, "[sleep]<" PARK "time.Sleep<main.retry"),
	TASK("channel, receive", CAUSE_QUEUE,
	     "[chan receive]<" PARK "runtime.chanrecv<runtime.chanrecv1<main.result"),
	TASK("channel, send", CAUSE_QUEUE,
	     "[chan send]<" PARK "runtime.chansend<runtime.chansend1<main.publish"),
	TASK("select", CAUSE_QUEUE, "[select]<" PARK "runtime.selectgo<main.either"),
	TASK("select without cases", CAUSE_QUEUE,
	     "[select (no cases)]<" PARK "runtime.block<main.main", CLASS_IDLE),
	TASK("a worker without work", CAUSE_QUEUE,
	     "[chan receive]<" PARK "runtime.chanrecv<runtime.chanrecv1<main.worker", CLASS_IDLE),
	TASK("what a worker waits for in its work", CAUSE_QUEUE,
	     "[chan receive]<" PARK "runtime.chanrecv<runtime.chanrecv1<main.result<main.worker"),
	TASK("the sweeper", CAUSE_GC, "[GC sweep wait]<" PARK "runtime.bgsweep", CLASS_IDLE),
	TASK("help for the collector", CAUSE_GC,
	     "[GC assist wait]<" PARK "runtime.gcParkAssist<runtime.mallocgc<main.build"),
	TASK("a system call", CAUSE_SYSCALL, "[system call]<syscall.Syscall<os.(*File).Sync<main.save"),
	TASK("a connection kept open, net/http", CAUSE_NET_RECV,
	     NET_READ "net/http.(*connReader).Read<bufio.(*Reader).Peek<net/http.(*conn).serve",
	     CLASS_IDLE),
	TASK("a handler that reads, net/http", CAUSE_NET_RECV,
	     NET_READ "main.ask<main.handle<net/http.HandlerFunc.ServeHTTP<net/http.(*conn).serve"),
	TASK("a connection of a client, net/http", CAUSE_NET_RECV,
	     NET_READ "bufio.(*Reader).Peek<net/http.(*persistConn).readLoop", CLASS_IDLE),
	TASK("the opener of connections, database/sql", CAUSE_QUEUE,
	     "[select]<" PARK "runtime.selectgo<database/sql.(*DB).connectionOpener", CLASS_IDLE),
};
/* clang-format on */

const struct seen_table seen_tasks = { waits, ARRAY_LEN(waits) };

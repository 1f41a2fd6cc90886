/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go. Goroutines that wait for each other do not block a thread: of threads, the kernel sees those
 * without a goroutine, locks of the run time, and system calls. What goroutines wait for, recordings
 * of tasks know.
 */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"

/* What the run time says of a goroutine (async/go_layout.h): runtime.waitReasonStrings. */
#define IO "[IO?wait]"
#define CHANNEL "[chan?receive] [chan?receive?(nil?chan)] [chan?send] [chan?send?(nil?chan)]"
#define SELECT "[select] [select?(no?cases)]"
#define SEMAPHORE "[semacquire]"

/* clang-format off */
static const struct rule rules[] = {
	{ "go/mutex", CAUSE_LOCK, .seen = "Go 1.19, 1.26",
	  .user = { "[sync.Mutex.Lock] " SEMAPHORE, "sync.(*Mutex).*" } },
	{ "go/rwmutex", CAUSE_RWLOCK, .seen = "Go 1.19",
	  .user = { "[sync.RWMutex.RLock] [sync.RWMutex.Lock] " SEMAPHORE, "sync.(*RWMutex).*" } },
	{ "go/cond", CAUSE_COND, .user = { "[sync.Cond.Wait]" }, .seen = "Go 1.19" },
	{ "go/wait-group", CAUSE_JOIN, .seen = "Go 1.19",
	  .user = { "[sync.WaitGroup.Wait] " SEMAPHORE, "sync.(*WaitGroup).Wait" } },
	{ "go/semaphore", CAUSE_SEMAPHORE, .user = { SEMAPHORE }, .seen = "source" },
	{ "go/accept", CAUSE_NET_ACCEPT, .seen = "Go 1.19",
	  .user = { IO, "internal/poll.(*FD).Accept" } },
	{ "go/connect", CAUSE_NET_CONNECT, .user = { IO, "net.(*netFD).connect" },
	  .seen = "source" },
	{ "go/send", CAUSE_NET_SEND, .seen = "source",
	  .user = { IO, "internal/poll.(*FD).Write*", "net.*" } },
	{ "go/receive", CAUSE_NET_RECV, .seen = "Go 1.19",
	  .user = { IO, "internal/poll.(*FD).Read*", "net.*" } },
	{ "go/io", CAUSE_POLL, .user = { IO }, .seen = "source" },
	{ "go/sleep", CAUSE_SLEEP, .user = { "[sleep]" }, .seen = "Go 1.19" },
	{ "go/channel", CAUSE_QUEUE, .user = { CHANNEL }, .seen = "Go 1.19" },
	{ "go/select", CAUSE_QUEUE, .user = { SELECT }, .seen = "Go 1.19" },
	{ "go/collector", CAUSE_GC, .seen = "Go 1.19",
	  .user = { "[GC?*] [force?gc*] [finalizer?wait] [cleanup?wait] [wait?for?GC?cycle] "
		    "[garbage?collection*]" } },
	{ "go/call", CAUSE_SYSCALL, .user = { "[system?call]" }, .seen = "Go 1.19" },
	{ "go/idle-collector", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_GC), .seen = "Go 1.19",
	  .user = { "[GC?sweep?wait] [GC?scavenge?wait] [GC?worker?(idle)] [force?gc?(idle)] "
		    "[finalizer?wait] [cleanup?wait]" } },
	{ "go/idle-accept", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_ACCEPT),
	  .user = { IO, "internal/poll.(*FD).Accept" }, .seen = "Go 1.19" },
	{ "go/idle-connection", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_RECV),
	  .user = { "net/http.(*conn).serve", "net/http.(*conn).readRequest "
		    "net/http.(*connReader).backgroundRead bufio.(*Reader).Peek" },
	  .seen = "Go 1.19" },
	{ "go/idle-client", .class = CLASS_IDLE, .seen = "Go 1.19",
	  .kinds = RULE_KIND(CAUSE_NET_RECV) | RULE_KIND(CAUSE_QUEUE),
	  .user = { "net/http.(*persistConn).readLoop net/http.(*persistConn).writeLoop" } },
	{ "go/idle-database", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { "database/sql.(*DB).connectionOpener database/sql.(*DB).connectionCleaner" },
	  .seen = "source" },
	{ "go/idle-worker", .class = CLASS_IDLE, .seen = "Go 1.19",
	  .kinds = RULE_KIND(CAUSE_QUEUE) | RULE_KIND(CAUSE_COND),
	  .caller = "*.worker *.(*Pool).worker* *.(*WorkerPool).* *.(*Worker).* *.runWorker "
		    "*.workerLoop *.(*workerPool).*" },
	{ "go/idle-forever", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { "[select?(no?cases)]" }, .seen = "source" },
	{ "go/lock", CAUSE_LOCK, .kernel = { FUTEX }, .seen = "source",
	  .user = { "runtime.lock2 runtime.lockWithRank runtime.lock" } },
	{ "go/gc", CAUSE_GC, .kernel = { FUTEX }, .seen = "source",
	  .user = { "runtime.stopTheWorldWithSema* runtime.stopTheWorld* runtime.gcStart" } },

	{ "go/idle", .class = CLASS_IDLE, .seen = "Go 1.19; tests/causes go",
	  .user = { "runtime.stopm runtime.findRunnable runtime.findrunnable runtime.sysmon "
		    "runtime.templateThread runtime.stoplockedm runtime.startlockedm "
		    "runtime.gcBgMarkWorker" },
	  .not_user = "runtime.lock2" },
	{ "go/idle-signal", .class = CLASS_IDLE, .user = { "os/signal.signal_recv" },
	  .seen = "Go 1.19" },
};
/* clang-format on */

const struct rule_table rules_go = { rules, ARRAY_LEN(rules), NULL };

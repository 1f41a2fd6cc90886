/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goroutines, which only recordings of tasks have: by what the run time says that they wait for,
 * and by who called it. A stack of a thread never has such a word.
 */
#include "analysis/cause/rule.h"

/* Words of runtime.waitReasonStrings, and our own for a system call. */
#define IO "[IO?wait]"
#define CHANNEL "[chan?receive] [chan?receive?(nil?chan)] [chan?send] [chan?send?(nil?chan)]"
#define SELECT "[select] [select?(no?cases)]"
#define SEMAPHORE "[semacquire]"
#define MUTEX SEMAPHORE " [sync.Mutex.Lock] "

/* clang-format off */
static const struct rule rules[] = {
	/* before mutexes: writers wait for one in it */
	{ "goroutine/rwmutex", CAUSE_RWLOCK, .seen = "Go 1.19",
	  .user = { MUTEX "[sync.RWMutex.RLock] [sync.RWMutex.Lock]", "sync.(?RWMutex).*" } },
	{ "goroutine/mutex", CAUSE_LOCK, .seen = "Go 1.19, 1.26",
	  .user = { MUTEX, "sync.(?Mutex).* internal/sync.(?Mutex).*" } },
	{ "goroutine/cond", CAUSE_COND, .user = { "[sync.Cond.Wait]" }, .seen = "Go 1.19" },
	{ "goroutine/wait-group", CAUSE_JOIN, .seen = "Go 1.19",
	  .user = { "[sync.WaitGroup.Wait] " SEMAPHORE, "sync.(?WaitGroup).Wait" } },
	{ "goroutine/semaphore", CAUSE_SEMAPHORE, .user = { SEMAPHORE }, .seen = "source" },
	{ "goroutine/accept", CAUSE_NET_ACCEPT, .seen = "Go 1.19",
	  .user = { IO, "internal/poll.(?FD).Accept" } },
	{ "goroutine/connect", CAUSE_NET_CONNECT, .user = { IO, "net.(?netFD).connect" },
	  .seen = "source" },
	{ "goroutine/send", CAUSE_NET_SEND, .seen = "source",
	  .user = { IO, "internal/poll.(?FD).Write*", "net.*" } },
	{ "goroutine/receive", CAUSE_NET_RECV, .seen = "Go 1.19",
	  .user = { IO, "internal/poll.(?FD).Read*", "net.*" } },
	{ "goroutine/io", CAUSE_POLL, .user = { IO }, .seen = "source" },
	{ "goroutine/sleep", CAUSE_SLEEP, .user = { "[sleep]" }, .seen = "Go 1.19" },
	{ "goroutine/channel", CAUSE_QUEUE, .user = { CHANNEL }, .seen = "Go 1.19" },
	{ "goroutine/select", CAUSE_QUEUE, .user = { SELECT }, .seen = "Go 1.19" },
	{ "goroutine/collector", CAUSE_GC, .seen = "Go 1.19",
	  .user = { "[GC?*] [force?gc*] [finalizer?wait] [cleanup?wait] [wait?for?GC?cycle] "
		    "[garbage?collection*]" } },
	{ "goroutine/idle-collector", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_GC),
	  .seen = "Go 1.19",
	  .user = { "[GC?sweep?wait] [GC?scavenge?wait] [GC?worker?(idle)] [force?gc?(idle)] "
		    "[finalizer?wait] [cleanup?wait]" } },
	{ "goroutine/idle-connection", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_RECV),
	  .user = { "net/http.(?conn).serve", "net/http.(?conn).readRequest "
		    "bufio.(?Reader).Peek" },
	  .seen = "Go 1.19" },
	/* it waits for the client to go away while a handler runs */
	{ "goroutine/idle-watch", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_RECV),
	  .user = { "net/http.(?connReader).backgroundRead" }, .seen = "Go 1.19" },
	{ "goroutine/idle-client", .class = CLASS_IDLE, .seen = "Go 1.19",
	  .kinds = RULE_KIND(CAUSE_NET_RECV) | RULE_KIND(CAUSE_QUEUE),
	  .user = { "net/http.(?persistConn).readLoop net/http.(?persistConn).writeLoop" } },
	{ "goroutine/idle-database", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { "database/sql.(?DB).connectionOpener database/sql.(?DB).connectionCleaner" },
	  .seen = "source" },
	{ "goroutine/idle-worker", .class = CLASS_IDLE, .seen = "Go 1.19",
	  .kinds = RULE_KIND(CAUSE_QUEUE) | RULE_KIND(CAUSE_COND),
	  .caller = "*.worker *.(?Pool).worker* *.(?WorkerPool).* *.(?Worker).* *.runWorker "
		    "*.workerLoop *.(?workerPool).*" },
	{ "goroutine/idle-runtime", .class = CLASS_IDLE, .seen = "Go 1.23",
	  .kinds = RULE_KIND(CAUSE_QUEUE) | RULE_KIND(CAUSE_SLEEP),
	  .threads = "runtime.gc* runtime.bg* runtime.forcegc* runtime.runfin* runtime.unique* "
		     "runtime.ensureSigM* runtime.runCleanups* runtime/trace.*" },
	{ "goroutine/idle-forever", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_QUEUE),
	  .user = { "[select?(no?cases)]" }, .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_goroutine = { rules, ARRAY_LEN(rules), NULL };

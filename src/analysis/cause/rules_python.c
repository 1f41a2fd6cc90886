/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython. An Event, a Lock and a Queue have the same native stack, so interpreted frames decide,
 * named file:function:line; without them, the native ones say less.
 */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"
#define ASYNCIO "*base_events.py:*_run_once:*"
#define POOL "*futures/thread.py:_worker:*"
#define SELECT "*selectors.py:*select:* *selectors.py:*.select:*"
/* On the event loop, these only wait for other threads: no code on the loop is to blame. */
#define NOT_TO_BLAME (RULE_KIND(CAUSE_GIL) | RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT))

/* clang-format off */
static const struct rule rules[] = {
	{ "python/gil", CAUSE_GIL, .kernel = { FUTEX }, .user = { "take_gil" },
	  .seen = "CPython 3.11; tests/causes python-gil with symbols" },
	/* Debian's build has no symbols; only this waits on a condition with a time limit */
	{ "python/gil-stripped", CAUSE_GIL, .kernel = { FUTEX },
	  .user = { "pthread_cond_timedwait __pthread_cond_timedwait* ___pthread_cond_timedwait*" },
	  .caller_file = "python3.* python2.* libpython*",
	  .not_user = "PyThread_acquire_lock_timed take_gil",
	  .seen = "Debian's python3.11; tests/causes python-gil" },
	{ "python/pool", CAUSE_QUEUE, .kernel = { FUTEX }, .code = POOL,
	  .seen = "CPython 3.11; tests/causes python-pool-idle" },
	{ "python/simple-queue", CAUSE_QUEUE, .kernel = { FUTEX },
	  .user = { "_queue_SimpleQueue_get*" }, .seen = "CPython 3.11" },
	{ "python/queue", CAUSE_QUEUE, .kernel = { FUTEX },
	  .user = { "queue.py:*get:* */queue.py:*get:* queue.py:*put:* */queue.py:*put:*" },
	  .seen = "CPython 3.11" },
	{ "python/future", CAUSE_FUTURE, .kernel = { FUTEX },
	  .user = { "*futures/_base.py:*result:* *futures/_base.py:wait:*" },
	  .seen = "CPython 3.11" },
	{ "python/join", CAUSE_JOIN, .kernel = { FUTEX },
	  .user = { "*threading.py:*join:* *threading.py:*_wait_for_tstate_lock:*" },
	  .seen = "CPython 3.11" },
	{ "python/cond", CAUSE_COND, .kernel = { FUTEX }, .user = { "*threading.py:*wait:*" },
	  .seen = "CPython 3.11" },
	{ "python/lock", CAUSE_LOCK, .kernel = { FUTEX },
	  .user = { "lock_PyThread_acquire_lock rlock_acquire acquire_timed _PyMutex_LockTimed "
		    "PyThread_acquire_lock_timed" },
	  .seen = "CPython 3.11; tests/causes python-lock" },

	/* uvloop: no frame of asyncio's own, and libuv without symbols */
	{ "python/idle-uvloop", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_POLL),
	  .user = { "uv_run" }, .caller_file = "libuv.so*",
	  .not_user = "node::SyncProcessRunner::*",
	  .seen = "Debian's uvloop 0.17; tests/causes python-uvloop-idle" },
	{ "python/blocked-uvloop", .class = CLASS_BAD, .kinds = ~NOT_TO_BLAME,
	  .user = { "uv_run" }, .modules = "loop.cpython-*",
	  .seen = "Debian's uvloop 0.17; tests/causes python-uvloop-stall" },
	{ "python/idle-loop", .class = CLASS_IDLE, .user = { ASYNCIO }, .code = SELECT,
	  .seen = "CPython 3.11; tests/causes python-asyncio-idle" },
	{ "python/blocked-loop", .class = CLASS_BAD, .kinds = ~NOT_TO_BLAME, .user = { ASYNCIO },
	  .seen = "CPython 3.11; tests/causes python-asyncio-stall" },
	{ "python/idle-worker", .class = CLASS_IDLE, .code = POOL,
	  .seen = "CPython 3.11; tests/causes python-pool-idle" },
	{ "python/idle-server", .class = CLASS_IDLE,
	  .user = { "*socketserver.py:*serve_forever:*" },
	  .code = SELECT, .seen = "CPython 3.11 http.server" },
	{ "python/idle-pool", .class = CLASS_IDLE, .seen = "CPython 3.11",
	  .user = { "*multiprocessing/pool.py:worker:* *multiprocessing/pool.py:*_handle_*" },
	  .code = "*multiprocessing/connection.py:* *multiprocessing/queues.py:* queue.py:*get:* "
		  "*threading.py:*wait:*" },
};
/* clang-format on */

const struct rule_table rules_python = {
	rules, ARRAY_LEN(rules), "python python2* python3* pypy* libpython* libpypy* [python]"
};

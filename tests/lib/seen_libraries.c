/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library, CPython and pools of its threads call it. */
#include "lib/seen.h"

#define FUTEX "futex_do_wait<__futex_wait<futex_wait<do_futex<__x64_sys_futex"
#define EPOLL "schedule_hrtimeout_range_clock<do_epoll_wait<__x64_sys_epoll_wait"
#define POLL "schedule_hrtimeout_range_clock<poll_schedule_timeout.constprop.0<do_sys_poll"
#define SEM "@__futex_abstimed_wait_common<@__new_sem_wait_slow64<PyThread_acquire_lock_timed"
#define PYTHON "/usr/bin/python3.11"

/* clang-format off */
static const struct seen waits[] = {
	/* what user space calls it: glibc 2.36 */
	{ .what = "mutex", "futex", 'S', 0, FUTEX, CAUSE_LOCK, "@pthread_mutex_lock<take<main" },
	{ .what = "mutex, the compiler's copy", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "@__lll_lock_wait.constprop.0<@[libc.so.6+0x8]<take<main" },
	{ .what = "mutex within a condition", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "@__pthread_mutex_cond_lock<@pthread_cond_wait<take" },
	{ .what = "a function that is called so, but the wait is for the network", "recvfrom",
	  'S', 0,
	  "wait_woken<sk_wait_data<tcp_recvmsg_locked", CAUSE_NET_RECV,
	  "recv<pthread_mutex_lock" },
	{ .what = "condition", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@__futex_abstimed_wait_common<@pthread_cond_wait<wait_for_answer<main" },
	{ .what = "semaphore", "futex", 'S', 0, FUTEX, CAUSE_SEMAPHORE,
	  "@__futex_abstimed_wait_common<@__new_sem_wait_slow64.constprop.0<main" },
	{ .what = "read-write lock", "futex", 'S', 0, FUTEX, CAUSE_RWLOCK,
	  "@pthread_rwlock_rdlock<lookup" },
	{ .what = "barrier", "futex", 'S', 0, FUTEX, CAUSE_BARRIER,
	  "@pthread_barrier_wait<phase" },
	{ .what = "join", "futex", 'S', 0, FUTEX, CAUSE_JOIN, "@__pthread_clockjoin_ex<main" },
	{ .what = "std::future", "futex", 'S', 0, FUTEX, CAUSE_FUTURE,
	  "@syscall<std::__atomic_futex_unsigned_base::_M_futex_wait_until(unsigned int*, unsigned "
	  "int, bool, std::chrono::duration)<std::future^int>::get()<main" },
	{ .what = "std::future of libc++", "futex", 'S', 0, FUTEX, CAUSE_FUTURE,
	  "@pthread_cond_wait<std::__1::condition_variable::wait(std::__1::unique_lock&)<"
	  "std::__1::__assoc_sub_state::__sub_wait(std::__1::unique_lock&)<main" },
	{ .what = "once", "futex", 'S', 0, FUTEX, CAUSE_ONCE, "@__pthread_once_slow<get_table" },
	{ .what = "allocator", "futex", 'S', 0, FUTEX, CAUSE_MALLOC_LOCK,
	  "@__lll_lock_wait_private<@malloc<make_node" },
	{ .what = "jemalloc", "futex", 'S', 0, FUTEX, CAUSE_MALLOC_LOCK,
	  "@pthread_mutex_lock<je_arena_choose<je_malloc_default" },
	{ .what = "answer to a query", "poll", 'S', 0, POLL, CAUSE_NET_RECV,
	  "@poll<pqSocketPoll<pqWaitTimed<pqWait<PQgetResult<PQexec<query" },
	{ .what = "name server", "poll", 'S', 0, POLL, CAUSE_DNS,
	  "@poll<@__res_context_send<@getaddrinfo<connect_to" },

	/* CPython 3.11 */
	{ .what = "GIL", "futex", 'S', 0, FUTEX, CAUSE_GIL,
	  "@pthread_cond_timedwait<take_gil<app.py:work:3<app.py:^module>:9", .program = PYTHON },
	{ .what = "GIL, no symbols", "futex", 'S', 0, FUTEX, CAUSE_GIL,
	  "@pthread_cond_timedwait<#<app.py:work:3", .module = "/usr/bin/python3.11",
	  .program = PYTHON },
	{ .what = "a library of its own", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_timedwait<#<app.py:work:3", .module = "/usr/lib/libblas.so.3",
	  .program = PYTHON },
	{ .what = "SimpleQueue in a job", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  SEM "<_queue_SimpleQueue_get<app.py:job:3<concurrent/futures/thread.py:_worker:83",
	  .program = PYTHON },
	{ .what = "idle executor, no symbols", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  SEM "<#<concurrent/futures/thread.py:_worker:81", CLASS_IDLE,
	  .module = "/usr/lib/python3/_queue.cpython-311-x86_64-linux-gnu.so", .program = PYTHON },
	{ .what = "SimpleQueue of another program", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  SEM "<_queue_SimpleQueue_get_impl<app.py:main:7", .program = PYTHON },
	{ .what = "idle executor", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  SEM "<_queue_SimpleQueue_get<concurrent/futures/thread.py:_worker:81<"
	  "threading.py:run:975",
	  CLASS_IDLE, .program = PYTHON },
	{ .what = "executor with a job", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  SEM "<lock_PyThread_acquire_lock<app.py:job:5<concurrent/futures/thread.py:_worker:83",
	  .program = PYTHON },
	{ .what = "Queue.get", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  SEM "<lock_PyThread_acquire_lock<threading.py:Condition.wait:320<"
	  "queue.py:Queue.get:171<app.py:main:2", .program = PYTHON },
	{ .what = "Future.result", "futex", 'S', 0, FUTEX, CAUSE_FUTURE,
	  SEM "<lock_PyThread_acquire_lock<threading.py:Condition.wait:320<"
	  "concurrent/futures/_base.py:Future.result:451<app.py:main:2", .program = PYTHON },
	{ .what = "Thread.join", "futex", 'S', 0, FUTEX, CAUSE_JOIN,
	  SEM "<lock_PyThread_acquire_lock<threading.py:Thread._wait_for_tstate_lock:1132<"
	  "threading.py:Thread.join:1112<app.py:main:2", .program = PYTHON },
	{ .what = "Event.wait", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  SEM "<lock_PyThread_acquire_lock<threading.py:Condition.wait:320<app.py:main:2",
	  .program = PYTHON },
	{ .what = "Lock.acquire", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  SEM "<lock_PyThread_acquire_lock<app.py:main:2", .program = PYTHON },
	{ .what = "asyncio without work", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<select_epoll_poll<selectors.py:EpollSelector.select:468<"
	  "asyncio/base_events.py:BaseEventLoop._run_once:1884<asyncio/runners.py:run:118",
	  CLASS_IDLE, .program = PYTHON },
	{ .what = "time.sleep on the loop", "clock_nanosleep", 'S', 0,
	  "do_nanosleep<hrtimer_nanosleep",
	  CAUSE_SLEEP, "@clock_nanosleep<time_sleep<app.py:handler:4<asyncio/events.py:_run:80<"
	  "asyncio/base_events.py:BaseEventLoop._run_once:1922", CLASS_BAD, .program = PYTHON },
	{ .what = "GIL on the loop", "futex", 'S', 0, FUTEX, CAUSE_GIL,
	  "@pthread_cond_timedwait<take_gil<app.py:handler:4<"
	  "asyncio/base_events.py:BaseEventLoop._run_once:1922", .program = PYTHON },
	{ .what = "uvloop without work", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<#<#uv_run<asyncio/runners.py:Runner.run:118<app.py:main:2", CLASS_IDLE,
	  .module = "/usr/lib/x86_64-linux-gnu/libuv.so.1.0.0", .program = PYTHON },
	{ .what = "time.sleep on uvloop", "clock_nanosleep", 'S', 0,
	  "do_nanosleep<hrtimer_nanosleep", CAUSE_SLEEP,
	  "@clock_nanosleep<app.py:handler:4<#<uv_run<#<asyncio/runners.py:Runner.run:118",
	  CLASS_BAD, .module = "/usr/lib/uvloop/loop.cpython-311-x86_64-linux-gnu.so",
	  .program = PYTHON },
	{ .what = "execSync of a Node that has libuv apart", "epoll_wait", 'S', 0, EPOLL,
	  CAUSE_POLL, "@epoll_wait<#<#uv_run<node::SyncProcessRunner::TryInitializeAndRunLoop",
	  .module = "/usr/lib/x86_64-linux-gnu/libuv.so.1.0.0" },
	{ .what = "http.server", "poll", 'S', 0, POLL, CAUSE_POLL,
	  "@poll<select_poll_poll<selectors.py:EpollSelector.select:415<"
	  "socketserver.py:BaseServer.serve_forever:232",
	  CLASS_IDLE, .program = PYTHON },
	{ .what = "pool of processes", "read", 'S', 0, "anon_pipe_read<vfs_read<ksys_read",
	  CAUSE_PIPE,
	  "@read<os_read<multiprocessing/connection.py:Connection._recv:395<"
	  "multiprocessing/connection.py:recv_bytes:216<"
	  "multiprocessing/queues.py:SimpleQueue.get:367<"
	  "multiprocessing/pool.py:worker:114", CLASS_IDLE, .program = PYTHON },
};
/* clang-format on */

const struct seen_table seen_libraries = { waits, ARRAY_LEN(waits) };

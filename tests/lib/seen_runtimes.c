/* SPDX-License-Identifier: Apache-2.0 */
/* What Java, Go, Rust and Node call it. */
#include "lib/seen.h"

#define FUTEX "futex_do_wait<__futex_wait<futex_wait<do_futex<__x64_sys_futex"
#define EPOLL "schedule_hrtimeout_range_clock<do_epoll_wait<__x64_sys_epoll_wait"
#define READ "io_schedule<folio_wait_bit_common<filemap_get_pages<filemap_read<vfs_read"
#define TIMED "@__futex_abstimed_wait_common<@pthread_cond_timedwait"
#define JVM "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so"

/* clang-format off */
static const struct seen waits[] = {
	/* OpenJDK 17 */
	{ .what = "synchronized", "futex", 'S', 0, FUTEX, CAUSE_MONITOR,
	  TIMED "<os::PlatformEvent::park(long)<ObjectMonitor::EnterI(JavaThread*)<"
	  "ObjectMonitor::enter(JavaThread*)<Account.transfer", .program = JVM },
	{ .what = "Object.wait", "futex", 'S', 0, FUTEX, CAUSE_OBJECT_WAIT,
	  TIMED "<os::PlatformEvent::park(long)<ObjectMonitor::wait(long, bool, JavaThread*)",
	  .program = JVM },
	{ .what = "Thread.sleep", "futex", 'S', 0, FUTEX, CAUSE_SLEEP,
	  TIMED "<os::PlatformEvent::park(long)<JavaThread::sleep(long)<JVM_Sleep",
	  .program = JVM },
	{ .what = "park", "futex", 'S', 0, FUTEX, CAUSE_PARK,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park", .program = JVM },
	{ .what = "ReentrantLock", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<java.util.concurrent.locks."
	  "AbstractQueuedSynchronizer.acquire<java.util.concurrent.locks.ReentrantLock.lock",
	  .program = JVM },
	{ .what = "CountDownLatch", "futex", 'S', 0, FUTEX, CAUSE_SEMAPHORE,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<java.util.concurrent.locks."
	  "AbstractQueuedSynchronizer.acquire<java.util.concurrent.CountDownLatch.await",
	  .program = JVM },
	{ .what = "BlockingQueue.take by a program", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<java.util.concurrent.locks."
	  "AbstractQueuedSynchronizer$ConditionObject.await<"
	  "java.util.concurrent.LinkedBlockingQueue.take<Consumer.run", .program = JVM },
	{ .what = "Future.get", "futex", 'S', 0, FUTEX, CAUSE_FUTURE,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<java.util.concurrent.FutureTask.awaitDone<"
	  "java.util.concurrent.FutureTask.get<Main.main", .program = JVM },
	{ .what = "a pool without work", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "java.util.concurrent.LinkedBlockingQueue.take<"
	  "java.util.concurrent.ThreadPoolExecutor.getTask", CLASS_IDLE, .program = JVM },
	/* names as the JVM writes them; OpenJDK 17 and 25 */
	{ .what = "Thread.join", "futex", 'S', 0, FUTEX, CAUSE_JOIN,
	  TIMED "<os::PlatformEvent::park()<ObjectMonitor::wait(long, bool, JavaThread*)<"
	  "JVM_MonitorWait<void java.lang.Object.wait(long)<void java.lang.Thread.join(long)<"
	  "void java.lang.Thread.join()<void Kinds.join()", .program = JVM },
	{ .what = "ReentrantReadWriteLock", "futex", 'S', 0, FUTEX, CAUSE_RWLOCK,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "void jdk.internal.misc.Unsafe.park(boolean, long)<"
	  "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)<"
	  "void java.util.concurrent.locks.AbstractQueuedLongSynchronizer.acquireShared(long)<"
	  "void java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock()",
	  .program = JVM },
	{ .what = "StampedLock", "futex", 'S', 0, FUTEX, CAUSE_RWLOCK,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "long java.util.concurrent.locks.StampedLock.acquireWrite(boolean, boolean, long)<"
	  "long java.util.concurrent.locks.StampedLock.writeLock()<void Kinds.stampIt()",
	  .program = JVM },
	{ .what = "CyclicBarrier", "futex", 'S', 0, FUTEX, CAUSE_BARRIER,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "void java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await()<"
	  "int java.util.concurrent.CyclicBarrier.dowait(boolean, long)<"
	  "int java.util.concurrent.CyclicBarrier.await()<void Kinds.meet()", .program = JVM },
	{ .what = "Condition.await", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "void java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await()<"
	  "void Kinds.awaitCond()", .program = JVM },
	{ .what = "BlockingQueue.put", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  TIMED "<Parker::park(bool, long)<Unsafe_Park<"
	  "void java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await()<"
	  "void java.util.concurrent.ArrayBlockingQueue.put(java.lang.Object)<void Kinds.put()",
	  .program = JVM },
	{ .what = "a timer without a task", "futex", 'S', 0, FUTEX, CAUSE_OBJECT_WAIT,
	  TIMED "<os::PlatformEvent::park()<ObjectMonitor::wait(long, bool, JavaThread*)<"
	  "void java.lang.Object.wait(long)<void java.util.TimerThread.mainLoop()<"
	  "void java.util.TimerThread.run()", CLASS_IDLE, .program = JVM },
	{ .what = "safepoint", "futex", 'S', 0, FUTEX, CAUSE_SAFEPOINT,
	  "@syscall<SafepointSynchronize::block(JavaThread*)<Main.main", .program = JVM },
	{ .what = "operation of the VM", "futex", 'S', 0, FUTEX, CAUSE_SAFEPOINT,
	  "@pthread_cond_wait<Monitor::wait(long)<VMThread::wait_until_executed(VM_Operation*)",
	  .program = JVM },
	{ .what = "worker of the collector", "futex", 'S', 0, FUTEX, CAUSE_SEMAPHORE,
	  "@__new_sem_wait_slow64<PosixSemaphore::wait()<GangWorker::loop()", CLASS_IDLE,
	  .program = JVM },
	{ .what = "launcher", "futex", 'S', 0, FUTEX, CAUSE_JOIN,
	  "@__pthread_clockjoin_ex<CallJavaMainInNewThread<JLI_Launch", CLASS_IDLE,
	  .program = JVM },
	{ .what = "end of main()", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<Monitor::wait(long)<Threads::destroy_vm()<JavaMain", CLASS_IDLE,
	  .program = JVM },
	{ .what = "selector", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<Java_sun_nio_ch_EPoll_wait<sun.nio.ch.EPoll.wait", CLASS_IDLE,
	  .program = JVM },
	{ .what = "finalizer", "futex", 'S', 0, FUTEX, CAUSE_OBJECT_WAIT,
	  "@pthread_cond_wait<ObjectMonitor::wait(long)<java.lang.ref.ReferenceQueue.remove<"
	  "java.lang.ref.Finalizer$FinalizerThread.run", CLASS_IDLE, .program = JVM },
	{ .what = "compiler thread without names", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<#", CLASS_IDLE, .module = "/usr/lib/jvm/lib/server/libjvm.so",
	  .thread = "C2 CompilerThre" },
	{ .what = "a thread of that name elsewhere", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<#", .module = "/opt/app", .thread = "C2 CompilerThre" },

	/* Go 1.19 */
	{ .what = "idle M", "futex", 'S', 0, FUTEX, CAUSE_FUTEX,
	  "runtime.futex.abi0<runtime.futexsleep<runtime.notesleep<runtime.stopm<"
	  "runtime.findRunnable<runtime.schedule<runtime.mcall", CLASS_IDLE },
	{ .what = "idle in epoll", "epoll_pwait", 'S', 0, EPOLL, CAUSE_POLL,
	  "runtime.epollwait.abi0<runtime.netpoll<runtime.findRunnable", CLASS_IDLE },
	{ .what = "lock of the run time", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "runtime.futex.abi0<runtime.futexsleep<runtime.lock2<runtime.findRunnable" },
	{ .what = "stop the world", "futex", 'S', 0, FUTEX, CAUSE_GC,
	  "runtime.futex.abi0<runtime.futexsleep<runtime.notetsleep<"
	  "runtime.stopTheWorldWithSema<runtime.gcStart" },
	{ .what = "signals", "futex", 'S', 0, FUTEX, CAUSE_FUTEX,
	  "runtime.futex.abi0<runtime.notetsleepg<os/signal.signal_recv<os/signal.loop",
	  CLASS_IDLE },
	{ .what = "system call of a goroutine", "read", 'S', 0, "anon_pipe_read<vfs_read",
	  CAUSE_PIPE,
	  "syscall.Syscall<syscall.read<main.main" },

	/* Rust 1.95 */
	{ .what = "Mutex", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "@syscall<std::sys::sync::mutex::futex::Mutex::lock_contended<main::work" },
	{ .what = "RwLock", "futex", 'S', 0, FUTEX, CAUSE_RWLOCK,
	  "@syscall<std::sys::sync::rwlock::futex::RwLock::read_contended<main::work" },
	{ .what = "Condvar", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@syscall<std::sys::sync::condvar::futex::Condvar::wait<main::work" },
	{ .what = "channel", "futex", 'S', 0, FUTEX, CAUSE_QUEUE,
	  "@syscall<std::thread::thread::Thread::park<std::sync::mpmc::list::Channel^T>::recv" },
	{ .what = "Once", "futex", 'S', 0, FUTEX, CAUSE_ONCE,
	  "@syscall<std::sys::sync::once::futex::Once::call<main::table" },
	{ .what = "park", "futex", 'S', 0, FUTEX, CAUSE_PARK,
	  "@syscall<std::thread::functions::park<main::work" },
	{ .what = "Tokio without work", "epoll_wait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_wait<mio::sys::unix::selector::epoll::Selector::select<"
	  "tokio::runtime::io::driver::Driver::turn<"
	  "tokio::runtime::scheduler::multi_thread::park::Parker::park<"
	  "tokio::runtime::scheduler::multi_thread::worker::Context::park_timeout", CLASS_IDLE },
	{ .what = "a task that blocks its worker", "futex", 'S', 0, FUTEX, CAUSE_LOCK,
	  "@syscall<std::sys::sync::mutex::futex::Mutex::lock_contended<app::handler<"
	  "tokio::runtime::scheduler::multi_thread::worker::Context::run_task", CLASS_BAD },
	{ .what = "blocking pool", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@syscall<std::sys::sync::condvar::futex::Condvar::wait_timeout<"
	  "tokio::runtime::blocking::pool::Inner::run", CLASS_IDLE },
	{ .what = "blocking pool of Tokio 1.24", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@syscall<std::sys::sync::condvar::futex::Condvar::wait_optional_timeout<"
	  "tokio::runtime::blocking::pool::Inner::run<std::sys::backtrace::"
	  "__rust_begin_short_backtrace", CLASS_IDLE },
	{ .what = "a job of that pool", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@syscall<std::sys::sync::condvar::futex::Condvar::wait_optional_timeout<app::job<"
	  "tokio::runtime::task::core::Core^T,S>::poll<"
	  "tokio::runtime::task::harness::Harness^T,S>::poll<"
	  "tokio::runtime::blocking::pool::Inner::run" },
	{ .what = "rayon", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@syscall<std::sys::sync::condvar::futex::Condvar::wait<"
	  "rayon_core::sleep::Sleep::sleep<rayon_core::registry::WorkerThread::wait_until_cold",
	  CLASS_IDLE },

	/* Node 18 */
	{ .what = "Node without work", "epoll_pwait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_pwait<uv__io_poll<uv_run<node::SpinEventLoop(node::Environment*)", CLASS_IDLE },
	{ .what = "readFileSync", "read", 'D', WAIT_IOWAIT, READ, CAUSE_DISK,
	  "@pread64<uv__fs_work<uv_fs_read<node::fs::Read<uv_run<"
	  "node::SpinEventLoop(node::Environment*)", CLASS_BAD },
	{ .what = "execSync", "epoll_pwait", 'S', 0, EPOLL, CAUSE_POLL,
	  "@epoll_pwait<uv__io_poll<uv_run<node::SyncProcessRunner::Run(v8::Local)<uv_run<"
	  "node::SpinEventLoop(node::Environment*)", CLASS_BAD },
	{ .what = "pool of libuv", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<uv_cond_wait<worker<@start_thread", CLASS_IDLE },
	{ .what = "a thread of libuv waits for another one", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<uv_cond_wait<await_frame<render<uv__thread_start<@start_thread" },
	{ .what = "pool of libuv at work", "read", 'D', WAIT_IOWAIT, READ, CAUSE_DISK,
	  "@pread64<uv__fs_work<uv__queue_work<worker" },
	{ .what = "platform of Node", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<node::TaskQueue^v8::Task>::BlockingPop()", CLASS_IDLE },
	{ .what = "inspector", "futex", 'S', 0, FUTEX, CAUSE_SEMAPHORE,
	  "@__new_sem_wait_slow64<uv_sem_wait<"
	  "node::inspector::(anonymous namespace)::StartIoThreadMain(void*)", CLASS_IDLE },
	{ .what = "worker of V8", "futex", 'S', 0, FUTEX, CAUSE_COND,
	  "@pthread_cond_wait<v8::platform::DelayedTaskQueue::GetNext()", CLASS_IDLE },
};
/* clang-format on */

const struct seen_table seen_runtimes = { waits, ARRAY_LEN(waits) };

/* What goroutines wait for, as Go 1.19 and later versions call it. */
#define PROGRAM "/srv/shop/shop"
#define PARK "runtime.gopark<"
#define SEMAPHORE PARK "runtime.semacquire1<"
#define MUTEX SEMAPHORE "sync.runtime_SemacquireMutex<"
#define NETPOLL "[IO wait]<" PARK "runtime.netpollblock<internal/poll.runtime_pollWait<"
#define NET_READ NETPOLL "internal/poll.(*FD).Read<net.(*netFD).Read<net.(*conn).Read<"

#define LIB "/usr/lib/python3.11/asyncio/"
#define APP "/srv/shop/app.py:"

#define ACQUIRE "[tokio::sync::batch_semaphore::Acquire]<"
#define READINESS "[tokio::runtime::io::scheduled_io::Readiness]<"

#define TASK(what, cause, user, ...)                                                               \
	{                                                                                          \
		what, NULL, 'S', 0, "", cause, user, ##__VA_ARGS__, .program = PROGRAM,            \
								    .task = true                   \
	}

/* clang-format off */
static const struct seen tasks[] = {
	TASK("Mutex, Go 1.19", CAUSE_LOCK,
	     "[semacquire]<" MUTEX "sync.(*Mutex).lockSlow<main.pay"),
	TASK("Mutex, Go 1.20", CAUSE_LOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE "sync.(*Mutex).lockSlow<main.pay"),
	TASK("Mutex, Go 1.26", CAUSE_LOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE "internal/sync.(*Mutex).lockSlow<main.pay"),
	TASK("a writer behind a writer", CAUSE_RWLOCK,
	     "[sync.Mutex.Lock]<" SEMAPHORE
	     "sync.(*Mutex).lockSlow<sync.(*RWMutex).Lock<main.store"),
	TASK("RWMutex, Go 1.19", CAUSE_RWLOCK,
	     "[semacquire]<" MUTEX "sync.(*RWMutex).RLock<main.look"),
	TASK("RWMutex, Go 1.20", CAUSE_RWLOCK,
	     "[sync.RWMutex.Lock]<" SEMAPHORE "sync.(*RWMutex).Lock<main.store"),
	TASK("Cond", CAUSE_COND,
	     "[sync.Cond.Wait]<" PARK "sync.runtime_notifyListWait<sync.(*Cond).Wait<main.take"),
	TASK("WaitGroup, Go 1.19", CAUSE_JOIN,
	     "[semacquire]<" SEMAPHORE "sync.runtime_Semacquire<sync.(*WaitGroup).Wait<main.main"),
	TASK("WaitGroup, Go 1.25", CAUSE_JOIN,
	     "[sync.WaitGroup.Wait]<" SEMAPHORE "sync.(*WaitGroup).Wait<main.main"),
	TASK("a semaphore of another library", CAUSE_SEMAPHORE,
	     "[semacquire]<" SEMAPHORE
	     "internal/poll.runtime_Semacquire<internal/poll.(*FD).Close"),
	TASK("Accept", CAUSE_NET_ACCEPT,
	     NETPOLL "internal/poll.(*FD).Accept<net.(*netFD).accept<main.serve", CLASS_IDLE),
	TASK("Dial", CAUSE_NET_CONNECT,
	     NETPOLL "internal/poll.(*pollDesc).waitWrite<net.(*netFD).connect<net.(*netFD).dial"),
	TASK("Write to a connection", CAUSE_NET_SEND,
	     NETPOLL "internal/poll.(*FD).Write<net.(*netFD).Write<net.(*conn).Write<main.send"),
	TASK("Read of a connection", CAUSE_NET_RECV, NET_READ "main.ask"),
	TASK("Read of a pipe", CAUSE_POLL,
	     NETPOLL "internal/poll.(*FD).Read<os.(*File).read<os.(*File).Read<main.pipe"),
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
	TASK("a goroutine of the run time", CAUSE_QUEUE,
	     "[chan receive]<" PARK "runtime.chanrecv<runtime.chanrecv1<"
	     "runtime.unique_runtime_registerUniqueMapCleanup.gowrap1", CLASS_IDLE,
	     .thread = "runtime.unique_runtime_registerUniqueMapCleanup.gowrap1"),
	TASK("help for the collector", CAUSE_GC,
	     "[GC assist wait]<" PARK "runtime.gcParkAssist<runtime.mallocgc<main.build"),
	TASK("a system call", CAUSE_SYSCALL,
	     "[system call]<syscall.Syscall<os.(*File).Sync<main.save"),
	{ "a system call whose thread is known", "fsync", 'D', 0,
	  "submit_bio_wait<blkdev_issue_flush<ext4_sync_file<do_fsync<__x64_sys_fsync",
	  CAUSE_DISK_SYNC, "[system call]<syscall.Syscall<os.(*File).Sync<main.save",
	  .program = PROGRAM, .task = true },
	{ "a system call without kernel stacks", "flock", 'S', 0, "", CAUSE_FILE_LOCK,
	  "[system call]<syscall.Syscall<syscall.Flock<main.lock", .program = PROGRAM,
	  .task = true },
	{ "a goroutine that runs, of which a page is read", NULL, 'D', 0,
	  "folio_wait_bit_common<filemap_fault<__do_fault<handle_mm_fault<exc_page_fault",
	  CAUSE_FAULT, "[running]<main.sum<main.main", .program = PROGRAM, .task = true },
	{ "the goroutine of signals", "futex", 'S', 0, "futex_do_wait<do_futex<__x64_sys_futex",
	  CAUSE_FUTEX,
	  "[system call]<runtime.notetsleepg<os/signal.signal_recv<os/signal.loop", CLASS_IDLE,
	  .program = PROGRAM, .task = true },
	TASK("a connection kept open, net/http", CAUSE_NET_RECV,
	     NET_READ "net/http.(*connReader).Read<bufio.(*Reader).Peek<net/http.(*conn).serve",
	     CLASS_IDLE),
	TASK("the watch of a connection, net/http", CAUSE_NET_RECV,
	     NET_READ "net/http.(*connReader).backgroundRead", CLASS_IDLE),
	TASK("a handler that reads, net/http", CAUSE_NET_RECV,
	     NET_READ "main.ask<main.handle<net/http.HandlerFunc.ServeHTTP<net/http.(*conn).serve"),
	TASK("a connection of a client, net/http", CAUSE_NET_RECV,
	     NET_READ "bufio.(*Reader).Peek<net/http.(*persistConn).readLoop", CLASS_IDLE),
	TASK("the opener of connections, database/sql", CAUSE_QUEUE,
	     "[select]<" PARK "runtime.selectgo<database/sql.(*DB).connectionOpener", CLASS_IDLE),
	{ "a call that blocks the loop of asyncio", "clock_nanosleep", 'S', 0,
	  "hrtimer_nanosleep<common_nsleep", CAUSE_SLEEP, "[running]<" APP "block:9<" APP "pay:7",
	  CLASS_BAD, .program = PROGRAM, .task = true },
	{ "a task of asyncio that may wait for the interpreter lock", "futex", 'S', 0,
	  "futex_do_wait<do_futex", CAUSE_FUTEX, "[running]<" APP "sum:9<" APP "pay:7",
	  .program = PROGRAM, .task = true },
	/* tasks of asyncio: names are qualified since Python 3.11 */
	TASK("Lock, Python 3.11", CAUSE_LOCK,
	     "[future]<" LIB "locks.py:Lock.acquire:120<" APP "pay:7"),
	TASK("Lock, Python 3.8", CAUSE_LOCK, "[future]<" LIB "locks.py:acquire:203<" APP "pay:7"),
	TASK("a lock taken again by a condition", CAUSE_LOCK,
	     "[future]<" LIB "locks.py:Lock.acquire:120<" LIB "locks.py:Condition.wait:280<" APP
	     "take:7"),
	TASK("Semaphore", CAUSE_SEMAPHORE,
	     "[future]<" LIB "locks.py:Semaphore.acquire:390<" APP "limit:7"),
	TASK("Barrier", CAUSE_BARRIER,
	     "[future]<" LIB "locks.py:Condition.wait:280<" LIB "locks.py:Barrier._wait:510<" APP
	     "step:7"),
	TASK("Event", CAUSE_COND, "[future]<" LIB "locks.py:Event.wait:213<" APP "until:7"),
	TASK("Queue", CAUSE_QUEUE, "[future]<" LIB "queues.py:Queue.get:158<" APP "handle:7"),
	TASK("Queue of a worker", CAUSE_QUEUE,
	     "[future]<" LIB "queues.py:Queue.get:158<" APP "worker:7", CLASS_IDLE),
	TASK("Queue in a file of workers", CAUSE_QUEUE,
	     "[future]<" LIB "queues.py:Queue.get:158</srv/shop/worker.py:handle:7"),
	TASK("Queue.join", CAUSE_JOIN, "[future]<" LIB "queues.py:Queue.join:215<" APP "main:7"),
	TASK("asyncio.sleep", CAUSE_SLEEP, "[future]<" LIB "tasks.py:sleep:639<" APP "retry:7"),
	TASK("getaddrinfo", CAUSE_DNS,
	     "[future]<" LIB "base_events.py:BaseEventLoop.getaddrinfo:867<" APP "ask:7"),
	TASK("a server", CAUSE_NET_ACCEPT,
	     "[future]<" LIB "base_events.py:Server.serve_forever:369<" APP "main:7", CLASS_IDLE),
	TASK("sock_connect", CAUSE_NET_CONNECT,
	     "[future]<" LIB "selector_events.py:BaseSelectorEventLoop.sock_connect:634<" APP
	     "ask:7"),
	TASK("drain", CAUSE_NET_SEND,
	     "[future]<" LIB "streams.py:FlowControlMixin._drain_helper:173<" LIB
	     "streams.py:StreamWriter.drain:378<" APP "send:7"),
	TASK("StreamReader", CAUSE_NET_RECV,
	     "[future]<" LIB "streams.py:StreamReader._wait_for_data:522<" LIB
	     "streams.py:StreamReader.read:689<" APP "ask:7"),
	TASK("an answer, aiohttp", CAUSE_NET_RECV,
	     "[future]</srv/lib/aiohttp/streams.py:StreamReader._wait:290<" APP "ask:7"),
	TASK("a connection kept open, aiohttp", CAUSE_NET_RECV,
	     "[future]</srv/lib/aiohttp/web_protocol.py:RequestHandler.start:469", CLASS_IDLE),
	TASK("uvicorn", CAUSE_SLEEP,
	     "[future]<" LIB "tasks.py:sleep:639</srv/lib/uvicorn/server.py:Server.main_loop:220",
	     CLASS_IDLE),
	TASK("a child process", CAUSE_CHILD,
	     "[future]<" LIB "base_subprocess.py:BaseSubprocessTransport._wait:233<" LIB
	     "subprocess.py:Process.wait:137<" APP "build:7"),
	TASK("gather", CAUSE_JOIN, "[gather]<" APP "main:7"),
	TASK("another task", CAUSE_JOIN, "[task price]<" APP "main:7"),
	TASK("asyncio.wait", CAUSE_JOIN,
	     "[future]<" LIB "tasks.py:_wait:476<" LIB "tasks.py:wait:400<" APP "main:7"),
	TASK("work in a pool", CAUSE_FUTURE, "[future]<" APP "convert:7"),
	/* tasks of Tokio: the word is a type, whose arguments are in '^' */
	TASK("Mutex::lock", CAUSE_LOCK,
	     ACQUIRE "tokio::sync::mutex::acquire<tokio::sync::mutex::lock<shop::pay"),
	TASK("RwLock::read", CAUSE_RWLOCK, ACQUIRE "tokio::sync::rwlock::read<shop::look"),
	TASK("OnceCell", CAUSE_ONCE, ACQUIRE "tokio::sync::once_cell::get_or_init<shop::pool"),
	TASK("Semaphore::acquire", CAUSE_SEMAPHORE,
	     ACQUIRE "tokio::sync::semaphore::acquire<shop::limit"),
	TASK("a full channel", CAUSE_QUEUE,
	     ACQUIRE "tokio::sync::mpsc::bounded::reserve_inner<tokio::sync::mpsc::bounded::send<"
	     "shop::worker"),
	TASK("Receiver::recv", CAUSE_QUEUE,
	     "[tokio::future::poll_fn::PollFn]<tokio::sync::mpsc::bounded::recv<shop::handle"),
	TASK("Receiver::recv of a worker", CAUSE_QUEUE,
	     "[core::future::poll_fn::PollFn]<tokio::sync::mpsc::unbounded::recv<shop::worker",
	     CLASS_IDLE),
	TASK("what a worker of Tokio waits for in its work", CAUSE_QUEUE,
	     "[core::future::poll_fn::PollFn]<tokio::sync::mpsc::unbounded::recv<shop::ask<"
	     "shop::worker"),
	TASK("broadcast", CAUSE_QUEUE, "[tokio::sync::broadcast::Recv]<shop::follow"),
	TASK("Barrier::wait", CAUSE_BARRIER,
	     "[core::future::poll_fn::PollFn]<tokio::sync::barrier::wait<shop::step"),
	TASK("Notify", CAUSE_COND, "[tokio::sync::notify::Notified]<shop::until"),
	TASK("tokio::time::sleep", CAUSE_SLEEP, "[tokio::time::sleep::Sleep]<shop::retry"),
	TASK("Interval::tick", CAUSE_SLEEP,
	     "[core::future::poll_fn::PollFn]<tokio::time::interval::tick<shop::poll"),
	TASK("a JoinHandle", CAUSE_JOIN, "[task shop::fetch]<shop::main"),
	TASK("a JoinHandle of an unknown type", CAUSE_JOIN,
	     "[tokio::runtime::task::join::JoinHandle]<shop::main"),
	TASK("JoinSet", CAUSE_JOIN,
	     "[core::future::poll_fn::PollFn]<tokio::task::join_set::join_next<shop::main"),
	TASK("a name to look up", CAUSE_DNS,
	     "[tokio::net::addr::sealed::MaybeReady]<tokio::net::tcp::stream::connect<shop::ask"),
	TASK("TcpListener::accept", CAUSE_NET_ACCEPT,
	     READINESS "tokio::net::tcp::listener::accept<shop::serve", CLASS_IDLE),
	TASK("TcpStream::connect", CAUSE_NET_CONNECT,
	     "[core::future::poll_fn::PollFn]<tokio::net::tcp::stream::connect_mio<"
	     "tokio::net::tcp::stream::connect<shop::ask"),
	TASK("read_exact of TCP", CAUSE_NET_RECV,
	     "[tokio::io::util::read_exact::ReadExact^tokio::net::tcp::stream::TcpStream>]<"
	     "shop::ask"),
	TASK("write_all to TCP", CAUSE_NET_SEND,
	     "[tokio::io::util::write_all::WriteAll^tokio::net::tcp::stream::TcpStream>]<"
	     "shop::answer"),
	TASK("UdpSocket::recv_from", CAUSE_NET_RECV,
	     READINESS "tokio::net::udp::recv_from<shop::listen"),
	TASK("UdpSocket::send_to", CAUSE_NET_SEND,
	     READINESS "tokio::net::udp::send_to<shop::listen"),
	TASK("TcpStream::readable", CAUSE_NET_RECV,
	     READINESS "tokio::net::tcp::stream::readable<shop::ask"),
	TASK("output of a child", CAUSE_PIPE,
	     "[tokio::io::util::read_to_end::ReadToEnd^tokio::process::ChildStdout>]<shop::run"),
	TASK("read of a unix socket", CAUSE_UNIX,
	     "[tokio::io::util::read::Read^tokio::net::unix::stream::UnixStream>]<shop::run"),
	TASK("Child::wait", CAUSE_CHILD,
	     "[tokio::process::FusedChild]<tokio::process::wait<shop::run"),
	TASK("ctrl_c", CAUSE_SIGNAL,
	     "[core::future::poll_fn::PollFn]<tokio::signal::ctrl_c<shop::main", CLASS_IDLE),
	TASK("a future of another library", CAUSE_FUTURE,
	     "[hyper::client::conn::ResponseFuture]<shop::ask"),
};
/* clang-format on */

const struct seen_table seen_tasks = { tasks, ARRAY_LEN(tasks) };

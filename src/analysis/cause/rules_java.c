/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Java virtual machine. A contended monitor waits in pthread_cond_timedwait, so the JVM's own
 * functions come before those of the C library. A parked thread waits for a lock, a queue or a job,
 * which only the Java frames can tell.
 */
#include "analysis/cause/rule.h"

#define FUTEX "futex_wait futex_wait_queue_me futex_wait_queue futex_do_wait __futex_wait do_futex"
#define PARK "Parker::park* Unsafe_Park *jdk.internal.misc.Unsafe.park* *LockSupport.park*"

/* clang-format off */
static const struct rule rules[] = {
	{ "java/monitor", CAUSE_MONITOR, .kernel = { FUTEX },
	  .user = { "ObjectMonitor::enter* ObjectMonitor::EnterI*" },
	  .seen = "OpenJDK 17; tests/causes java" },
	{ "java/join", CAUSE_JOIN, .kernel = { FUTEX },
	  .user = { "ObjectMonitor::wait* JVM_MonitorWait",
		    "*java.lang.Thread.join* *java.lang.Thread::join*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/object-wait", CAUSE_OBJECT_WAIT, .kernel = { FUTEX },
	  .user = { "ObjectMonitor::wait* JVM_MonitorWait" }, .seen = "OpenJDK 17" },
	{ "java/sleep", CAUSE_SLEEP, .kernel = { FUTEX },
	  .user = { "JVM_Sleep JavaThread::sleep*" },
	  .seen = "OpenJDK 17" },
	{ "java/safepoint", CAUSE_SAFEPOINT, .kernel = { FUTEX }, .seen = "source",
	  .user = { "SafepointSynchronize::* SafepointMechanism::*" } },
	{ "java/vm-operation", CAUSE_SAFEPOINT, .kernel = { FUTEX },
	  .user = { "VMThread::execute* VMThread::wait_until_executed*" }, .seen = "source" },
	{ "java/rwlock", CAUSE_RWLOCK, .kernel = { FUTEX },
	  .user = { PARK, "*ReentrantReadWriteLock$*Lock.lock* *StampedLock.*Lock*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/lock", CAUSE_LOCK, .kernel = { FUTEX }, .user = { PARK,
	  "*AbstractQueued*Synchronizer.acquire* *AbstractQueued*Synchronizer.doAcquire* "
	  "*ReentrantLock*.lock* *AbstractQueuedSynchronizer::acquire*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t",
	  .not_user = "*Semaphore.acquire* *CountDownLatch.await* *ConditionObject.await* "
		      "*CountDownLatch::await* *ConditionObject::await*" },
	{ "java/semaphore", CAUSE_SEMAPHORE, .kernel = { FUTEX },
	  .user = { PARK, "*Semaphore.acquire* *CountDownLatch.await* *Semaphore::acquire* "
			  "*CountDownLatch::await*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/queue", CAUSE_QUEUE, .kernel = { FUTEX },
	  .user = { PARK, "*Queue.take* *Queue.poll* *Queue.put* *Queue.offer* *Queue.transfer* "
			  "*Deque.take* *Deque.poll* *Deque.put* *Deque.offer* "
			  "*Queue::take* *Queue::poll* *Queue::put* *Deque::take*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/barrier", CAUSE_BARRIER, .kernel = { FUTEX },
	  .user = { PARK, "*CyclicBarrier.await* *Phaser.await* *Phaser.arriveAndAwait*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/future", CAUSE_FUTURE, .kernel = { FUTEX },
	  .user = { PARK, "*FutureTask.get* *CompletableFuture.get* *CompletableFuture.join* "
			  "*FutureTask::get* *CompletableFuture::get* *CompletableFuture::join*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/cond", CAUSE_COND, .kernel = { FUTEX },
	  .user = { PARK, "*ConditionObject.await* *ConditionObject::await*" },
	  .seen = "OpenJDK 17, 25; tests/stacks java.t" },
	{ "java/park", CAUSE_PARK, .kernel = { FUTEX }, .user = { PARK },
	  .seen = "OpenJDK 17; tests/causes java" },

	{ "java/idle-vm", .class = CLASS_IDLE, .seen = "OpenJDK 17; tests/causes java",
	  .user = { "GangWorker::loop* WorkerThread::run* *ConcurrentMarkThread::* "
		    "*ConcurrentRefineThread::* *ServiceThread::* VMThread::wait_for_operation* "
		    "VMThread::loop* WatcherThread::sleep* CompileQueue::get* "
		    "NMethodSweeper::sweeper_loop* MonitorDeflationThread::* "
		    "NotificationThread::* os::signal_wait* signal_thread_entry* "
		    "StringDedup*::* JVM_WaitForReferencePendingList "
		    "*Reference.waitForReferencePendingList*" } },
	{ "java/idle-launcher", .class = CLASS_IDLE,
	  .user = { "CallJavaMainInNewThread Threads::destroy_vm* jni_DestroyJavaVM" },
	  .seen = "OpenJDK 17; tests/causes java" },
	{ "java/idle-select", .class = CLASS_IDLE, .seen = "OpenJDK 17",
	  .user = { "Java_sun_nio_ch_EPoll_wait *sun.nio.ch.EPoll.wait*" } },
	{ "java/idle-reference", .class = CLASS_IDLE, .seen = "OpenJDK 17",
	  .user = { "*Finalizer$FinalizerThread.run* *ref.CleanerImpl.run* "
		    "*ref.ReferenceQueue.remove* *Finalizer$FinalizerThread::run* "
		    "*ref.CleanerImpl::run* *ref.ReferenceQueue::remove*" } },
	{ "java/idle-pool", .class = CLASS_IDLE, .seen = "OpenJDK 17; tests/causes java",
	  .user = { "*ThreadPoolExecutor.getTask* *ForkJoinPool.awaitWork* "
		    "*ThreadPoolExecutor::getTask* *ForkJoinPool::awaitWork* "
		    "*java.util.TimerThread.mainLoop* *java.util.TimerThread::mainLoop*" } },
	/* thread names that only the virtual machine gives, if there are no other names */
	{ "java/idle-by-name", .class = CLASS_IDLE, .seen = "OpenJDK 17",
	  .threads = "GC?Thread#* G1?* VM?Thread VM?Periodic?Tas C1?CompilerThre "
		     "C2?CompilerThre Sweeper?thread Signal?Dispatch Service?Thread "
		     "Monitor?Deflati Notification?Th Common-Cleaner Finalizer "
		     "Reference?Handl" },
};
/* clang-format on */

const struct rule_table rules_java = { rules, ARRAY_LEN(rules),
				       "libjvm.so libjli.so libnio.so [java]" };

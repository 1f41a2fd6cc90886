// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/**
 * A thread for each thing that Java waits for. When all of them wait, where they are is written
 * as the JVM itself knows it: "name TAB method;method;...", leaf first, and "ready". Ends after as
 * many milliseconds as its argument says.
 */
public class Kinds {
    interface Job {
        void run() throws Exception;
    }

    static final ReentrantLock HELD = new ReentrantLock();
    static final ReentrantReadWriteLock WRITTEN = new ReentrantReadWriteLock();
    static final StampedLock STAMPED = new StampedLock();
    static final Object ENTERED = new Object();
    static final Object NOTIFIED = new Object();
    static final BlockingQueue<Integer> EMPTY = new LinkedBlockingQueue<>();
    static final BlockingQueue<Integer> FULL = new ArrayBlockingQueue<>(1);
    static final List<Thread> STARTED = new ArrayList<>();
    static Thread sleeper;

    static void lock() {
        HELD.lock();
    }

    static void read() {
        WRITTEN.readLock().lock();
    }

    static void stamp() {
        STAMPED.writeLock();
    }

    static void await() throws Exception {
        ReentrantLock own = new ReentrantLock();
        Condition never = own.newCondition();
        own.lock();
        while (true) {
            never.await();
        }
    }

    static void enter() {
        synchronized (ENTERED) {
            System.exit(0);
        }
    }

    static void waitForNotify() throws Exception {
        synchronized (NOTIFIED) {
            while (true) {
                NOTIFIED.wait();
            }
        }
    }

    static void take() throws Exception {
        EMPTY.take();
    }

    static void put() throws Exception {
        FULL.put(2);
    }

    static void acquire() throws Exception {
        new Semaphore(0).acquire();
    }

    static void latch() throws Exception {
        new CountDownLatch(1).await();
    }

    static void meet() throws Exception {
        new CyclicBarrier(2).await();
    }

    static void get() throws Exception {
        new CompletableFuture<Integer>().get();
    }

    static void join() throws Exception {
        sleeper.join();
    }

    static void park() {
        while (true) {
            LockSupport.park();
        }
    }

    static void sleep() throws Exception {
        Thread.sleep(1_000_000);
    }

    static Thread start(String name, Job job) {
        Thread made = daemon(name, () -> {
            try {
                job.run();
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        made.start();
        return made;
    }

    static Thread daemon(String name, Runnable of) {
        Thread made = new Thread(of, name);
        made.setDaemon(true);
        STARTED.add(made);
        return made;
    }

    static boolean waits(Thread t) {
        Thread.State state = t.getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING
                || state == Thread.State.BLOCKED;
    }

    static void write(Thread t, StackTraceElement[] frames) {
        StringBuilder line = new StringBuilder(t.getName()).append('\t');
        for (StackTraceElement f : frames) {
            line.append(f.getClassName()).append('.').append(f.getMethodName()).append(';');
        }
        System.out.println(line);
    }

    public static void main(String[] args) throws Exception {
        HELD.lock();
        WRITTEN.writeLock().lock();
        STAMPED.writeLock();
        FULL.put(1);
        sleeper = start("sleep", Kinds::sleep);
        start("lock", Kinds::lock);
        start("rwlock", Kinds::read);
        start("stamped", Kinds::stamp);
        start("cond", Kinds::await);
        start("object-wait", Kinds::waitForNotify);
        start("take", Kinds::take);
        start("put", Kinds::put);
        start("semaphore", Kinds::acquire);
        start("latch", Kinds::latch);
        start("barrier", Kinds::meet);
        start("future", Kinds::get);
        start("join", Kinds::join);
        start("park", Kinds::park);
        new Timer("timer", true).schedule(new TimerTask() {
            @Override
            public void run() {
            }
        }, 1_000_000);
        Executors.newFixedThreadPool(1, of -> daemon("pool", of)).submit(() -> {});
        synchronized (ENTERED) {
            start("monitor", Kinds::enter);
            for (int i = 0; !STARTED.stream().allMatch(Kinds::waits) && i < 3000; i++) {
                Thread.sleep(10);
            }
            Thread.getAllStackTraces().forEach(Kinds::write);
            System.out.println("ready");
            Thread.sleep(Long.parseLong(args[0]));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** A producer fetches a batch, which takes a while, and parses it; two consumers want the items. */
public class Pipeline {
    private static final BlockingQueue<Long> QUEUE = new ArrayBlockingQueue<>(16);
    private static volatile long sink;

    private static void fetch() throws InterruptedException {
        Thread.sleep(30);
    }

    private static long parse(long seed) {
        long until = System.nanoTime() + 5_000_000;

        while (System.nanoTime() < until) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
        }
        return seed;
    }

    private static void produce() throws InterruptedException {
        for (long n = 0;; n++) {
            fetch();
            QUEUE.put(parse(n));
        }
    }

    private static void consume() throws InterruptedException {
        while (true) {
            sink += QUEUE.take();
        }
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    private static void start(String name, Body body) {
        new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name).start();
    }

    public static void main(String[] args) {
        start("consumer", Pipeline::consume);
        start("consumer", Pipeline::consume);
        start("producer", Pipeline::produce);
    }
}

// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.regex.Pattern;

/** Interpreted and compiled code, locks, queues and the collector. */
public class Java {
    private static final Pattern WORD = Pattern.compile("([a-z]+)[0-9]*(x|yz)*");
    private static final Object LOCK = new Object();
    private static volatile long sink;

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static int sorts(int n) {
        List<Integer> v = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            v.add(i * 7919 * n % 1009);
        }
        v.sort((a, b) -> a - b);
        Map<String, Integer> m = new HashMap<>();
        v.forEach(x -> m.merge("k" + x % 50, x, Integer::sum));
        return m.values().stream().mapToInt(x -> x).sum();
    }

    static long texts(int n) {
        return WORD.matcher("abc12xyz".repeat(50 + n)).results().count();
    }

    static void work(int n) throws InterruptedException {
        sink += fib(15) + sorts(n) + texts(n);
        synchronized (LOCK) {
            Thread.sleep(0, 300000);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(4);
        for (int i = 1; i < 4; i++) {
            final int n = i;
            Thread t = new Thread(() -> {
                try {
                    for (;;) {
                        work(n);
                        queue.put(n);
                    }
                } catch (InterruptedException e) {
                    return;
                }
            });
            t.setDaemon(true);
            t.start();
        }
        for (;;) {
            sink += queue.take();
        }
    }
}

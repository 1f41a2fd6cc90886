// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** idle: a pool without work. monitor: threads that take turns in a synchronized block. */
public class Server {
    private static final Object HELD = new Object();

    private static void takeTurns() {
        while (true) {
            synchronized (HELD) {
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    public static void main(String[] args) {
        var pool = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            pool.submit(args[0].equals("idle") ? () -> {} : Server::takeTurns);
        }
    }
}

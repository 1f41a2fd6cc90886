// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Classes that are alike except for their names, each in a loader of its own, run in a thread of
 * that name and are forgotten, so that the next ones lie where they lay. Arguments: the directory
 * of the class files C000.class, C001.class, ... and how many there are.
 */
public class Reload {
    static class Loader extends ClassLoader {
        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        for (int i = 0; i < count; i++) {
            String name = String.format("C%03d", i);
            byte[] bytes = Files.readAllBytes(Path.of(args[0], name + ".class"));
            Class<?> made = new Loader().define(name, bytes);
            Constructor<?> constructor = made.getConstructor();
            constructor.setAccessible(true);
            Thread thread = new Thread((Runnable) constructor.newInstance(), name);
            thread.start();
            thread.join();
            if (i % 5 == 4) {
                System.gc();
            }
        }
    }
}

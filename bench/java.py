# SPDX-License-Identifier: Apache-2.0
"""A Java program that the interpreter runs: its stacks are of interpreter frames."""
import shutil
import subprocess

from child import ChildError
from loads import Gated, InDirectory

THREADS = 4
SOURCE = """\
public class Passing {{
    private static final Object turn = new Object();
    private static int who;

    private static void pass(int me) throws InterruptedException {{
        synchronized (turn) {{
            while (who != me)
                turn.wait();
            who = (me + 1) % {threads};
            turn.notifyAll();
        }}
    }}

    private static void go(int me, int rounds) {{
        try {{
            for (int i = 0; i < rounds; i++)
                pass(me);
        }} catch (InterruptedException e) {{
            throw new IllegalStateException(e);
        }}
    }}

    public static void main(String[] args) throws InterruptedException {{
        Thread[] all = new Thread[{threads}];
        int rounds = Integer.parseInt(args[0]);
        for (int i = 0; i < {threads}; i++) {{
            int me = i;
            all[i] = new Thread(() -> go(me, rounds));
            all[i].start();
        }}
        for (Thread t : all)
            t.join();
    }}
}}
"""


class Java(InDirectory):
    """It is compiled once; a run has a JVM of its own, whose start is part of it."""
    name = "java"

    def __init__(self, cpu, rounds):
        super().__init__()
        self.cpu = cpu
        self.rounds = rounds
        self.about = (f"java -Xint, {THREADS} threads that pass a turn {rounds} times on one CPU; "
                      "the JVM is traced")
        if not shutil.which("javac"):
            raise ChildError("no javac")

    def prepare(self):
        self.write("Passing.java", SOURCE.format(threads=THREADS))
        subprocess.run(["javac", self.path("Passing.java")], check=True, timeout=120,
                       stdin=subprocess.DEVNULL)

    def start(self):
        return Gated(["taskset", "-c", str(self.cpu), "java", "-Xint", "-XX:+UseSerialGC", "-cp",
                      self.dir, "Passing", str(self.rounds)])

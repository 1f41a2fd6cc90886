# SPDX-License-Identifier: Apache-2.0
"""The machine as a whole: kernel threads, PID namespaces, a CPU that goes offline and returns."""
import os
import subprocess
import time

import always
import checks
import procfs
from cases import case
from recorder import Recorder
from session import Run, record
from workload import Workload

CPU_ONLINE = "/sys/devices/system/cpu/cpu1/online"


def is_kernel_thread(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            flags = int(f.read().rsplit(")", 1)[1].split()[6])
    except (OSError, IndexError):
        return False
    return bool(flags & 0x00200000)


@case("kernel-threads", ("default", "switch"))
def kernel_threads(env, tap, mode):
    """-a -k: all kernel threads and nothing else."""
    before = {p for p in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_kernel_thread(p)}
    run = Run(mode)
    with Recorder(env.coldspot, ["-a", "-k", "--exact"], mode) as recorder:
        time.sleep(1)
        run.recording = recorder.stop()
    rec = run.recording
    alive = {p for p in before if is_kernel_thread(p)}
    missing = alive - {t.tid for t in rec.tasks}
    tap.report("kernel-threads/all-there", [f"no record of {p}" for p in sorted(missing)][:10])
    tap.report("kernel-threads/no-others", [f"{t}: {sorted(t.flags)}" for t in rec.tasks
                                            if "kthread" not in t.flags][:10])
    idle = [t for t in rec.tasks if t.blocked_by.get("I")]
    tap.report("kernel-threads/state-I", [] if idle else ["no thread is idle in state I"])
    waits = [w for t in rec.tasks for w in t.waits]
    tap.report("kernel-threads/no-user-side",
               [str(w) for w in waits if w.user or w.sysno is not None][:10])
    listed = [w for w in waits if w.state in "SDI" and not w.flags & {"lost", "no_resume", "new"}]
    tap.report("kernel-threads/stacks", [str(w) for w in listed if not w.kernel][:10])
    always.report(tap, "kernel-threads", run)


@case("names", ("default", "switch"))
def names(env, tap, mode):
    """-a: threads that got their names after their birth, and are gone."""
    run = record(env, [env.life, "threads", "20"], mode, target=["-a"])
    have = [t.comm for t in run.recording.tasks if t.tgid == run.pid and "born" in t.flags]
    tap.report("names/are-the-last-ones", [] if have == ["short"] * 20 else [str(have)])


def host_pid_of(wrapper):
    """The child of `unshare`, in our numbers."""
    for _ in range(100):
        with open(f"/proc/{wrapper}/task/{wrapper}/children", encoding="ascii") as f:
            children = f.read().split()
        if children:
            return int(children[0])
        time.sleep(0.02)
    raise RuntimeError("unshare has no child")


@case("pid-namespace", ("default", "switch"))
def pid_namespace(env, tap, mode):
    """The numbers are those of whoever records: inside of a namespace, and from outside into it."""
    wrap = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*wrap, "true"], check=False, capture_output=True).returncode:
        tap.skip("pid-namespace", "unshare --pid is not allowed here")
        return
    for name in ("inside", "outside"):
        run = Run(mode)
        with Workload([*wrap, env.waits, "nanosleep", "pipe-read"]) as workload:
            inner = workload.ready()
            host = host_pid_of(workload.process.pid)
            prefix = ["nsenter", "-t", str(host), "-p", "-m"] if name == "inside" else []
            target = inner if name == "inside" else host
            with Recorder(env.coldspot, ["-p", str(target)], mode, prefix=prefix) as recorder:
                workload.tell("go")
                workload.until("done")
                run.recording = recorder.stop()
            run.events = workload.events
            host_tids = set(procfs.threads_of(host))
        tids = {t.tid for t in run.recording.tasks}
        inner_tids = {e["tid"] for e in run.of("thread")} | {inner}
        want = inner_tids if name == "inside" else host_tids
        problems = [] if tids == want else [f"threads {sorted(tids)}, not {sorted(want)}"]
        sleeper = next((t for t in run.recording.tasks if t.comm == "nanosleep"), None)
        if sleeper:
            waits = sleeper.waits_with("block_nanosleep")
            problems += checks.wait_time("nanosleep", checks.inside(waits),
                                         checks.around(waits, sleeper), run.truth("nanosleep"),
                                         run.each_wait_ns, run.unknown_to(sleeper))
        else:
            problems.append("no record of the sleeper")
        tap.report(f"pid-namespace/{name}", problems)
        always.report(tap, f"pid-namespace/{name}", run)


@case("cpu-hotplug", ("default", "waking"))
def cpu_hotplug(env, tap, mode):
    """A CPU goes offline and comes back under the recording. Only when asked for: it disturbs
    everybody on the machine."""
    if not env.hotplug:
        tap.skip("cpu-hotplug", "give --hotplug: it takes a CPU from everybody for half a second")
        return
    if not os.access(CPU_ONLINE, os.W_OK):
        tap.skip("cpu-hotplug", f"{CPU_ONLINE} is not there to be written")
        return

    def switch_cpu(value):
        with open(CPU_ONLINE, "w", encoding="ascii") as f:
            f.write(value)

    def during(_pid):
        try:
            time.sleep(0.15)
            switch_cpu("0")
            time.sleep(0.3)
        finally:
            switch_cpu("1")

    run = record(env, [env.waits, "nanosleep", "pipe-read", "mutex", "pingpong"], mode,
                 during=during)
    for name in ("nanosleep", "pipe-read"):
        truth = run.truth(name)
        task = run.task(truth["tid"])
        waits = task.waits_with("block_" + name.replace("-", "_"))
        tap.report(f"cpu-hotplug/{name}", checks.wait_time(
            name, checks.inside(waits), checks.around(waits, task), truth, run.each_wait_ns,
            run.unknown_to(task)))
    always.report_parked(tap, "cpu-hotplug", run)
    always.report(tap, "cpu-hotplug", run)

# SPDX-License-Identifier: Apache-2.0
"""One recording around one workload: the workload gets ready, the recording begins, the work is
done, the recording ends, the workload quits. So every wait of the work is inside the window, and
the threads are parked when the kernel's counters are read on both sides of it."""
import checks
import host
import procfs
from recorder import Recorder
from workload import Workload, WorkloadError


class Run:
    def __init__(self, mode):
        self.mode = mode
        self.recording = None
        self.events = []
        self.before = {}
        self.after = {}
        self.pid = None
        self.window_low_ns = 0
        self.window_high_ns = 0
        self.begun_before_ns = 0
        self.begun_after_ns = 0
        self.stolen_ns = 0  # at most this was stolen
        self.summary = ""

    def of(self, kind):
        return [e for e in self.events if e["event"] == kind]

    def truth(self, name):
        return next((e for e in self.of("thread") if e["name"] == name), None)

    def skipped(self, kind):
        """Why the workload left the kind out, or None."""
        return next((e["why"] for e in self.of("skip") if e.get("kind") == kind), None)

    def task(self, tid):
        """The only record of a thread that lived all the time."""
        tasks = self.recording.tasks_of(tid)
        return tasks[0] if len(tasks) == 1 else None

    @property
    def missed(self):
        return self.recording.events_lost("missed_switch")

    @property
    def by_sched_info(self):
        """Are waits split by sched_info?"""
        return "sched_info" in self.recording.header["hooks"]

    def stolen_from(self, task):
        """Time on the CPU that the kernel does not count for the thread, up to all that was stolen:
        the thread's own clocks take it for time off the CPU."""
        if task.tid not in self.after or task.tid not in self.before:
            return 0
        counted = (self.after[task.tid] - self.before[task.tid]).exec_ns
        return min(max(task.on_ns - counted, 0), self.stolen_ns)

    def unknown_to(self, task):
        """What may be missing from the waits of a thread: switches that the kernel did not report,
        and what its clocks call off the CPU though it was stolen."""
        missed = min(task.unaccounted_ns, self.recording.ns_lost("missed_switch"))
        return missed + self.stolen_from(task)

    @property
    def each_wait_ns(self):
        """What a wait may be longer or shorter than the thread's own clocks say."""
        return checks.TIME_EACH_EARLY_NS if "switch" in self.mode else checks.TIME_EACH_NS

    def take_times(self, recorder):
        self.begun_before_ns = recorder.begun_before_ns
        self.begun_after_ns = recorder.begun_after_ns
        self.window_low_ns = recorder.ended_before_ns - recorder.begun_after_ns
        self.window_high_ns = recorder.ended_after_ns - recorder.begun_before_ns
        self.summary = recorder.summary


def record(env, argv, mode="default", options=(), target=None, during=None, ends=False):
    """Runs the workload `argv` under a recording of it, or of `target` (options). `during(pid)` is
    called between "go" and "done"; `ends`: the workload does not come to "done" but ends."""
    run = Run(mode)
    with Workload(argv) as workload:
        run.pid = workload.ready()
        procfs.settle(run.pid)
        run.before = procfs.snapshot(run.pid)
        stolen = host.stolen_ns()
        what = target if target is not None else ["-p", str(run.pid)]
        with Recorder(env.coldspot, [*what, *options], mode) as recorder:
            workload.tell("go")
            if during:
                during(run.pid)
            done = workload.until("done")
            if done:
                procfs.settle(run.pid)
            elif not ends:
                raise WorkloadError("workload ended early")
            run.recording = recorder.stop()
            run.take_times(recorder)
        run.stolen_ns = host.stolen_ns() - stolen + host.TICK_NS
        if not ends:
            run.after = procfs.snapshot(run.pid)
            workload.tell("quit")
        run.events = workload.events
    return run


def record_command(env, argv, mode="default", stdin="", prefix=()):
    """Records a command from its birth to its death; `prefix`: what coldspot itself runs under."""
    run = Run(mode)
    with Recorder(env.coldspot, [], mode, prefix, argv, stdin) as recorder:
        run.recording = recorder.finish()
        run.take_times(recorder)
    return run

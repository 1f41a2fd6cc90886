#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of Perfetto and wprof, written by protoc: what they say is what the recording says."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
COLDSPOT = os.environ["COLDSPOT"]
MS = 1_000_000
done = 0

HEAD = """
packet { clock_snapshot { clocks { clock_id: 6 timestamp: 500000000 }
                          clocks { clock_id: 1 timestamp: 1700000000500000000 } } }
packet { system_info { utsname { release: "6.12.1" machine: "x86_64" } } }
packet { process_tree {
  processes { pid: 100 cmdline: "/usr/bin/web" cmdline: "-v" }
  threads { tid: 101 tgid: 100 name: "old name" } threads { tid: 103 tgid: 103 name: "batch" } } }
"""
# As wprof has them: kernel and user frames in one stack, root first; a path in parts.
STACK = """
packet { trusted_packet_sequence_id: 3 sequence_flags: 1
  track_descriptor { uuid: 7 thread { pid: 100 tid: 101 thread_name: "worker" } }
  interned_data {
    function_names { iid: 1 str: "main" } function_names { iid: 2 str: "__x64_sys_read" }
    function_names { iid: 3 str: "do_syscall_64" } function_names { iid: 4 str: "pipe_read" }
    function_names { iid: 5 str: "entry_SYSCALL_64_after_hwframe" }
    mapping_paths { iid: 1 str: "usr" } mapping_paths { iid: 2 str: "web" }
    mappings { iid: 1 path_string_ids: 1 path_string_ids: 2 }
    frames { iid: 1 function_name_id: 1 mapping_id: 1 } frames { iid: 2 function_name_id: 2 }
    frames { iid: 3 function_name_id: 3 } frames { iid: 4 function_name_id: 4 }
    frames { iid: 5 function_name_id: 5 }
    callstacks { iid: 1 frame_ids: 1 frame_ids: 5 frame_ids: 3 frame_ids: 2 frame_ids: 4 } } }
packet { timestamp: 1010000000 trusted_packet_sequence_id: 3
  track_event { type: TYPE_SLICE_END track_uuid: 7 callstack_iid: 1 } }
"""
# CPU 0 as events. 101 runs, reads from a pipe for 20 ms, waits 1 ms for a CPU, is preempted for 1.
EVENTS = """
packet { ftrace_events { cpu: 0 %s
  event { timestamp: 1000000000 sched_switch { next_comm: "worker" next_pid: 101 } }
  event { timestamp: 1010000000
    sched_switch { prev_comm: "worker" prev_pid: 101 prev_state: 1 next_pid: 0 } }
  event { timestamp: 1031000000 sched_switch { next_comm: "worker" next_pid: 101 } }
  event { timestamp: 1035000000 sched_switch { prev_comm: "worker" prev_pid: 101 prev_state: 256
                                               next_comm: "other" next_pid: 102 } }
  event { timestamp: 1036000000 sched_switch { prev_comm: "other" prev_pid: 102 prev_state: 2
                                               next_comm: "worker" next_pid: 101 } } } }
"""
# CPU 1 as columns, with wakeups of both CPUs. It comes later in the file than CPU 0.
COLUMNS = """
packet { ftrace_events { cpu: 1
  event { timestamp: 1030000000 pid: 55 sched_waking { comm: "worker" pid: 101 target_cpu: 0 } }
  compact_sched { intern_table: "batch" intern_table: "swapper/1"
    switch_timestamp: [1000500000, 2000000, 30000000] switch_prev_state: [0, 2, 0]
    switch_next_pid: [103, 0, 103] switch_next_comm_index: [0, 1, 0]
    waking_timestamp: 1032000000 waking_pid: 103 waking_comm_index: 0 } } }
"""


def ok(good, what, why=""):
    global done
    done += 1
    print(f"{'ok' if good else 'not ok'} {done} - {what}")
    if not good:
        print("# " + str(why).replace("\n", "\n# "))


def encode(text):
    return subprocess.run(["protoc", f"--proto_path={HERE}", "--encode=Trace", "perfetto.proto"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def run(*args):
    return subprocess.run([COLDSPOT, *args], capture_output=True, timeout=60, check=False)


class Imported:
    def __init__(self, scratch, trace, *args):
        path, recording = (os.path.join(scratch, n) for n in ("x.pftrace", "x.coldspot"))
        with open(path, "wb") as f:
            f.write(trace)
        self.result = run("import", *args, path, "-o", recording)
        self.data = None
        if not self.result.returncode and not run("check", recording).returncode:
            self.data = json.loads(run("report", "-f", "json", recording).stdout)
            os.unlink(recording)

    def thread(self, tid):
        return next(t for t in self.data["tasks"] if t["tid"] == tid)

    def waits(self, tid):
        return [w for w in self.data["waits"] if self.data["tasks"][w["task"]]["tid"] == tid]


def times(task):
    return (task["on_ns"], task["preempted_ns"], task["runq_ns"], task["blocked_ns"])


def whole(scratch):
    it = Imported(scratch, encode(HEAD + STACK + EVENTS % "" + COLUMNS))
    if not it.data:
        ok(False, "a trace is imported", it.result.stderr.decode())
        return
    worker, batch, other = (it.thread(tid) for tid in (101, 103, 102))
    ok(times(worker) == (14 * MS, MS, MS, {"S": 20 * MS}), "times of a thread from events", worker)
    ok(times(batch) == (5.5 * MS, 0, .5 * MS, {"D": 29.5 * MS}), "times from columns", batch)
    ok(other["wall_ns"] == MS, "a thread that was not seen before is not counted before", other)
    ok((worker["comm"], worker["tgid"], worker["group_comm"]) == ("worker", 100, "web") and
       batch["group_comm"] == "batch", "names of threads and processes", worker)
    read = next(w for w in it.waits(101) if w["state"] == "S")
    ok((read["cause"], read["syscall"], read["user"], read["kernel"][0]) ==
       ("pipe", "read", ["main"], "pipe_read") or os.uname().machine != "x86_64",
       "a stack of wprof gives the cause", read)
    ok([w["cause"] for w in it.waits(103)] == ["unknown"], "no stack, no cause", it.waits(103))
    header = it.data["header"]
    ok((header["begin_wall_ns"], header["window_ns"], header["kernel"], header["unknown"]) ==
       (1_700_000_001_000_000_000, 36 * MS, "6.12.1", []), "when it was recorded, and on what",
       header)


def parts(scratch):
    packets = encode(HEAD + EVENTS % "" + COLUMNS)
    packed = zlib.compress(packets)
    trace = encode("packet { compressed_packets: \"%s\" }" %
                   "".join(f"\\{b:03o}" for b in packed))
    it = Imported(scratch, trace)
    ok(it.data and times(it.thread(101)) == (14 * MS, MS, MS, {"S": 20 * MS}),
       "compressed packets", it.result.stderr)
    cut = Imported(scratch, encode("packet { compressed_packets: \"%s\" }" %
                                   "".join(f"\\{b:03o}" for b in packed[:-9])))
    ok(cut.result.returncode and b"the compressed data is cut short" in cut.result.stderr,
       "compressed packets cut short", cut.result.stderr)
    it = Imported(scratch, encode(HEAD + EVENTS % "lost_events: true" + COLUMNS))
    ok(it.data and [x["events"] for x in it.data["losses"]] == [1],
       "a buffer that ran over is a loss", it.data and it.data["losses"])
    only = Imported(scratch, encode(HEAD + EVENTS % ""))
    ok(only.data and only.data["header"]["unknown"] and only.thread(101)["runq_ns"] is None,
       "without wakeups, waiting for a CPU is not known", only.data and only.data["header"])


def faults(scratch):
    trace = encode(HEAD + EVENTS % "")
    it = Imported(scratch, trace[:-3])
    ok(it.result.returncode == 1 and
       b"a packet that is damaged or cut short" in it.result.stderr, "a trace cut short",
       it.result.stderr)
    it = Imported(scratch, encode(HEAD + STACK))
    ok(it.result.returncode == 1 and b"has no switches of the scheduler" in it.result.stderr,
       "a trace of something else", it.result.stderr)


if not shutil.which("protoc"):
    print("1..0 # SKIP no protoc")
    sys.exit()
with tempfile.TemporaryDirectory() as made:
    whole(made)
    parts(made)
    faults(made)
print(f"1..{done}")

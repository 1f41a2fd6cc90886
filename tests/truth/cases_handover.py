# SPDX-License-Identifier: Apache-2.0
"""Wakeups that are not simply one thread's call for another one (record --wakers): of threads that
were moved between futexes, by a thread that ends, by a worker of io_uring, and in another PID
namespace."""
import shutil
import subprocess

import checks
from cases import case
from cases_wakers import ROUNDS, WAKERS, by_waker, judge_share, judge_sums, report, waits_in
from session import record, record_command

SLEEPERS = 6


@case("wakers-requeue")
def requeue(env, tap, _mode):
    """Moving a thread to another futex does not wake it; who wakes it there does."""
    run = record(env, [env.handover, "requeue", str(SLEEPERS), str(ROUNDS)], options=WAKERS)
    tids = {e["index"]: e["tid"] for e in run.of("waker")}
    problems = []
    for index in range(1, SLEEPERS + 1):
        waits = waits_in(run, tids[index], "requeue_wait")
        problems += judge_share(f"requeue{index}", by_waker(waits), sum(w.count for w in waits),
                                tids[0])
        problems += [f"{k.waker.user} is not in requeue_wake" for w in waits for k in w.wakes
                     if k.waker.tid == tids[0] and "requeue_wake" not in k.waker.user][:3]
    tap.report("wakers-requeue/who", problems)
    report(tap, "wakers-requeue", run)


@case("wakers-exit")
def exits(env, tap, _mode):
    """The end of a thread ends the wait of who joins it."""
    run = record(env, [env.handover, "exit", str(ROUNDS)], options=WAKERS)
    waits = waits_in(run, run.of("waker")[0]["tid"], "exit_join")
    wakes = [k for w in waits for k in w.wakes]
    right = sum(k.count for k in wakes if "exiting" in k.waker.flags and
                any("exit" in frame for frame in k.waker.kernel))
    total = sum(w.count for w in waits)
    tap.report("wakers-exit/who", judge_share("the one that joins", {"exiting": right}, total,
                                              "exiting"))
    report(tap, "wakers-exit", run)


def judge_behind(by_worker, tid, total):
    """A chain goes on where the worker began to wait after the thread that asked did."""
    behind = [k for k in by_worker if k.waker.next]
    problems = [f"{k.waker.next.comm} in {k.waker.next.user} is behind the worker" for k in behind
                if k.waker.next.tid != tid or "uring_open_other_end" not in k.waker.next.user]
    if sum(k.count for k in behind) < total * 0.5:
        problems.append(checks.Timing(f"only {sum(k.count for k in behind)} of {total} go on"))
    return problems


@case("wakers-io-uring")
def io_uring(env, tap, _mode):
    """A worker of io_uring ends the wait of who asked the ring, and the chain goes on to the thread
    that let the worker wait."""
    if subprocess.run([env.handover, "has-uring"], check=False).returncode == 77:
        tap.skip("wakers-io-uring", "io_uring is not permitted here: kernel.io_uring_disabled")
        return
    run = record(env, [env.handover, "uring", str(ROUNDS)], options=WAKERS)
    tids = {e["index"]: e["tid"] for e in run.of("waker")}
    waits = waits_in(run, tids[0], "uring_wait")
    wakes = [k for w in waits for k in w.wakes]
    total = sum(w.count for w in waits)
    by_worker = [k for k in wakes if k.waker.comm.startswith("iou-wrk-")]
    tap.report("wakers-io-uring/who",
               judge_share("uring0", {"worker": sum(k.count for k in by_worker)}, total, "worker"))
    tap.report("wakers-io-uring/chain", judge_behind(by_worker, tids[1], total))
    report(tap, "wakers-io-uring", run)


@case("wakers-pid-namespace")
def pid_namespace(env, tap, _mode):
    """Threads of another PID namespace have the numbers that they have in ours."""
    if not shutil.which("unshare"):
        tap.skip("wakers-pid-namespace", "no unshare here: install util-linux")
        return
    inside = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    run = record_command(env, [*inside, env.wakers, "relay", "pipe", "1", str(ROUNDS)], "wakers",
                         "go\nquit\n")
    tids = {t.comm: t.tid for t in run.recording.tasks}
    waits = waits_in(run, tids["relay0"], "relay_wait")
    tap.report("wakers-pid-namespace/who",
               judge_share("relay0", by_waker(waits), sum(w.count for w in waits), tids["relay1"]))
    tap.report("wakers-pid-namespace/sums", judge_sums(run))

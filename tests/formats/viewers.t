#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Viewers of others, from npm: speedscope in a real browser, the Firefox Profiler's own code as a
program (profiler-cli), Datadog's reader of pprof; and our SVG as a person uses it, by Playwright.
package-lock.json says which; they are installed in the build directory. Prints TAP; without a
network everything is skipped, and said to be."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

from cases import Report, expected, hots, load, off_ns, pprof_values, same

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("COLDSPOT_BUILD") or tempfile.gettempdir()
HOME = os.path.join(BUILD, "tests", "formats", "npm")
NPM_SECONDS = 180
SILENT_SECONDS = 40
SLOW_SECONDS = 150  # of a program that starts in one, on a machine with much else to do


def install():
    """None, or why it could not be done. What is there already stays."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "npm is not installed"
    os.makedirs(HOME, exist_ok=True)
    with open(os.path.join(HERE, "package-lock.json"), encoding="utf-8") as f:
        lock = f.read()
    stamp = os.path.join(HOME, "installed")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as f:
            if f.read() == lock:
                return None
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, name), HOME)
    try:
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                              cwd=HOME, timeout=NPM_SECONDS, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except subprocess.TimeoutExpired:
        return f"npm ci took longer than {NPM_SECONDS} s"
    if done.returncode:
        last = done.stdout.decode().strip().splitlines()
        return "npm ci failed: " + (last[-1] if last else "nothing said")
    with open(stamp, "w", encoding="utf-8") as f:
        f.write(lock)
    return None


def node(script, *args):
    env = {**os.environ, "NODE_PATH": os.path.join(HOME, "node_modules")}
    done = subprocess.run(["node", os.path.join(HERE, script), *args], env=env,
                          timeout=SLOW_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def pprof_format_adds_up(case, waits):
    read = node("read_pprof.js", expected(case, "pb.gz"))
    want = pprof_values(case, waits)
    same(read["types"], list(want), "types")
    same(read["sums"], [str(n) for n in want.values()], "sums")


class Firefox:
    """profiler-cli, which is the viewer without its pages: a server with one profile, and commands
    that ask it. We start the server ourselves, because `load` gives it half a second; and again
    when it says nothing, as now and then one does."""

    CLI = os.path.join(HOME, "node_modules", "@firefox-devtools", "profiler-cli", "dist",
                       "profiler-cli.js")

    def __init__(self, case, home):
        self.case = case
        self.env = {**os.environ, "PROFILER_CLI_SESSION_DIR": home, "HOME": home}
        self.start()

    def start(self):
        self.server = subprocess.Popen(
            ["node", self.CLI, "--daemon", expected(self.case, "firefox.json"),
             "--session", "test"],
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.patience = time.monotonic() + SILENT_SECONDS

    def ask(self, *args):
        done = subprocess.run(["node", self.CLI, *args, "--session", "test"], env=self.env,
                              timeout=SLOW_SECONDS, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()

    def functions(self, thread):
        """Asks again until the server has read the profile."""
        deadline = time.monotonic() + SLOW_SECONDS
        while True:
            status, said = self.ask("thread", "functions", "--json", "--include-idle",
                                    "--thread", f"t-{thread}")
            if status == 0:
                return json.loads(said)
            assert self.server.poll() is None, "it ended: " + said
            assert time.monotonic() < deadline, said
            if time.monotonic() > self.patience:
                self.close()
                self.start()
            time.sleep(0.2)

    def close(self):
        self.server.terminate()
        self.server.wait()


def firefox_adds_up(case, waits):
    """The milliseconds of each thread, as the viewer sums them up, to the nanosecond."""
    threads = {}
    for wait in waits:
        threads.setdefault(wait["task"], []).append(wait["blocked_ns"] + wait["runq_ns"])
    for hot in hots(case):
        threads.setdefault(hot["task"], []).append(hot["on_ns"])
    if not threads:
        return  # the viewer says of such a profile that nothing was recorded
    written = load(case, "firefox.json")["threads"]
    same(len(written), len(threads), "threads")
    with tempfile.TemporaryDirectory() as home:
        session = Firefox(case, home)
        try:
            order = sorted(threads, key=lambda task: -1 if task is None else task)
            for number, task in enumerate(order[:6]):
                answer = session.functions(number)
                same(answer["weightType"], "tracing-ms", "weightType")
                ms = sum(f["selfSamples"] for f in answer["functions"])
                same(round(ms * 1e6), sum(threads[task]), f"thread {number}")
        finally:
            session.close()


def speedscope_shows(ending):
    """Sums of functions in its Sandwich view, for one case that has some."""
    def test(case, waits):
        if os.path.basename(case) != "shop":
            return
        shown = node("open_speedscope.js", chromium, HOME, expected(case, ending))
        same(shown["errors"], [], "errors of the page")
        if ending == "speedscope.json":
            assert "PID 4121 (shop-api)" in shown["title"], shown["title"]
        # a pprof file has the kernel below the program folded away
        names = ("worker_main",) if ending == "pb.gz" else ("schedule", "worker_main", "do_futex")
        for name in names:
            ns = off_ns([w for w in waits if name in w["kernel"] + w["user"]])
            assert name in shown["totals"], f"{name} is not in {shown['totals']}"
            same(re.sub(r" \(.*", "", shown["totals"][name]), f"{ns / 1e9:.2f}s", name)
    return test


def speedscope_shows_a_thread(case, waits):
    """Of perf's text it makes a profile of each thread, and shows one of them."""
    if os.path.basename(case) != "shop":
        return
    shown = node("open_speedscope.js", chromium, HOME, expected(case, "perf.txt"))
    same(shown["errors"], [], "errors of the page")
    names = ("schedule", "worker_main", "do_futex", "load_catalogue")
    told = [re.sub(r" \(.*", "", shown["totals"].get(name, "")) for name in names]
    threads = {}
    for name in names:
        for task in {w["task"] for w in waits}:
            ns = off_ns([w for w in waits if w["task"] == task and
                         name in w["kernel"] + w["user"]])
            text = f"{ns / 1e9:.2f}s" if ns >= 1e9 else f"{ns / 1e6:.2f}ms" if ns else ""
            threads.setdefault(task, []).append(text)
    assert told in threads.values(), f"{told} is of none of {threads}"


def speedscope_shows_a_trace(case, _):
    """Of Chrome's events it makes a profile of each thread, too; the first one is shown."""
    if os.path.basename(case) != "events":
        return
    shown = node("open_speedscope.js", chromium, HOME, expected(case, "trace.json"))
    same(shown["errors"], [], "errors of the page")
    sums = {}
    for name, text in shown["totals"].items():
        name = name.split(" {")[0]
        sums[name] = sums.get(name, 0) + round(float(re.sub(r"ms.*", "", text)))
    want = {"futex": 600, "sleep": 200, "on a CPU": 120, "waiting for a CPU": 80}
    same(sums, want, "ms of relay")


def svg_behaves(case, waits):
    if os.path.basename(case) != "shop":
        return
    steps = node("drive_svg.js", chromium, expected(case, "whole.svg"))
    assert "error" not in steps, steps.get("error")
    opened, zoomed = steps["opened"], steps["zoomed"]
    same([opened["details"], opened["matched"], opened["reset"]], ["", "", False], "at first")
    assert "take_order" in steps["hovered"]["details"], steps["hovered"]["details"]
    same(zoomed["shown"]["worker_main"]["width"], opened["shown"]["all"]["width"], "zoomed frame")
    assert zoomed["shown"]["all"]["faded"] and "main" not in zoomed["shown"] and zoomed["reset"]
    assert "main" in opened["shown"] and re.fullmatch("#/[0-9a-f]{16}", zoomed["hash"])
    # worker-1 alone is in the zoom: so is the share
    inside = [w for w in waits if "worker_main" in w["user"] and w["task"] == 1]
    locks = [w for w in inside if w["cause"] == "lock"]
    share = f"Matched: {100 * off_ns(locks) / off_ns(inside):.1f}%"
    for step in ("searched", "reloaded"):
        same(steps[step]["matched"], share, step)
        assert steps[step]["shown"]["do_futex"]["found"], step
        assert not steps[step]["shown"]["recv"]["found"], step
        same(steps[step]["hash"], zoomed["hash"], "zoom in the URL")
        assert "s=futex" in steps[step]["search"] + steps[step]["hash"], steps[step]
    everywhere = off_ns([w for w in waits if w["cause"] == "lock"]) / off_ns(waits)
    same(steps["whole"]["matched"], f"Matched: {100 * everywhere:.1f}%", "after Reset Zoom")
    assert "main" in steps["whole"]["shown"] and not steps["whole"]["reset"]
    same([steps["escaped"]["matched"], steps["escaped"]["search"]], ["", ""], "after Escape")
    assert steps["dark"]["dark"] != opened["dark"], "text is as dark in dark mode"
    assert steps["dark"]["wide"] <= 800, "it does not fit into 800 pixels"


missing = install()
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
report = Report()
TESTS = (("pprof-format: adds up", pprof_format_adds_up, True),
         ("Firefox Profiler: opens it, and each thread adds up", firefox_adds_up, True),
         ("speedscope in a browser: text of perf script", speedscope_shows_a_thread, chromium),
         ("speedscope in a browser: its own format", speedscope_shows("speedscope.json"), chromium),
         ("speedscope in a browser: a timeline", speedscope_shows_a_trace, chromium),
         ("speedscope in a browser: pprof", speedscope_shows("pb.gz"), chromium),
         ("the SVG in a browser: mouse, keys, reload, dark mode", svg_behaves, chromium))
for name, test, there in TESTS:
    if missing:
        report.line(name, skip="NOT OPENED BY ANY VIEWER: " + missing)
    else:
        report.check(name, test, there, "chromium")
report.end()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
top on real terminals: what is on the screen of tmux after each key, and pseudo-terminals that go
away. What it shows of all windows is compared with what report shows of the file.
"""
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

COLDSPOT = os.environ["COLDSPOT"]
# On a console ncurses loads libgpm, which keeps ten bytes.
LEAKS_OF_GPM = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
PATIENCE_S = 30
count = 0
work = tempfile.mkdtemp()
os.chmod(work, 0o755)


def ok(good, what, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good and why:
        print("\n".join("# " + line for line in str(why).splitlines()), flush=True)


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=60, check=False, **more)


def until(found, seconds=PATIENCE_S):
    """Asks again until it is true; its last answer."""
    end = time.monotonic() + seconds
    while True:
        answer = found()
        if answer or time.monotonic() > end:
            return answer
        time.sleep(0.1)


class Tmux:
    """A server of its own, with one window; ended by its own command."""

    def __init__(self, command, cols=80, rows=24, env=""):
        self.socket = tempfile.mktemp(dir=work)
        self.call("new-session", "-d", "-x", str(cols), "-y", str(rows),
                  f"export LC_ALL=C.UTF-8 TERM=screen-256color; unset NO_COLOR; {env} "
                  f"{command} 2>{self.socket}.err; echo ended $?; exec sleep 600")

    def call(self, *args):
        return run("tmux", "-S", self.socket, "-f", "/dev/null", *args)

    def screen(self, *args):
        return self.call("capture-pane", "-p", *args).stdout

    def keys(self, *keys):
        self.call("send-keys", *keys)

    def has(self, *patterns):
        """Waits until the screen has all of them."""
        return bool(until(lambda: all(re.search(p, self.screen(), re.M) for p in patterns)))

    def lacks(self, pattern):
        return bool(until(lambda: not re.search(pattern, self.screen(), re.M)))

    def check(self, what, *patterns):
        ok(self.has(*patterns), what, f"wanted {patterns}\n{self.screen()}")

    def ended(self):
        found = until(lambda: re.search(r"^ended (\d+)", self.screen(), re.M))
        return int(found.group(1)) if found else None

    def errors(self):
        with open(self.socket + ".err", encoding="utf-8") as f:
            return f.read()

    def close(self):
        self.call("kill-server")


def in_pty(args, env=None, ignore_hup=False):
    """Starts it on a new terminal; its PID and the other side."""
    pid, fd = pty.fork()
    if not pid:
        if ignore_hup:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.environ.update(env or {})
        os.environ.setdefault("TERM", "xterm")
        os.execvp(args[0], args)
    return pid, fd


def read_all(fd):
    text = b""
    try:
        while chunk := os.read(fd, 65536):
            text += chunk
    except OSError:
        pass
    return text.decode(errors="replace")


def wait_for(pid, seconds=PATIENCE_S):
    """The exit status; a process that does not end is killed."""
    done = until(lambda: os.waitpid(pid, os.WNOHANG)[1:] if
                 os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) else None, seconds)
    if done:
        return os.waitstatus_to_exitcode(done[0])
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "it did not end"


def test_refusals():
    got = run(COLDSPOT, "top", stdin=subprocess.DEVNULL)
    ok(got.returncode == 1 and not got.stdout and got.stderr ==
       "coldspot top: standard output is not a terminal: use `coldspot record` for output to a "
       "file or a pipe\n", "top says that standard output is not a terminal", got)
    for args, sentence in ((["-o", "x.svg"], "-o takes one recording"),
                           (["--tree"], "--tree needs -p"),
                           (["--window", "1ms"], "at least 100 ms"),
                           (["-p", "1", "--", "true"], "cannot be combined")):
        got = run(COLDSPOT, "top", *args)
        ok(got.returncode == 2 and sentence in got.stderr, f"top {' '.join(args)} is refused", got)
    pid, fd = in_pty([COLDSPOT, "top"], {"TERM": "dumb"})
    text = read_all(fd)
    ok(wait_for(pid) == 1 and "TERM is 'dumb'" in text and text.count("\n") == 1,
       "a terminal without a cursor is refused in one sentence", text)
    os.close(fd)


def test_store():
    """A day of windows of five minutes, from 10:00, on a screen."""
    store = work + "/store"
    made = run(os.environ["COLDSPOT_BUILD"] + "/tests/cli/test_past_store", store, "3")
    assert not made.returncode, made
    for args, status, says in (([store, "--at", "2026-11-20T12:30Z"], 1, "no window at 2026-11-20"),
                               ([work], 1, "is no store"), (["--at", "10:00"], 2, "need a store"),
                               ([store, "-p", "1"], 2, "cannot be combined"),
                               ([store, store], 2, "shows one store")):
        pid, fd = in_pty([COLDSPOT, "top", *args])
        said = read_all(fd)
        ok(wait_for(pid) == status and says in said, f"top {' '.join(args)} is refused", said)
        os.close(fd)
    if not shutil.which("tmux"):
        return
    top = Tmux(f"{COLDSPOT} top --at 2026-11-20T10:12Z {store}", 110)
    top.check("the window at that time", r"2026-11-20T10:10:00Z last 300 s", r"blocked 328 s")
    for key, at in (("[", "2026-11-20T10:05:00Z last"), ("]", "2026-11-20T10:10:00Z last"),
                    ("{", "2026-11-19T10:25:20Z last"), ("}", "2026-11-20T10:10:00Z last"),
                    ("m", "2026-11-19T10:30:00Z latest 2700 s"), ("m", "2026-11-18T10:.*Z all")):
        top.keys(key)
        top.check(f"{key} goes to {at}", at)
    top.keys("+")
    top.check("targets cannot be changed", "nothing is recorded: this is a store")
    top.keys("r", "m", *["}"] * 9, "]")
    top.check("the end of the store", "2026-11-25T10:55:00Z last", "no later window has ended yet")
    top.keys("q")
    ok(top.ended() == 0, "q ends it", top.screen())
    top.close()


def test_no_root():
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    if os.geteuid():
        nobody = []
    as_record = run(*nobody, COLDSPOT, "record", "--no-proc", "-a", "-d", "0.1")
    pid, fd = in_pty([*nobody, COLDSPOT, "top"])
    text = read_all(fd).replace("\r", "")
    status = wait_for(pid)
    ok(status == as_record.returncode == 3 and
       text.split(": ", 1)[1] == as_record.stderr.split(": ", 1)[1],
       "without privileges top says what record says", (status, text, as_record))
    os.close(fd)


# Two threads that wait for a pipe and a lock, and much output.
LOAD = """
import os, threading, time
lock = threading.Lock()
def hold():
    while True:
        with lock:
            time.sleep(0.02)
threading.Thread(target=hold, daemon=True).start()
threading.Thread(target=hold, daemon=True).start()
while not os.path.exists(os.environ["LOAD_END"]):
    print("OUTPUT OF THE COMMAND", flush=True)
    os.system("sleep 0.03")
"""


def rows_of(text):
    """Time, count, mean and longest of each row by cause, by its text."""
    number = r"([\d.,]+ ?(?:ns|µs|ms|s)|[\d,]+|-)"
    row = re.compile(rf"^\s*{number}\s+[\d.]+%\s+{number}\s+{number}\s+(?:{number}\s+)?{number}"
                     r"\s\s(\S.*?)\s*$", re.M)
    return {m[5]: (m[0], m[1], m[2], m[4]) for m in row.findall(text)}


def test_drill(top):
    top.keys("/", "s", "l", "e", "e", "p", "Enter")
    top.check("a filter", "^filter: sleep")
    top.keys("Enter")
    top.check("Enter drills into a row", r"^only sleep clock_nanosleep \(S\) ", "  where$")
    ok(top.lacks("  futex|gil"), "other waits are gone", top.screen())
    top.keys("3")
    top.check("Flame", "^.all$", "clock_nanosleep", "[\u2592]{10,}", r"^[\d.]+ m?s 100.0% in ")
    top.keys("End", "Enter")
    top.check("Enter zooms", r"^[\d.]+ m?s [\d.]+% in .* sleep: \w+$")
    top.keys("/", "s", "l", "e", "e", "p", "Enter")
    top.check("/ searches", "^[\d.]+% matched ")
    ok(until(lambda: re.search(r"\033\[[\d;]*45m", top.screen("-e"))), "what matches is magenta",
       repr(top.screen("-e")))
    top.keys("Escape", "BSpace", "BSpace")
    top.check("Backspace goes out", r"why \(state\)$")
    ok(top.lacks("^only"), "of everything", top.screen())


def test_keys(top):
    top.check("the header says what is recorded, and to which file",
              r"^coldspot .*python3.* > .*\.coldspot .* last [\d.]+ m?s$",
              r"^\d+ threads?: on CPU ",
              r"^blocked threads [\d.]+, most ",
              "^1Why 2Stacks 3Flame 4Threads 5Processes 6Locks 7Wakers 8Diff 9Output 0Cost")
    ok(top.lacks("OUTPUT"), "output of the command is not in other tabs", top.screen())
    top.check("Why", r"^ +\*waited  share    count     mean  longest  why \(state\)",
              r"  sleep clock_nanosleep \(S\)")
    for key, head, row in (("2", "where", "python3: .*"),
                           ("5", "process", r"(sleep|sh)-\d+"),
                           ("7", "waker", r"(\[timer interrupt\]|python3-)")):
        top.keys(key)
        top.check(f"tab {key}", rf"longest  {head}$", rf"m?s  {row}")
    top.keys("5", "g")
    top.check("g shows the processes by cgroup", r"longest  on CPU +cgroup$|longest  cgroup$",
              r"m?s  /\S*$")
    top.keys("g")
    top.check("and again each of them", r"longest  process$")
    top.keys("4")
    top.check("tab 4: each thread, its windows, and its wait now", "  thread +last windows, and",
              r"  python3-\d+/\d+ +[A-Z#.]+ (running|>?[\d.]+ (ns|.s|s) )")
    top.keys("6")
    top.check("tab 6: locks", "waiters .* lock, and its owner$", r"[01] of \d ")
    top.keys("9")
    top.check("Output", "^OUTPUT OF THE COMMAND$")
    top.keys("0")
    top.check("Cost", "^Cost$", "switches seen", "^Hooks$")
    top.keys("Tab")
    top.check("Tab goes to the next tab", r"why \(state\)$")
    top.keys("BTab")
    top.check("Shift-Tab goes back", "^Hooks$")
    top.keys("1")
    for word in ("count", "longest", "why", "waited"):
        top.keys("s")
        top.check(f"s sorts by {word}", rf"\*{word}")
    top.keys("/", "c", "l", "o", "c", "k", "_")
    top.check("/ filters as it is typed", "^/clock__$", "clock_nanosleep")
    ok(top.lacks(r"\(S\)$(?<!clock_nanosleep \(S\))"), "other rows are gone", top.screen())
    top.keys("Enter")
    top.check("Enter ends the filter", "^filter: clock_ . help")
    top.keys("d")
    top.check("d shows details", "^sleep: ", "^Lengths$", "^Stacks, from the function that")
    top.keys("End")
    top.check("End scrolls to the end of the stacks", "_start|main|clone3|thread")
    top.keys("Escape")
    top.check("Esc goes back", r"why \(state\)$", "^filter: clock_")
    top.keys("Escape")
    ok(top.lacks("^filter"), "Esc removes the filter", top.screen())
    test_drill(top)
    top.keys("i")
    top.check("i counts idle time in", r"idle [\d.]+ (ns|.s|s)($| .\[)")
    top.keys("i")
    top.keys("f")
    top.check("f freezes", r"FROZEN last ")
    before = top.screen()
    time.sleep(1)
    ok(top.screen() == before, "nothing moves while it is frozen", top.screen())
    top.keys("Space")
    ok(top.lacks("FROZEN"), "Space lets it go on", top.screen())
    top.keys("?", "End")
    top.check("? shows the keys", "^  f, Space +freeze", "^  q, Ctrl-C")
    top.keys("?")
    test_moving(top)


def marked(top):
    """The rows of the table, and the one that is shown in reverse; it stays on over line ends."""
    rows, found, reverse = [], [], False
    for number, line in enumerate(top.screen("-e").splitlines()):
        here = ""
        for part in re.split(r"(\033\[[\d;]*m)", line):
            if part.startswith("\033["):
                for code in part[2:-1].split(";"):
                    reverse = code == "7" or reverse and code not in ("", "0", "27")
            elif part.strip():
                here = "reverse" if reverse else "plain"
        text = re.sub(r"\033\[[\d;]*m", "", line).strip()
        if number > 4 and text and not text.startswith("? help"):
            rows.append(text)
            found += [len(rows) - 1] if here == "reverse" else []
    return rows, found


def test_moving(top):
    top.keys("4", "f")
    top.check("threads, frozen", "FROZEN")
    for key, row in (("Down", 1), ("j", 2), ("Up", 1), ("k", 0), ("NPage", -1), ("PPage", 0),
                     ("End", -1), ("Home", 0), ("G", -1), ("Home", 0)):
        top.keys(key)
        ok(until(lambda r=row: (m := marked(top)) and m[1] == [r % len(m[0])], 5),
           f"{key} moves", f"wanted: {row}\n{marked(top)}")
    top.keys("f", "1")
    ok(top.lacks("FROZEN"), "it goes on", top.screen())


def test_sizes(top):
    for cols, rows in ((120, 40), (40, 10), (20, 5), (250, 80), (80, 24)):
        top.call("resize-window", "-x", str(cols), "-y", str(rows))
        lines = until(lambda c=cols, r=rows: (s := top.screen().splitlines()) and len(s) == r and
                      re.match("coldspot .*", s[0]) and s[-1].startswith("? help"[:c]) and s)
        ok(lines and all(len(l) <= cols for l in lines), f"{cols} x {rows}", top.screen())


def test_command():
    file = os.path.join(work, "a.coldspot")
    load = os.path.join(work, "load.py")
    with open(load, "w", encoding="utf-8") as f:
        f.write(LOAD)
    end = os.path.join(work, "end")
    top = Tmux(f"LOAD_END={end} {COLDSPOT} top --wakers --window 500ms -o {file} -- python3 {load}")
    try:
        test_keys(top)
        test_sizes(top)
        top.keys("m", "m")
        top.check("m shows all windows", r" all [\d.]+ s$")
        with open(end, "w", encoding="utf-8"):
            pass
        top.check("the picture stays when the command has ended", "^Over: the command has ended. ")
        top.check("the file is complete then", ", over$")
        shown = rows_of(top.screen())
        reported = rows_of(run(COLDSPOT, "report", "--top", "100", file).stdout.split("where")[0])
        ok(shown and shown == reported, "all windows are what report shows of the file",
           f"{shown}\n{reported}\n{top.screen()}")
        ok(not os.path.exists(file + "-wal"), "there is no log next to it")
        top.keys("q")
        ok(top.ended() == 0, "q ends it", top.screen())
        ok("coldspot: wrote " + file in top.errors(), "it says what it wrote", top.errors())
    finally:
        top.close()
    got = run(COLDSPOT, "check", file)
    ok(got.returncode == 0 and ": sound: " in got.stdout, "the file is sound", got)
    test_sums(file)


def test_sums(file):
    """Windows meet, and each thread's totals are its life in them."""
    if not shutil.which("sqlite3"):
        skip("windows meet", "no sqlite3")
        return
    got = run("sqlite3", file,
              "SELECT count(*) FROM windows a JOIN windows b ON b.id = a.id + 1 WHERE "
              "b.begin_mono_ns != a.begin_mono_ns + a.window_ns; SELECT count(*) > 5 FROM windows")
    ok(got.stdout.split() == ["0", "1"], "windows meet to the ns", got)


def click(top, row, col, button=0):
    """As terminals without a newer protocol say it; rows and columns count from 1."""
    where = f"{chr(32 + col)}{chr(32 + row)}"
    event = f"\033[M{chr(32 + button)}{where}" + ("" if button else f"\033[M#{where}")
    # in one piece: what comes byte by byte may be taken for the key Esc
    top.call("set-buffer", "-b", "event", event)
    top.call("paste-buffer", "-r", "-b", "event")


def test_mouse():
    top = Tmux(f"{COLDSPOT} top --window 500ms")
    try:
        top.check("the whole machine", r"m?s  \w+ .*\(S\)$")
        click(top, 4, 20)
        top.check("a click on a tab shows it", "^.all *$")
        click(top, 4, 4)
        top.check("and on another one", r"why \(state\)$")
        top.keys("f")
        top.check("frozen", "FROZEN")
        click(top, 7, 30)
        ok(until(lambda: marked(top)[1] == [1], 5), "a click chooses a row", marked(top))
        click(top, 7, 30, 64)
        ok(until(lambda: marked(top)[1] == [0], 5), "the wheel moves", marked(top))
        click(top, 6, 30)
        click(top, 6, 30)
        top.check("a double click drills", "^only ", "  where$")
        top.keys("q")
        ok(top.ended() == 0, "q ends it", top.screen())
    finally:
        top.close()


def test_targets(victim):
    """Processes come and go while it records, and what is seen goes to files."""
    file = os.path.join(work, "targets.coldspot")
    other = subprocess.Popen(["sleep", "601"])
    top = Tmux(f"{COLDSPOT} top --window 500ms -p {victim} -o {file}", cols=120)
    try:
        top.keys("5")
        top.check("one process", rf"sleep-{victim} *$")
        top.keys("+", *str(other.pid), "Enter")
        top.check("+ adds a process", rf"sleep-{other.pid} *$", rf"^coldspot PID .* \+{other.pid} ")
        top.keys("/", *str(victim), "Enter")
        top.check("a filter", f"^filter: {victim}")
        top.keys("-")
        top.check("- asks", rf"\(y/n\) PID {victim}_$")
        top.keys("y", "Escape")
        ok(top.lacks(rf"sleep-{victim} *$"), "- removes a process", top.screen())
        top.check("the other one stays", rf"sleep-{other.pid} *$")
        top.keys("a", *str(os.getpid()), *"0000", "Enter")
        top.check("a process that does not exist", f"^no process {os.getpid()}0000$")
        svg = os.path.join(work, "seen.svg")
        for keys, text in ((["e", *svg, "Enter"], "^wrote .*seen.svg$"),
                           (["e", *svg, "Enter"], "replace it"), (["n"], "^nothing has changed"),
                           (["e", *file, "Enter"], "is an input recording: write to another file"),
                           (["e", *"/nowhere/x.svg", "Enter"], "cannot write '/nowhere/x.svg'"),
                           (["e", *"x.y", "Enter"], "unknown ending of 'x.y'")):
            top.keys(*keys)
            top.check(f"{keys[0]}: {text}", text)
        with open(svg, encoding="utf-8") as f:
            ok("<svg" in f.read(), "the file is a graph")
        other.kill()
        other.wait()
        top.check("it ends with the last process", "^Over: all processes have ended")
        top.keys("q")
        ok(top.ended() == 0, "q ends it", top.screen())
        got = run(COLDSPOT, "report", "--by", "process", file)
        ok(f"sleep-{victim}" in got.stdout and f"sleep-{other.pid}" in got.stdout,
           "the file has both", got)
    finally:
        other.kill()
        top.close()


def test_whole_machine():
    top = Tmux(f"{COLDSPOT} top")
    try:
        top.check("without options it shows the whole machine", "^coldspot all threads +.* last ",
                  "^ 1 Why  2 Stacks  3 Flame  4 Threads  5 Processes  6 Locks  7 Diff  8 Cost")
        ok(until(lambda: "\033[38;5;" in top.screen("-e")), "causes have colours",
           top.screen("-e"))
        top.keys("A", "7")
        top.check("Diff: what differs from a mark", r"^A +[\d.]+ m?s, ", r"^now +[\d.]+ m?s, ",
                  "A per s now per s")
        top.keys("C-c")
        ok(top.ended() == 0, "Ctrl-C ends it", top.screen())
    finally:
        top.close()


def test_suspended(victim):
    """Stopped by Ctrl-Z, and going on."""
    top = Tmux("bash --norc --noprofile -i")
    try:
        top.keys(f"{COLDSPOT} top --window 200ms -p {victim}", "Enter")
        top.check("it runs in a shell", r"clock_nanosleep \(S\)$")
        top.keys("C-z")
        ok(until(lambda: "Stopped " in top.errors()), "Ctrl-Z stops it", top.errors())
        ok(not re.search("^coldspot PID", top.screen(), re.M), "the screen is as it was",
           top.screen())
        top.keys("echo shell is $((40+2))", "Enter")
        top.check("the shell can be used", "^shell is 42$")
        top.keys("fg", "Enter")
        top.check("fg brings it back", "^coldspot PID", r"clock_nanosleep \(S\)$")
        top.call("resize-window", "-x", "100", "-y", "30")
        ok(until(lambda: len(top.screen().splitlines()) == 30 and "? help" in top.screen()),
           "it can be resized", top.screen())
        top.keys("q")
        top.keys("stty -a | grep -o ' echo '; echo status $?", "Enter")
        top.check("q ends it, and the terminal echoes", "^ echo", "^status 0$")
    finally:
        top.close()


def test_large_screens(victim):
    """Every tab has its place at every size, and no line is too long."""
    top = Tmux(f"{COLDSPOT} top --window 500ms --wakers -p {victim}")
    try:
        top.check("it runs", r"clock_nanosleep \(S\)$")
        for cols, rows in ((80, 24), (100, 30), (200, 60), (250, 80)):
            top.call("resize-window", "-x", str(cols), "-y", str(rows))
            for key, text in zip("1234567890", ("why", "where", "all", "thread", "process", "lock",
                                                "waker", "Press A", "Cost", "Cost")):
                top.keys(key)
                seen = until(lambda c=cols, r=rows, t=text: (s := top.screen().splitlines()) and
                             len(s) == r and any(t in l for l in s[3:7]) and
                             s[-1].startswith("? help") and s, 10)
                ok(seen and all(len(l) <= c for l, c in zip(seen, [cols] * rows)),
                   f"{cols} x {rows}: tab {key}", top.screen())
        top.keys("q")
        ok(top.ended() == 0, "q ends it", top.screen())
    finally:
        top.close()


class SlowServer:
    """A debuginfod server that lets everybody wait until it is closed."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.asking = []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        try:
            while True:
                self.asking.append(self.listener.accept()[0])
        except OSError:
            pass

    def somebody_waits(self):
        """Whether a connection is still open at the other end."""
        for connection in list(self.asking):
            connection.settimeout(0)
            try:
                while chunk := connection.recv(4096, socket.MSG_PEEK):
                    return bool(chunk)
            except OSError:
                return True
        return False

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        for connection in self.asking:
            connection.close()


def test_keys_while_names_are_looked_up():
    """A server of debug files does not answer; keys are."""
    program = os.path.join(work, "stripped")
    shutil.copy("/bin/sleep", program)
    victim = subprocess.Popen([program, "600"])
    server = SlowServer()
    top = Tmux(f"{COLDSPOT} top --window 200ms -p {victim.pid} --debug-dir {work} "
               f"--debuginfod {server.url}")
    try:
        ok(until(server.somebody_waits), "names are looked up", top.screen())
        top.keys("?")
        found = top.has("^  Up, k ")
        ok(found and server.somebody_waits(), "keys are answered meanwhile", top.screen())
        top.keys("?", "3")
        server.close()
        top.check("names come afterwards", "nanosleep")
        top.keys("q")
        ok(top.ended() == 0, "q ends it", top.screen())
    finally:
        victim.kill()
        victim.wait()
        top.close()


def has_terminal(name):
    return run("infocmp", name).returncode == 0


def test_kinds_of_terminals(victim):
    """What is sent suits each of them: they get keys, colours, and the screen back."""
    for term, colors in (("linux", 8), ("vt100", 0), ("xterm-16color", 16), ("xterm-256color", 256),
                         ("xterm-direct", 1 << 24), ("screen", 8), ("tmux-256color", 256)):
        if not has_terminal(term):
            skip(f"TERM={term}", "ncurses does not know it: is ncurses-term installed?")
            continue
        pid, fd = in_pty([COLDSPOT, "top", "--window", "200ms", "-p", str(victim)],
                         {"TERM": term, "LC_ALL": "C.UTF-8", "NO_COLOR": "", **LEAKS_OF_GPM})
        text, end = b"", time.monotonic() + PATIENCE_S
        while b"clock_nanosleep" not in text and time.monotonic() < end:
            text += os.read(fd, 65536)
        os.write(fd, b"3jjG")
        end = time.monotonic() + PATIENCE_S
        while b"libc_start" not in text and time.monotonic() < end:
            text += os.read(fd, 65536)
        os.write(fd, b"q")
        text += read_all(fd).encode()
        status = wait_for(pid)
        os.close(fd)
        kinds = {256: rb"\033\[[\d;]*48;5;\d", 1 << 24: rb"\033\[[\d;]*48[;:]2[;:]",
                 16: rb"\033\[(10\d|4\d)", 8: rb"\033\[[\d;]*4[0-7]", 0: rb""}
        good = status == 0 and b"libc_start" in text and re.search(kinds[colors], text)
        if not colors:
            good = good and not re.search(rb"\033\[[\d;]*[34][0-7]m", text)
        ok(good, f"TERM={term}", (status, text[-2000:]))


def test_plain_terminals(victim):
    for env, what in (("LC_ALL=C", "ASCII"), ("NO_COLOR=1", "no colours"),
                      ("TERM=vt100", "a terminal without colours"),
                      ("TERM=linux", "8 colours")):
        # the chosen row is in reverse, and the only one of the victim
        whom = "" if env == "TERM=linux" else f"-p {victim}"
        leaks = f"ASAN_OPTIONS={LEAKS_OF_GPM['ASAN_OPTIONS']}"
        top = Tmux(f"{COLDSPOT} top --window 200ms {whom}", env=f"export {env} {leaks};")
        try:
            good = top.has("^blocked threads .*[\u2581-\u2588#]", r"m?s  \w+ \w+ \(S\)$")
            text = top.screen("-e")
            if env == "LC_ALL=C":
                good = good and text.isascii()
            elif env == "TERM=linux":
                good = good and re.search(r"\033\[[\d;]*3[1-7]m", text) and "38;5" not in text

            else:
                good = good and not re.search(r"\033\[([\d;]*;)?3[0-8](;\d+)*m", text)
            ok(good, what, repr(text))
            top.keys("q")
            ok(top.ended() == 0, f"{what}: q ends it", top.screen())
        finally:
            top.close()


def test_terminal_goes_away(victim):
    for ignore in (False, True):
        file = os.path.join(work, f"gone{ignore}.coldspot")
        pid, fd = in_pty([COLDSPOT, "top", "--window", "200ms", "-p", str(victim), "-o", file],
                         ignore_hup=ignore)
        text, end = b"", time.monotonic() + PATIENCE_S
        while b"clock_nanosleep" not in text and time.monotonic() < end:
            text += os.read(fd, 65536)
        os.close(fd)
        status = wait_for(pid, 10)
        what = "with SIGHUP ignored, the end of input" if ignore else "SIGHUP"
        ok(status == 0, f"{what} ends it", status)
        got = run(COLDSPOT, "check", file)
        ok(got.returncode == 0 and ": sound: " in got.stdout and
           not os.path.exists(file + "-wal"), f"{what}: the file is complete", got)


def main():
    test_refusals()
    test_store()
    if run(COLDSPOT, "doctor").returncode:
        skip("top on terminals", "this machine or user cannot record: see coldspot doctor")
    else:
        test_no_root()
        victim = subprocess.Popen(["sleep", "600"])
        try:
            test_terminal_goes_away(victim.pid)
            if shutil.which("tmux"):
                test_command()
                test_whole_machine()
                test_mouse()
                test_targets(victim.pid)
                test_suspended(victim.pid)
                test_large_screens(victim.pid)
                test_keys_while_names_are_looked_up()
                test_kinds_of_terminals(victim.pid)
                test_plain_terminals(victim.pid)
            else:
                skip("screens and keys", "no tmux")
        finally:
            victim.kill()
            victim.wait()
    print(f"1..{count}")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(0)

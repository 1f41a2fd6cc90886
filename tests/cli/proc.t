#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record --proc: without BPF, and without any privilege.
. tests/cli/tap.sh

trap 'kill $victims 2>/dev/null; rm -rf "$dir"' EXIT
victims=

# Whether a sentence of Python is true of the document on standard output.
true_of() {
	python3 -c 'import json, sys; p = json.load(open(sys.argv[1]))
t = p["tasks"]; w = p["waits"]
def off(x): return sum(x["blocked_ns"].values())
sys.exit(not ('"$1"'))' "$dir/out"
}

# threads that wait in known ways: a sleep, a pipe, a lock, a signal
cat >"$dir/waits.py" <<'END'
import os, threading, time, signal
signal.alarm(100)
r, w = os.pipe()
lock = threading.Lock()
lock.acquire()
for what in (lambda: time.sleep(90), lambda: os.read(r, 1), lock.acquire):
    threading.Thread(target=what, daemon=True).start()
print("ready", flush=True)
signal.pause()
END

start_waits() { # AS...
	"$@" /usr/bin/python3 "$dir/waits.py" >"$dir/ready" &
	victim=$!
	victims="$victims $victim"
	until grep -q ready "$dir/ready"; do
		sleep 0.05
	done
}

run record --proc -d 1 -- sleep 0.4
[ "$status" -eq 0 ] && grep -q '^command sleep' "$dir/out" &&
	grep -q 'preempted or woken: visits cannot tell' "$dir/out" &&
	grep -q '^Visited: /proc, at random instants; .* rounds at 19 Hz, late by .* on average' \
		"$dir/out"
ok 'a command is recorded by visits' || why
run record --proc --hz 50 -d 1 -f json -- sleep 0.6
true_of 'p["header"]["visit_hz"] == 50'
ok 'and as often as asked' || why
true_of 'all(x["on_ns"] + (x["preempted_ns"] or 0) + x["runq_ns"] + off(x) + x["unaccounted_ns"]
	== x["wall_ns"] for x in t)'
ok 'the parts of a thread are its wall-clock time' || why
true_of 'all(x["preempted_ns"] is None for x in t) and all(x["count"] == 0 for x in w)'
ok 'what cannot be known is blank' || why
run record --proc -f json -- sleep 0.2
true_of 'len(t) > 0 and all("exited" in x["flags"] for x in t) and
	all(x[k] is None for x in t + [p["budget"]]
		for k in ("switches", "preemptions", "wakeups", "migrations"))'
ok 'so are the switches of a thread that ended' || why

start_waits env
run record --proc -d 1 -p "$victim" -f json
[ "$status" -eq 0 ] && true_of 'len(t) == 4 and all(off(x) > 0.9 * x["wall_ns"] for x in t)'
ok 'blocked threads are blocked all the time' || why
true_of 'all(x["switches"] is not None and x["preemptions"] is not None and
	x["wakeups"] is None and x["migrations"] is None for x in t + [p["budget"]])'
ok 'their switches are known, and their wakeups are not' || why
run record --proc -d 1 -p "$victim" -f folded
for call in nanosleep pipe_read futex pause; do
	grep -q "$call" "$dir/out"
	ok "the kernel function of a wait is named: $call" || why
done
for chain in ';[^;]*/waits.py:<module>:9;.*;pause' \
	';threading.py:Thread.run:[0-9]*;[^;]*/waits.py:<lambda>:6;.*;clock_nanosleep' \
	';threading.py:Thread.run:[0-9]*;[^;]*/waits.py:<lambda>:6;.*;read' \
	';threading.py:Thread.run:[0-9]*;[^/]*;PyThread_acquire_lock_timed'; do
	grep -q "$chain" "$dir/out"
	ok "with the Python functions that called it: ${chain##*;}" || why
done
run record --proc -d 1 -p "$victim" --every 0.3 -o "$dir/a.coldspot"
[ "$status" -eq 0 ] && "$COLDSPOT" check "$dir/a.coldspot" >"$dir/out" 2>&1 &&
	"$COLDSPOT" report -f json "$dir/a.coldspot" >"$dir/out" &&
	true_of 'p["header"]["visit_hz"] == 19 and p["merged"]["windows"] >= 3'
ok 'windows of visits are recorded, read and merged' || why

# the scheduler's counters around a recording contain what the recording has
cat >"$dir/burn.py" <<'END'
import time
end = time.monotonic() + 60
while time.monotonic() < end:
    t = time.monotonic()
    while time.monotonic() < t + 0.02:
        pass
    time.sleep(0.02)
END
/usr/bin/python3 "$dir/burn.py" &
burner=$!
victims="$victims $burner"
sleep 0.5
read -r on_before runq_before _ <"/proc/$burner/schedstat"
run record --proc -d 1 -p "$burner" -f json
read -r on_after runq_after _ <"/proc/$burner/schedstat"
[ "$status" -eq 0 ] && true_of "0 < t[0]['on_ns'] <= $on_after - $on_before and
	0 <= t[0]['runq_ns'] <= $runq_after - $runq_before and off(t[0]) > 0"
ok 'totals are those of the scheduler' || why
true_of 'p["header"]["visits"] >= 2 and p["header"]["visit_sources"] == ["proc"] and
	t[0]["switches"] >= 10 and
	sum(x["blocked_ns"] for x in w) == off(t[0]) and
	all(x["samples"] > 0 for x in w if x["blocked_ns"] and "visited" in x["flags"])'
ok 'estimates add up to the blocked time' || why
kill "$burner"

# Python functions that call each other through C code, and more of them than a stack has room for
cat >"$dir/calls.py" <<'END'
import functools, sys, threading, time
sys.setrecursionlimit(5000)

def inner():
    time.sleep(90)
def through(n):
    return functools.reduce(lambda a, b: inner(), [1, 2]) if not n else through(n - 1)
def many(n):
    return many(n - 1) if n else time.sleep(90)

threading.Thread(target=through, args=(2,), daemon=True, name="through").start()
threading.Thread(target=many, args=(1000,), daemon=True).start()
print("ready", flush=True)
time.sleep(90)
END
/usr/bin/python3 "$dir/calls.py" >"$dir/ready_calls" &
calls=$!
victims="$victims $calls"
until grep -q ready "$dir/ready_calls"; do
	sleep 0.05
done
run record --proc -d 1 -p "$calls" -f folded
c='[^;]*calls.py:'
chain=";${c}through:7;${c}through:7;${c}through:7;[^/]*;${c}through.<locals>.<lambda>:7;${c}inner:5"
grep -q "$chain;[^/]*;clock_nanosleep;" "$dir/out"
ok 'Python functions stand where C code called them' || why
grep -q ";\[truncated: deeper than the limit\];${c}many:9;${c}many:9;.*;clock_nanosleep;" "$dir/out"
ok 'a stack without room for all of them is cut, and says so' || why
run record --proc -d 1 -p "$calls"
! grep -q 'without .* Python functions' "$dir/out" "$dir/err"
ok 'and none is counted as unread' || why
kill "$calls"

# a thread that takes a new name after many visits
cat >"$dir/rename.py" <<'END'
import os, signal, sys, time
signal.alarm(100)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
for _ in range(60):
    time.sleep(0.01)
open("/proc/self/comm", "w").write("renamed")
print("ready", flush=True)
signal.pause()
END
/usr/bin/python3 "$dir/rename.py" "$dir/begun" >"$dir/renamed" &
renamed=$!
victims="$victims $renamed"
"$COLDSPOT" record --announce --proc --hz 50 -d 60 -p "$renamed" -f json >"$dir/out" \
	2>"$dir/err" &
recorder=$!
victims="$victims $recorder"
until grep -q '^coldspot: recording' "$dir/err"; do
	sleep 0.05
done
: >"$dir/begun"
until grep -q ready "$dir/renamed"; do
	sleep 0.05
done
kill -INT "$recorder"
wait "$recorder"
status=$?
[ "$status" -eq 0 ] && true_of '[x["comm"] for x in t] == ["renamed"]'
ok 'a thread has the name that it has at the end' || why

for option in --wakers --on-cpu --exact --hist '--min 1ms' '--state D' '--cgroup /'; do
	# shellcheck disable=SC2086
	run record --proc $option -p "$victim"
	[ "$status" -eq 2 ] && grep -q -- '--proc' "$dir/err"
	ok "$option is refused" || why
done

if ! is_root || ! command -v setpriv >/dev/null; then
	skip 'as nobody' 'needs root and setpriv'
	finish
	exit
fi
cp "$COLDSPOT" "$dir/coldspot"
chmod 755 "$dir"
chmod 644 "$dir/waits.py"
COLDSPOT=$dir/coldspot
run_as_nobody -all record -d 1 -- sleep 0.4
[ "$status" -eq 0 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] &&
	grep -q '^coldspot: BPF is not permitted: recording from /proc' "$dir/err" &&
	grep -q '^command sleep' "$dir/out"
ok 'without BPF it records by visits, and says so in one line' || why
start_victim
run_as_nobody -all record --proc -d 0.3 -p "$victim" -f json
kill "$victim"
[ "$status" -eq 0 ] && true_of 'len(t) == 1 and off(t[0]) > 0' &&
	grep -q '^coldspot: cannot read /proc/PID/syscall: Permission denied: no user stacks' \
		"$dir/err"
ok 'of the processes of others it has totals, and says what is missing' || why
run_as_nobody -all record --no-proc -- sleep 0.4
[ "$status" -eq 3 ] && grep -q 'needs CAP_BPF' "$dir/err"
ok 'unless that is forbidden' || why
run_as_nobody -all record --wakers -- sleep 0.4
[ "$status" -eq 3 ] && grep -q -- '--wakers needs BPF: not permitted' "$dir/err"
ok 'or an option needs BPF' || why
start_waits setpriv --reuid=65534 --regid=65534 --clear-groups
run_as_nobody -all record --proc -d 1 -p "$victim" -f json
[ "$status" -eq 0 ] && true_of 'len(t) == 4 and all(off(x) > 0.9 * x["wall_ns"] for x in t) and
	{x["cause"] for x in w} >= {"sleep", "pipe", "signal"}'
ok 'nobody records the waits of nobody' || why
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
run_as_nobody -all record --proc -d 1 -p "$victim" -f json
[ "$scope" -ne 0 ] || true_of 'all(any(x["name"].startswith("_start") or x["name"] == "clone3" or
	"libc_start" in x["name"] for x in p["frames"] if x.get("name")) for _ in t) and
	any(x["kind"] == "pipe" for x in p["objects"])'
ok 'with whole user stacks and objects, where ptrace is permitted' || why
finish

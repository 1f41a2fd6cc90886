#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agent from outside: settings, the store that it writes, signals, kills, and a full disk.
. tests/cli/tap.sh

store=$dir/store
agent=

# How many finished windows the store has.
windows() {
	total=0
	for f in "${1:-$store}"/*.coldspot; do
		[ -e "$f" ] || continue
		n=$(sqlite3 -cmd '.timeout 2000' "file:$f?mode=ro" 'SELECT count(*) FROM windows' \
			2>/dev/null) || n=0
		total=$((total + n))
	done
	echo "$total"
}

# COMMAND...: until it succeeds, at most 60 s.
await() {
	tries=600
	until "$@"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

# NUMBER: at least so many windows.
has_windows() {
	[ "$(windows)" -ge "$1" ]
}

log_has() {
	grep -q -e "$1" "$dir/log"
}

start() {
	timeout 300 "$COLDSPOT" agent --config "$dir/agent.toml" >"$dir/log.out" 2>"$dir/log" &
	timer=$!
	agent=
	await find_agent
}

find_agent() {
	agent=$(cat "/proc/$timer/task/$timer/children" 2>/dev/null)
	agent=${agent%% *}
	[ -n "$agent" ]
}

# Ends it; the status is its own.
end() {
	kill -"$1" "$agent"
	wait "$timer"
}

cat >"$dir/agent.toml" <<END
# of a test
store = "$store"
window = "1s"
hooks_only = true
END

run agent --config "$dir/agent.toml" --check --store "$dir/other"
[ "$status" -eq 0 ] && grep -q "^store = \"$dir/other\"\$" "$dir/out" &&
	grep -q '^window = "1s"$' "$dir/out" && grep -q '^max_overhead = "0.5%"$' "$dir/out" &&
	grep -q '^retention_days = 30$' "$dir/out"
ok '--check prints all settings' || why
cp "$dir/out" "$dir/printed.toml"
run agent --config "$dir/printed.toml" --check
cmp -s "$dir/out" "$dir/printed.toml"
ok 'what it prints is a file of settings' || why
printf 'window = "1s"\nretention_dsys = 3\n' >"$dir/bad.toml"
says 1 "coldspot agent: $dir/bad.toml: line 2: unknown setting 'retention_dsys'; did you mean \
'retention_days'?" agent --config "$dir/bad.toml" --check
says 1 "coldspot agent: cannot open '$dir/none.toml': No such file or directory" \
	agent --config "$dir/none.toml" --check

if ! can_record || ! is_root; then
	skip 'the store of an agent' 'this machine or user cannot record: see coldspot doctor'
	echo "1..$count"
	exit
fi

start
await has_windows 3
ok 'windows are written while it runs' || cat "$dir/log"
[ "$(stat -c %a "$store")" = 750 ]
ok 'only root and its group can read the store'
says_like 1 "another agent (PID $agent) writes to the store" agent --store "$store"
before=$(windows)
kill -TERM "$agent"
wait "$timer"
status=$?
[ "$status" -eq 0 ] && log_has 'stopped; [0-9]* windows written, 0 dropped' &&
	! ls "$store"/*-wal >/dev/null 2>&1 && [ "$(windows)" -gt "$before" ]
ok 'SIGTERM ends it with its last window, and the file is complete' || cat "$dir/log"
run check "$store"/*.coldspot
[ "$status" -eq 0 ]
ok 'the file is sound' || why
run report "$store"/*.coldspot
[ "$status" -eq 0 ] && grep -q '^all threads, ' "$dir/out"
ok 'report reads a day' || why

kept=$(windows)
lost=no
for i in 1 2 3 4 5; do
	start
	await has_windows $((kept + 2)) || lost=stuck
	sleep "0.$i"
	before=$(windows)
	kill -KILL "$agent"
	wait "$timer" 2>/dev/null
	kept=$(windows)
	[ "$kept" -ge "$before" ] || lost="$before became $kept"
done
[ "$lost" = no ] && [ "$(find "$store" -name '*.coldspot' | wc -l)" -le 2 ]
ok 'five kill -9 lose no finished window, and it goes on in the same file' ||
	echo "# $lost"
run check "$store"/*.coldspot
[ "$status" -eq 0 ]
ok 'the file is sound after kills' || why

# SIGHUP; a service manager that listens
python3 - "$dir/notify" >"$dir/notified" <<'END' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(120)
try:
    while True:
        text = s.recv(4096).decode()
        print(text, flush=True)
        if "STOPPING=1" in text:
            break
except TimeoutError:
    pass
END
listener=$!
await test -S "$dir/notify"
NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=1000000 JOURNAL_STREAM=8:1 start
await grep -q '^READY=1$' "$dir/notified"
ok 'the service manager knows when it records' || cat "$dir/log"
await grep -q '^WATCHDOG=1$' "$dir/notified" &&
	await grep -q '^STATUS=.* windows in ' "$dir/notified"
ok 'and that it is alive, and what it does' || cat "$dir/notified"
printf 'nonsense\n' >>"$dir/agent.toml"
kill -HUP "$agent"
await log_has "^<3>the settings stay as they are: .*: line 5: 'nonsense' lacks its '='"
ok 'wrong settings change nothing' || cat "$dir/log"
printf 'store = "%s"\nhooks_only = true\nwindow = "1s"\nretention_days = 3\n' "$store" \
	>"$dir/agent.toml"
kill -HUP "$agent"
await log_has '^<6>read the settings again'
ok 'SIGHUP reads the settings again' || cat "$dir/log"
printf 'store = "%s"\nhooks_only = true\nwindow = "2s"\n' "$dir/second" >"$dir/agent.toml"
kill -HUP "$agent"
second_has() {
	[ "$(windows "$dir/second")" -ge 2 ]
}
await second_has
ok 'another store and window need no restart' || cat "$dir/log"
length=$(sqlite3 "file:$(echo "$dir"/second/*.coldspot | cut -d' ' -f1)?mode=ro" \
	'SELECT max(window_ns) > 1500000000 FROM windows')
[ "$length" = 1 ]
ok 'windows have the new length'
end TERM
wait "$listener"
grep -q '^RELOADING=1$' "$dir/notified" && grep -q '^STOPPING=1$' "$dir/notified"
ok 'the service manager hears of it' || cat "$dir/notified"

# A disk that fills up, and has space again.
small=$dir/small
mkdir "$small"
if mount -t tmpfs -o size=6M none "$small" 2>/dev/null; then
	trap 'umount "$small"; rm -rf "$dir"' EXIT
	printf 'store = "%s"\nhooks_only = true\nwindow = "1s"\n' "$small/store" >"$dir/agent.toml"
	start
	small_has() {
		[ "$(windows "$small/store")" -ge "$1" ]
	}
	await small_has 1
	dd if=/dev/zero of="$small/ballast" bs=64k 2>/dev/null
	await log_has 'cannot write to the store, windows are dropped: .*full'
	ok 'windows that do not fit are dropped, and it says so' || cat "$dir/log"
	rm "$small/ballast"
	await log_has 'writing to the store again; [0-9]* windows\? w'
	ok 'it goes on when there is space' || cat "$dir/log"
	held=$(windows "$small/store")
	await small_has $((held + 1))
	end TERM
	run check "$small"/store/*.coldspot
	[ "$status" -eq 0 ]
	ok 'the file is sound after that' || why
	umount "$small"
	trap 'rm -rf "$dir"' EXIT
else
	skip 'a full disk' 'mount is not permitted'
fi

# A budget that nothing can meet: the windows of hooks give way to visits.
printf 'store = "%s"\nwindow = "1s"\nmax_overhead = "0.01%%"\n' "$dir/dear" >"$dir/agent.toml"
start
await log_has 'hooks cost [0-9.]* % of the machine, max_overhead is 0.01 %: threads are visited'
ok 'it leaves hooks that cost too much' || cat "$dir/log"
visited() {
	"$COLDSPOT" report -f json --since -1s "$dir/dear" 2>/dev/null | grep -q '"visit_hz":19,'
}
await visited
ok 'the windows say that threads were visited' || cat "$dir/log"
end TERM
run check "$dir"/dear/*.coldspot
[ "$status" -eq 0 ]
ok 'a file of both kinds is sound' || why

# Rules: a thread that sleeps is seen, and its command runs once.
cp "$(command -v sleep)" "$dir/nap$$"
"$dir/nap$$" 600 &
victim=$!
cat >"$dir/agent.toml" <<END
store = "$dir/watched"
window = "1s"
hooks_only = true
[[watch]]
name = "too much sleep"
process = "nap$$"
rate = "1ms"
run = "sh -c 'echo \$COLDSPOT_STATE >>$dir/alerts'"
END
start
alerted() {
	[ "$(tail -n 1 "$dir/alerts" 2>/dev/null)" = "$1" ]
}
await alerted begin
ok 'a rule runs its command' || cat "$dir/log"
kill "$victim"
await alerted end
[ "$(tr '\n' ' ' <"$dir/alerts")" = 'begin end ' ] &&
	log_has "'too much sleep' began: rate [0-9.]* m\?s per second, limit 1.00 ms per second"
ok 'once when it begins and once when it ends' || cat "$dir/log" "$dir/alerts"
end TERM

# Hours that are over are summed up by another process.
"$COLDSPOT_BUILD/tests/cli/test_past_store" "$dir/summed" 1
printf 'store = "%s"\nhooks_only = true\nwindow = "1s"\n' "$dir/summed" >"$dir/agent.toml"
start
await log_has 'summed up [0-9]* hours'
ok 'a running agent sums up hours' || cat "$dir/log"
end TERM
[ "$(windows "$dir/summed/hours")" -ge 7 ]
ok 'each has a window' || ls -l "$dir/summed/hours"

# Old days go, and space with them.
mkdir "$dir/old"
cp "$(find "$store" -name '*.coldspot' | head -n 1)" "$dir/old/2001-02-03.coldspot"
cp "$dir/old/2001-02-03.coldspot" "$dir/old/2001-02-04.coldspot"
truncate -s +3M "$dir/old/2001-02-04.coldspot"
dd if=/dev/urandom of="$dir/old/2001-02-04.coldspot" bs=64k count=32 seek=16 2>/dev/null
printf 'store = "%s"\nhooks_only = true\nwindow = "1s"\nretention_bytes = "2MiB"\n' "$dir/old" \
	>"$dir/agent.toml"
start
await log_has 'removed 2 files of the store, [0-9.]* MiB'
ok 'the limit in bytes removes the oldest days' || cat "$dir/log"
end TERM
[ ! -e "$dir/old/2001-02-03.coldspot" ] && [ -e "$dir/old/lock" ]
ok 'they are gone, the rest is not' || ls -l "$dir/old"
echo "1..$count"

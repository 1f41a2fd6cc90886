#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record --sample from outside: every kind of target, every kind of output, windows, bad options.
. tests/cli/tap.sh

if ! can_record; then
	echo '1..0 # SKIP this machine or user cannot record: see coldspot doctor'
	exit
fi

python3 -c 'import time
while True: time.sleep(0.0007)' &
victim=$!
trap 'kill "$victim" 2>/dev/null; rm -rf "$dir"' EXIT

run record -v -d 1 --sample -p "$victim" -o "$dir/x.json" -o "$dir/x.coldspot" -o "$dir/x.svg" \
	-o "$dir/x.html" -o "$dir/x.folded" -o "$dir/x.pb.gz" -o "$dir/x.txt" -o "$dir/x.csv"
[ "$status" -eq 0 ] && grep -q '"visit_hz":19,' "$dir/x.json" &&
	grep -q '"preempted_ns":null' "$dir/x.json" && grep -q 'rounds at 19 Hz, late by' "$dir/out"
ok 'a process is visited' || why
! grep -q ' 0 waits' "$dir/out" "$dir/x.txt" && ! grep -q ' 0 waits' "$dir/x.svg"
ok 'the number of waits is not given as 0' ||
	grep -H ' 0 waits' "$dir/out" "$dir/x.txt" "$dir/x.svg"
[ -s "$dir/x.html" ] && [ -s "$dir/x.pb.gz" ] && [ -s "$dir/x.csv" ] &&
	grep -q 'clock_nanosleep' "$dir/x.folded"
ok 'every output has it' || ls -l "$dir"
run check "$dir/x.coldspot"
[ "$status" -eq 0 ]
ok 'the recording is sound' || why
for view in totals cause_times class_times waits; do
	run query --store "$dir/x.coldspot" -f csv \
		"SELECT count(*) > 0, count(waits), coalesce(min(max_ms), 1) > 0 FROM $view"
	[ "$status" -eq 0 ] && grep -qx '1,0,1' "$dir/out"
	ok "SQL does not give the number of waits as 0: $view" || why
done
run report -v "$dir/x.coldspot"
[ "$status" -eq 0 ] && grep -q 'visits cannot tell' "$dir/out" &&
	grep -q 'rounds at 19 Hz' "$dir/out"
ok 'report knows that threads were visited' || why

run record -d 1 --sample=50 -t "$victim" -o "$dir/t.json"
[ "$status" -eq 0 ] && grep -q '"visit_hz":50,' "$dir/t.json"
ok 'a thread, at another rate' || why
run record -d 1 --sample --comm 'python*' -o "$dir/c.json"
[ "$status" -eq 0 ] && grep -q "\"tid\":$victim," "$dir/c.json"
ok 'threads by name' || why
run record -d 1 --sample -a -o "$dir/a.json"
[ "$status" -eq 0 ] && grep -q "\"tid\":$victim," "$dir/a.json"
ok 'all threads' || why
run record --sample 100 -o "$dir/cmd.json" -- sh -c 'sleep 0.3; sleep 0.3'
[ "$status" -eq 0 ] && grep -q '"comm":"sleep"' "$dir/cmd.json" &&
	grep -q '"visit_hz":100,' "$dir/cmd.json"
ok 'a command and its children' || why

run record -d 3 --every 1 --sample -p "$victim" -o "$dir/w.coldspot"
[ "$status" -eq 0 ]
ok 'windows follow each other' || why
run check "$dir/w.coldspot"
[ "$status" -eq 0 ]
ok 'each of them is sound' || why
run report -f json "$dir/w.coldspot"
[ "$status" -eq 0 ] && grep -q '"windows":[34],' "$dir/out"
ok 'and together they are one' || why

run record --sample 2 --every 999ms -p "$victim" -o "$dir/short.coldspot"
[ "$status" -eq 2 ] && grep -q 'at least two periods of --sample, 1.00 s$' "$dir/err" &&
	[ ! -e "$dir/short.coldspot" ]
ok 'not in windows that no visit may fall into' || why
run record --sample --exact -p "$victim"
[ "$status" -eq 2 ] && grep -q 'cannot be used together' "$dir/err"
ok 'not with --exact' || why
run record --sample=0 -p "$victim"
[ "$status" -eq 2 ]
ok 'not at 0 Hz' || why
finish

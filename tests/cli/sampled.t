#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sampling from outside: which waits are chosen, what the files and the screen say of it.
. tests/cli/tap.sh

if ! can_record; then
	echo '1..0 # SKIP this machine or user cannot record: see coldspot doctor'
	exit
fi

# Short waits, about a thousand a second.
python3 -c 'import time
while True: time.sleep(0.0007)' &
victim=$!
trap 'kill "$victim" 2>/dev/null; rm -rf "$dir"' EXIT

has() { # FILE KEY VALUE: of the header, a pattern
	grep -q "\"header\":{.*\"$2\":$3[,}]" "$dir/$1"
}

run record -v -d 1 -p "$victim" -o "$dir/exact.json"
[ "$status" -eq 0 ] && has exact.json period_max_ns 0 && grep -q 'waits chosen (all)' "$dir/out" &&
	! grep -q '±' "$dir/out"
ok 'a process is recorded exactly' || why

run record -v -d 1 --period 10ms -p "$victim" -o "$dir/p.json" -o "$dir/p.folded" -o "$dir/p.txt" \
	-o "$dir/p.svg"
[ "$status" -eq 0 ] && has p.json period_ns 10000000 && has p.json period_changes 0 &&
	grep -q 'waits chosen (one per 10.0 ms waited)' "$dir/out"
ok 'a period is kept' || why
grep -q '±' "$dir/out" && grep -q ' ±[0-9]' "$dir/p.txt" && grep -q ' ±[0-9,]* µs' "$dir/p.svg"
ok 'estimates have their standard error' || why
[ -s "$dir/p.folded" ] && ! grep -qv ' [0-9][0-9]*$' "$dir/p.folded"
ok 'folded stacks are whole numbers' || cat "$dir/p.folded"

run record -d 1 --period 0 -p "$victim" -o "$dir/zero.json"
[ "$status" -eq 0 ] && has zero.json period_max_ns 0
ok 'a period of 0 means no sampling' || why
run record -d 1 -a --exact -o "$dir/all.json"
[ "$status" -eq 0 ] && has all.json period_max_ns 0
ok 'the whole machine is recorded exactly on request' || why
run record -d 2 --max-overhead 0.01% -p "$victim" -o "$dir/g.json"
[ "$status" -eq 0 ] && has g.json period_min_ns 0 && has g.json period_changes '[1-9][0-9]*'
ok 'a budget that is next to nothing needs a period' || why
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# runqlat: bcc's flags and output.
. tests/cli/tap.sh

says 2 'coldspot runqlat: --pids and --tids cannot be used together' runqlat -P -L 1
says 2 'coldspot runqlat: --pids and --pidnss cannot be used together' runqlat -P --pidnss 1
says_like 2 "^coldspot runqlat: COUNT: '0' is not a whole number" runqlat 1 0
if ! can_record; then
	skip 'histograms' 'cannot record here'
	finish
	exit
fi

# Two that want the same CPU: each waits for the other's slice.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" sh -c 'while :; do :; done' &
one=$!
taskset -c "$cpu" sh -c 'while :; do :; done' &
two=$!
trap 'kill "$one" "$two" 2>/dev/null; rm -rf "$dir"' EXIT
run runqlat -p "$one,$two" 0.5 1
[ "$status" -eq 0 ] && [ ! -s "$dir/err" ] &&
	[ "$(sed -n 1p "$dir/out")" = 'Tracing run queue latency... Hit Ctrl-C to end.' ] &&
	[ -z "$(sed -n 2p "$dir/out")" ] &&
	[ "$(sed -n 3p "$dir/out")" = '     usecs               : count    distribution' ] &&
	awk '$2 == "->" && $1 >= 1024 { long += $5 } END { exit !(long > 20) }' "$dir/out"
ok 'the layout is that of bcc, and slices of others are waited for' || why
run runqlat -m -P -T -p "$one,$two" 0.5 2
[ "$(grep -c "^pid = $one sh\$" "$dir/out")" -eq 2 ] &&
	[ "$(grep -c "^pid = $two sh\$" "$dir/out")" -eq 2 ] &&
	[ "$(grep -c '^     msecs               : count    distribution$' "$dir/out")" -eq 4 ] &&
	[ "$(grep -c '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$' "$dir/out")" -eq 2 ]
ok 'processes, milliseconds, the time of day, twice' || why
run runqlat -L -p "$one" 0.3 1
grep -q "^tid = $one sh\$" "$dir/out"
ok 'threads' || why
run runqlat --pidnss -p "$one" 0.3 1
ns=$(readlink "/proc/$one/ns/pid_for_children" | tr -dc 0-9)
grep -q "^pidns = $ns sh\$" "$dir/out"
ok 'PID namespaces' || why
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cpudist: bcc's flags and output.
. tests/cli/tap.sh

says 2 'coldspot cpudist: --pids and --tids cannot be used together' cpudist -O -P -L 1
says_like 2 "^coldspot cpudist: INTERVAL: 'soon' is not a time" cpudist -O soon
says_like 2 "^coldspot cpudist: COUNT: '0' is not a whole number" cpudist -O 1 0
if ! can_record; then
	skip 'histograms' 'cannot record here'
	finish
	exit
fi

# The sum of counts in a histogram.
counted() {
	awk '$2 == "->" { sum += $5 } END { print sum + 0 }' "$dir/out"
}

# Waits of 20 ms and a little, some 25 in half a second; one that is not over does not count.
sh -c 'while :; do sleep 0.02; done' &
loop=$!
sleep 600 &
asleep=$!
# Waits of 0.7 s, which no interval of 0.5 s has room for.
perl -e 'while (1) { select(undef, undef, undef, 0.7) }' &
long=$!
trap 'kill "$loop" "$asleep" "$long" 2>/dev/null; rm -rf "$dir"' EXIT
# Where it is busy, each of the few waits may be longer: then they are recorded again.
for _ in 1 2 3; do
	run cpudist -O -p "$loop" 0.5 1
	! grep -q '^     16384 -> 32767      : [1-9]' "$dir/out" || break
done
[ "$status" -eq 0 ] && [ ! -s "$dir/err" ] &&
	[ "$(sed -n 1p "$dir/out")" = 'Tracing off-CPU time... Hit Ctrl-C to end.' ] &&
	[ -z "$(sed -n 2p "$dir/out")" ] &&
	[ "$(sed -n 3p "$dir/out")" = '     usecs               : count    distribution' ] &&
	grep -q '^     16384 -> 32767      : [1-9]' "$dir/out" &&
	grep -q ' : [1-9][0-9]*  *|\*\{40\}|$' "$dir/out"
ok 'the layout is that of bcc' || why
run cpudist -O -m -P -T -p "$loop" 0.5 2
[ "$(grep -c "^pid = $loop sh\$" "$dir/out")" -eq 2 ] &&
	[ "$(grep -c '^     msecs               : count    distribution$' "$dir/out")" -eq 2 ] &&
	[ "$(grep -c '^[0-9][0-9]:[0-9][0-9]:[0-9][0-9]$' "$dir/out")" -eq 2 ] &&
	grep -q '^        16 -> 31         : [1-9]' "$dir/out"
ok 'processes, milliseconds, the time of day, twice' || why
run cpudist -O -L -p "$asleep" 0.2 1
[ "$status" -eq 0 ] && ! grep -q 'tid = \|usecs' "$dir/out"
ok 'a slice that neither began nor ended in the trace does not count' || why
run cpudist -O -m -p "$long" 0.5 6
whole=$(grep -c '^       512 -> 1023 *: 1 ' "$dir/out")
# it may be preempted for a moment, but no wait may be in parts
[ "$status" -eq 0 ] && [ "$whole" -ge 3 ] && [ "$whole" -le 4 ] &&
	! grep -q '^ *\(128 -> 255\|256 -> 511\|1024 -> 2047\) *: [1-9]' "$dir/out"
ok 'a wait counts once, whole, in the interval in which it ends' || why
run cpudist -p "$loop" 0.5 1
[ "$status" -eq 0 ] && [ ! -s "$dir/err" ] && [ "$(counted)" -ge 8 ] &&
	[ "$(sed -n 1p "$dir/out")" = 'Tracing on-CPU time... Hit Ctrl-C to end.' ] &&
	! grep -q '^     16384 -> 32767' "$dir/out"
ok 'on-CPU time includes slices that end because the thread blocks' || why
run cpudist -O -e -p "$loop" 0.5 1
[ "$status" -eq 0 ] &&
	grep -q "^avg = [0-9]* usecs, total: [0-9]* usecs, count: $(counted)\$" "$dir/out"
ok 'average, total and count' || why
says_like 1 'there is no process 4194303\|no process 4194303' cpudist -O -p 4194303 1 1
finish

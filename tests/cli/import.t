#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files of other tools: what they say is what the recording says, and what they do not say is blank.
# shellcheck source=tests/cli/tap.sh
. tests/cli/tap.sh

# FILE: the sum of the listed time, in ns
listed() {
	sqlite3 "$1" 'SELECT sum(listed_blocked_ns + listed_runq_ns) FROM windows'
}

# WHAT NS: the recording that was just made has this sum, and is sound
sums_to() {
	[ "$status" -eq 0 ] && [ "$(listed "$dir/x.coldspot")" = "$2" ] &&
		"$COLDSPOT" check -q "$dir/x.coldspot" >"$dir/out" 2>&1
	ok "$1" || { echo "# want $2, got $(listed "$dir/x.coldspot")" && why; }
}

rm_made() {
	rm -f "$dir/x.coldspot"
}

cat >"$dir/f.folded" <<'END'
web;main;read;entry_SYSCALL_64;do_syscall_64;__x64_sys_read;pipe_read;schedule 1500
web;main;work;asm_sysvec_apic_timer_interrupt;irqentry_exit_to_user_mode;schedule 20
db;main;entry_SYSCALL_64;do_syscall_64;__x64_sys_futex;do_futex;futex_wait;schedule 4000
END
ln -s f.folded "$dir/coldspot.txt"

run import --unit us "$dir/f.folded" -o "$dir/x.coldspot"
sums_to 'the sum of folded stacks is that of the file' 5520000
grep -q "wrote $dir/x.coldspot" "$dir/err"
ok 'it says what it wrote'
prints 0 'not known: when it was recorded, for how long' report "$dir/x.coldspot"
grep -q '^  on a CPU  *-  *-  not known$' "$dir/out"
ok 'time on a CPU is blank'
grep -q 'pipe read (S)' "$dir/out" && grep -q 'futex (S)' "$dir/out" &&
	grep -q 'preempted (R)' "$dir/out"
ok 'waits have causes, by their stacks' || why
prints 0 '"threads":null,"processes":null,"wall_ns":null,"on_ns":null' report -f json \
	"$dir/x.coldspot"
[ "$(sqlite3 "$dir/x.coldspot" 'SELECT source, on_ns IS NULL, threads IS NULL FROM imports
	JOIN windows ON window = id')" = 'folded stacks|1|1' ]
ok 'so it is in SQL'
for other in "$dir"/y.folded "$dir"/y.html "$dir"/y.pb.gz "$dir"/y.svg; do
	run report -q -o "$other" "$dir/x.coldspot"
	[ "$status" -eq 0 ] && [ -s "$other" ]
	ok "report writes ${other##*.} of it" || why
done
prints 0 'futex' report --by cause "$dir/x.coldspot"

# as people pipe it
run import --unit us -o "$dir/p.coldspot" - <"$dir/f.folded"
[ "$status" -eq 0 ] && [ "$(listed "$dir/p.coldspot")" = 5520000 ]
ok 'standard input' || why
gzip -nc "$dir/f.folded" >"$dir/f.gz"
rm_made
run import --unit ns "$dir/f.gz" -o "$dir/x.coldspot"
sums_to 'gzip, and another unit' 5520
rm_made
run import --unit us "$dir/f.folded" "$dir/f.gz" -o "$dir/x.coldspot"
sums_to 'several files are added up' 11040000
timeout 30 "$COLDSPOT" import --unit us "$dir/f.folded" | head -n 1 >"$dir/out"
grep -q 'f.folded: 5.52 ms off the CPU' "$dir/out"
ok 'the reader of the summary may go away'

# a diff needs to know how long
rm_made
run import --unit us "$dir/f.folded" -o "$dir/x.coldspot"
says 1 "coldspot diff: the recording before is an import without a length: import it with \
--window, or compare --per requests" diff "$dir/x.coldspot" "$dir/x.coldspot"
rm_made
run import --unit us --window 2s "$dir/f.folded" -o "$dir/x.coldspot"
prints 0 'futex' diff "$dir/x.coldspot" "$dir/x.coldspot"

# wrong use, wrong files: one sentence, and nothing is written
says 1 "coldspot import: '$dir/f.folded' has folded stacks, which do not state their unit: add \
--unit us if it is from offcputime -f, or ns, ms, or samples and --period" \
	import "$dir/f.folded" -o "$dir/no.coldspot"
says 1 "coldspot import: '$dir/f.folded' counts samples: add --period, the time that each stands \
for, such as 10ms at 100 Hz" import --unit samples "$dir/f.folded"
says 1 "coldspot import: '$dir/x.coldspot' is a recording already: use coldspot report" \
	import "$dir/x.coldspot" -o "$dir/no.coldspot"
says 1 "coldspot import: cannot read '$dir/gone': No such file or directory" import "$dir/gone"
says_like 1 "cannot read '$dir': " import "$dir"
says_like 1 'has an unknown format' import /bin/sh
says 1 "coldspot import: '/dev/null' is empty" import /dev/null
says_like 2 "'nonsense'" import --from nonsense "$dir/f.folded"
says_like 2 'unknown extension' import --unit us "$dir/f.folded" -o "$dir/no.such"
says_like 2 'FILE' import
says_like 1 'would overwrite\|recording' import --unit us "$dir/f.folded" -o "$dir/f.folded"
head -c 100 "$dir/f.gz" >"$dir/cut.gz"
says 1 "coldspot import: $dir/cut.gz at byte 100: the gzip data is cut short" \
	import --unit us "$dir/cut.gz" -o "$dir/no.coldspot"
[ ! -e "$dir/no.coldspot" ] && [ -s "$dir/f.folded" ]
ok 'nothing is written on an error'

# pprof: ours comes back to the nanosecond; Go's own profiles
for case in shop kernel idle; do
	rm_made
	run import "tests/golden/$case/expected.pb.gz" -o "$dir/x.coldspot"
	sums_to "pprof of $case" "$(jq '.budget | .listed_blocked_ns + .listed_runq_ns' \
		"tests/golden/$case/expected.json")"
done
# speedscope: the whole, and not its parts by cause as well
for case in shop kernel idle; do
	rm_made
	run import "tests/golden/$case/expected.speedscope.json" -o "$dir/x.coldspot"
	sums_to "speedscope of $case" "$(jq '.profiles[0].weights | add' \
		"tests/golden/$case/expected.speedscope.json")"
done
head -c 2000 tests/golden/shop/expected.speedscope.json >"$dir/cut.json"
says_like 1 "$dir/cut.json:[0-9]*: not JSON: " import "$dir/cut.json" -o "$dir/no.coldspot"

go=$(command -v go || find /usr/lib/go-*/bin/go 2>/dev/null | head -n 1)
if [ -z "$go" ]; then
	skip 'a block profile of Go' 'no go'
	skip 'a CPU profile of Go is refused' 'no go'
else
	cat >"$dir/blocks.go" <<'END'
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func main() {
	cpu, _ := os.Create(os.Args[1] + "/cpu.pb.gz")
	pprof.StartCPUProfile(cpu)
	runtime.SetBlockProfileRate(1)
	c := make(chan int)
	go func() {
		time.Sleep(3 * time.Millisecond)
		c <- 1
	}()
	<-c
	pprof.StopCPUProfile()
	f, _ := os.Create(os.Args[1] + "/block.pb.gz")
	pprof.Lookup("block").WriteTo(f, 0)
	f.Close()
}
END
	GOCACHE="$dir/cache" GO111MODULE=off timeout 120 "$go" run "$dir/blocks.go" "$dir"
	"$go" tool pprof -raw "$dir/block.pb.gz" >"$dir/raw" 2>/dev/null
	rm_made
	run import "$dir/block.pb.gz" -o "$dir/x.coldspot"
	sums_to 'a block profile of Go' \
		"$(awk '/^ +[0-9]+ +[0-9]+:/ { sum += $2 } END { print sum + 0 }' "$dir/raw")"
	says_like 1 'has no time of waits; its sample types: samples/count, cpu/nanoseconds' \
		import "$dir/cpu.pb.gz" -o "$dir/no.coldspot"
fi

# the events of perf, and its own sums
if ! is_root || ! command -v perf >/dev/null ||
	! timeout 60 perf sched record -o "$dir/perf.data" -- sleep 0.3 >/dev/null 2>&1; then
	skip 'perf.data of perf sched' 'needs root, and perf'
	skip 'the text of perf script is the same' 'needs root, and perf'
	skip 'run times are those of perf sched timehist' 'needs root, and perf'
	skip 'a perf.data file that is cut short' 'needs root, and perf'
	skip 'without perf' 'needs root, and perf'
else
	rm_made
	run import "$dir/perf.data" -o "$dir/x.coldspot"
	[ "$status" -eq 0 ] && "$COLDSPOT" check -q "$dir/x.coldspot" >"$dir/out" 2>&1 &&
		[ "$(sqlite3 "$dir/x.coldspot" 'SELECT sum(wall_ns - on_ns - preempted_ns - runq_ns
			- blocked_ns - unaccounted_ns) = 0 AND sum(on_ns) > 0 FROM tasks')" = 1 ]
	ok 'perf.data of perf sched adds up' || why
	perf script --ns -i "$dir/perf.data" -F comm,pid,tid,cpu,time,event,trace \
		>"$dir/perf.txt" 2>/dev/null
	run import "$dir/perf.txt" -o "$dir/p2.coldspot"
	sum='SELECT sum(on_ns), sum(runq_ns), sum(blocked_ns), count(*) FROM tasks'
	[ "$status" -eq 0 ] && [ "$(sqlite3 "$dir/x.coldspot" "$sum")" = \
		"$(sqlite3 "$dir/p2.coldspot" "$sum")" ]
	ok 'the text of perf script is the same' || why
	# A thread that was off the CPU at both ends; perf counts from its first switch, in ms. If a
	# switch was hidden from both, perf says that it ran, and we that it is not known.
	perf sched timehist -s -i "$dir/perf.data" 2>/dev/null |
		sed -n 's/^ *sleep\[\([0-9]*\)\] *[0-9-]* *[0-9]* *\([0-9.]*\) .*/\1 \2/p' \
			>"$dir/th"
	read -r tid ms <"$dir/th"
	ns=$(sqlite3 "$dir/x.coldspot" "SELECT sum(on_ns) FROM tasks WHERE tid = $tid")
	most=$(sqlite3 "$dir/x.coldspot" \
		"SELECT sum(on_ns + unaccounted_ns) FROM tasks WHERE tid = $tid")
	awk "BEGIN { exit !($ns - $ms * 1e6 < 1e5 && $ms * 1e6 - $most < 1e5) }"
	ok 'run times are those of perf sched timehist' || echo "# $ns to $most ns, and $ms ms"
	head -c 5000 "$dir/perf.data" >"$dir/cut.data"
	says_like 1 "cannot read '$dir/cut.data': \|no events" \
		import "$dir/cut.data" -o "$dir/no.coldspot"
	PATH=/nowhere run import "$dir/perf.data"
	if [ "$status" -eq 127 ]; then # timeout(1) was not found either
		/usr/bin/env -i PATH=/nowhere "$COLDSPOT" import "$dir/perf.data" 2>"$dir/err"
	fi
	grep -q 'perf is not installed' "$dir/err"
	ok 'without perf' || why
fi

# what the program next door prints, and the same through us
if ! is_root || ! can_record || ! command -v offcputime >/dev/null; then
	skip 'offcputime of libbpf-tools' 'needs root, and libbpf-tools'
	skip 'coldspot offcputime' 'needs root'
	skip 'coldspot offcputime -f' 'needs root'
else
	start_victim
	while [ -e "/proc/$victim" ]; do
		sleep 0.02
	done &
	timeout 20 offcputime 1 >"$dir/o.txt" 2>/dev/null
	us=$(awk '/^        [0-9]+$/ { sum += $1 } END { printf "%d000", sum }' "$dir/o.txt")
	rm_made
	run import "$dir/o.txt" -o "$dir/x.coldspot"
	sums_to 'offcputime of libbpf-tools' "$us"
	timeout 20 "$COLDSPOT" offcputime 1 >"$dir/o.txt" 2>/dev/null
	us=$(awk '/^        [0-9]+$/ { sum += $1 } END { printf "%d000", sum }' "$dir/o.txt")
	rm_made
	run import "$dir/o.txt" -o "$dir/x.coldspot"
	sums_to 'coldspot offcputime' "$us"
	timeout 20 "$COLDSPOT" offcputime -f 1 >"$dir/o.txt" 2>/dev/null
	us=$(awk '{ sum += $NF } END { printf "%d000", sum }' "$dir/o.txt")
	rm_made
	run import --unit us "$dir/o.txt" -o "$dir/x.coldspot"
	sums_to 'coldspot offcputime -f' "$us"
	kill "$victim"
fi

echo "1..$count"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report, export and hist: recordings in, any part in any format out. No rights are needed.
. tests/cli/tap.sh

maker=$COLDSPOT_BUILD/tests/cli/test_literal_recording
shop=tests/golden/shop/profile.lit

# NAME WINDOW.lit...
record() {
	name=$1
	shift
	"$maker" "$dir/$name" "$@" || exit 1
}

# Three windows of one boot, the second a second after the first.
window() { # SECONDS MS-OF-FUTEX
	cat <<-END
		host web-1
		boot 5f1c
		arch x86_64
		target PID 10 (web)
		window 10s
		begin_wall $((1800000000 + $1))s
		begin_mono $((1000 + $1))s
		ncpu 2
		sides user kernel
		max max
		module app elf /opt/app
		task 10/10 web group=web cgroup=77 start=5 on=1s
		  wait S sys=futex blocked=$2ms count=3
		    u @app 1 main
		    u @app 2 take
		    k futex_wait
		  wait R runq=4ms flags=preempted
		    u @app 1 main
		task 10/11 web-2 group=web cgroup=78 start=6 on=2s
		  wait S sys=fsync blocked=20ms
		    u @app 1 main
		    u @app 3 flush
		    k do_fsync
	END
}
window 0 30 >"$dir/w1.lit"
window 11 50 >"$dir/w2.lit"
window 21 70 >"$dir/w3.lit"
record one.coldspot "$shop"
record days.coldspot "$dir/w1.lit" "$dir/w2.lit"
record last.coldspot "$dir/w3.lit"
one=$dir/one.coldspot days=$dir/days.coldspot last=$dir/last.coldspot

# What is missing is one sentence, and a status.
r='coldspot report:'
says 2 "$r FILE... is missing" report
says 1 "$r cannot read '/nonexistent': No such file or directory" report /nonexistent
says_like 1 "^$r '.*report.t' is not a coldspot recording" report tests/cli/report.t
: >"$dir/empty.coldspot"
says_like 1 "^$r '.*empty.coldspot' is empty: a recording is written when" \
	report "$dir/empty.coldspot"
says_like 2 "^$r --format: unknown format 'gif'; known formats: summary," report -f gif "$one"
says_like 2 "^$r --output: unknown extension of 'x.gif'" report -o x.gif "$one"
says 2 "$r --cause: 'futexes' is not a cause; did you mean futex?" report --cause futexes "$one"
says 2 "$r --state: 'Q' is not a task state; try D or S,D" report --state Q "$one"
says 2 "$r --min: 'many' is not a time or percentage; try 10ms or 1%" report --min many "$one"
says_like 2 "^$r --from: 'noon' is not a time; try 90s" report --from noon "$one"
says_like 1 "^$r '(' is not a regular expression: " report --regex --comm '(' "$one"
says 1 "$r nothing selected: --comm matches none of 3 threads" report --comm nobody "$one"
says_like 1 'there is a frame .event_loop' report --under loop "$one"
says 1 "$r nothing selected: --cgroup matches none of 3 threads" \
	report --cgroup /no/such/group "$one"
says_like 1 "^$r no window in that time range: the windows are from 2027-01-15T08:00:00.000Z to " \
	report --from 1h "$days"
says_like 2 "^coldspot export: FORMAT: unknown format 'gif'; known formats:" export gif "$one"
says 2 'coldspot export: FILE... is missing' export svg
says_like 2 '^coldspot report: --user-threads and --kernel-threads cannot' report -uk "$one"

# A recording says what the profile it was made of says.
for format in txt folded wide json csv speedscope tree; do
	case $format in
	wide) ending=wide.folded ;;
	speedscope) ending=speedscope.json ;;
	tree) ending=tree.txt ;;
	*) ending=$format ;;
	esac
	run report -f $format "$one"
	cmp -s "$dir/out" "tests/golden/shop/expected.$ending"
	same=$?
	run export $format "$one"
	[ "$same" -eq 0 ] && [ "$status" -eq 0 ] && [ ! -s "$dir/err" ] &&
		cmp -s "$dir/out" "tests/golden/shop/expected.$ending"
	ok "report and export: $format is that of the profile" || why
done
# of a sheet, which has more rows than the screen of the golden one
run export summary "$one"
mv "$dir/out" "$dir/summary"
run report "$one"
cmp -s "$dir/out" "$dir/summary" &&
	head -n 10 tests/golden/shop/expected.summary >"$dir/want" &&
	head -n 10 "$dir/out" | cmp -s - "$dir/want" &&
	tail -n 5 tests/golden/shop/expected.summary >"$dir/want" &&
	tail -n 5 "$dir/out" | cmp -s - "$dir/want"
ok 'without words it is the summary, and that of the profile' || why
run report -q -o "$dir/a.svg" -o "$dir/a.json" "$one"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && grep -q '<svg' "$dir/a.svg" &&
	cmp -s "$dir/a.json" tests/golden/shop/expected.json
ok 'files, and nothing on standard output' || why

# A file that cannot be written whole is removed, old or new, and each is reported.
echo old >"$dir/old.svg"
(
	ulimit -f 4
	trap '' XFSZ
	run report -q -o "$dir/old.svg" -o "$dir/new.html" -o "$dir/new.folded" "$one"
	echo "$status" >"$dir/status"
)
[ "$(cat "$dir/status")" -eq 1 ] && [ ! -s "$dir/old.svg" ] && [ ! -e "$dir/new.html" ] &&
	cmp -s "$dir/new.folded" tests/golden/shop/expected.folded &&
	grep -q "old.svg': File too large; cannot write '.*new.html': File too large" "$dir/err"
ok 'a full disk leaves no file that looks complete' || why

# A part of a recording must not take the place of the whole.
cp "$one" "$dir/part.coldspot"
ln "$dir/part.coldspot" "$dir/link.coldspot"
says_like 1 "^$r '.*link.coldspot' is an input recording: write to another file" \
	report -q --cause lock -o "$dir/link.coldspot" "$dir/part.coldspot"
cmp -s "$one" "$dir/part.coldspot"
ok 'the old file is unchanged'

# Windows and files become one.
prints 0 '^PID 10 (web), 20.0 s on 2 CPUs: 6.13 s of thread time, 2 threads, 1 process$' \
	report "$days"
prints 0 '^2 windows, 1.00 s between them not recorded$' report "$days"
prints 0 '^PID 10 (web), 30.0 s on 2 CPUs: 9.22 s of thread time, 2 threads, 1 process$' \
	report "$days" "$last"
prints 0 '^3 windows, 1.00 s between them not recorded$' report "$days" "$last"
prints 0 '^2 windows, 10.0 s in more than one and counted in each$' report "$last" "$last"
run export folded "$days"
[ "$status" -eq 0 ] && grep -qx 'web;main;take;futex_wait 80000' "$dir/out" &&
	[ "$(cat "$dir/err")" = 'coldspot export: 2 windows, 1.00 s between them not recorded' ]
ok 'stderr reports what a format cannot hold' || why

# Times.
prints 0 '^PID 10 (web), 10.0 s on 2 CPUs: 3.05 s of thread time' report --to 10s "$days"
prints 0 '^PID 10 (web), 10.0 s on 2 CPUs: 3.07 s of thread time' report --from 10s "$days"
prints 0 '^PID 10 (web), 10.0 s on 2 CPUs: 3.09 s of thread time' report --from -10s "$days" "$last"
prints 0 '^PID 10 (web), 10.0 s on 2 CPUs: 3.07 s' \
	report --from 2027-01-15T08:00:11 --to 2027-01-15T08:00:21Z "$days" "$last"
says 1 "$r the time range ends before it begins" report --from 15s --to 5s "$days"
whole="$r windows are not split: showing 2027-01-15T08:00:11.000Z"
whole="$whole to 2027-01-15T08:00:21.000Z"
run report --from 12s --to 13s "$days"
[ "$status" -eq 0 ] && [ "$(cat "$dir/err")" = "$whole" ]
ok 'part of a window selects the whole window, and says so' || why
run report --from 11s --to 21s "$days"
[ "$status" -eq 0 ] && [ ! -s "$dir/err" ]
ok 'a window that fits exactly gets no message' || why

# Where the recording has no paths, one is below where cgroup v2 is mounted, as it is for record.
mount=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo |
	head -n 1)
if [ -n "$mount" ]; then
	window 0 30 | sed "s/cgroup=77/cgroup=$(stat -c %i "$mount")/" >"$dir/root.lit"
	record root.coldspot "$dir/root.lit"
	prints 0 '^selected 34.0 ms of 54.0 ms waited, 1 of 2 threads: --cgroup /$' \
		report --cgroup / "$dir/root.coldspot"
else
	skip 'paths of cgroups' 'cgroup v2 is not mounted'
fi

# Where it has, what is here is nothing to it.
window 0 30 | sed 's,cgroup=77,cgroup=1 cgroup_path=/a.slice/web.service,' >"$dir/paths.lit"
record paths.coldspot "$dir/paths.lit"
for glob in '/a.slice/web.service' web.service '/a.*'; do
	prints 0 '^selected 34.0 ms of 54.0 ms waited, 1 of 2 threads: --cgroup ' \
		report --cgroup "$glob" "$dir/paths.coldspot"
done
prints 0 ' /a.slice/web.service, 1.00 s on a CPU$' report --by cgroup "$dir/paths.coldspot"
says 1 "$r nothing selected: --cgroup matches none of 2 threads" \
	report --cgroup / "$dir/paths.coldspot"

# Filters: of threads with all of their time, of waits without touching it.
prints 0 '^selected 88.0 ms of 128 ms waited, 1 of 2 threads: --comm web$' report --comm web "$days"
prints 0 '^PID 10 (web), 20.0 s on 2 CPUs: 2.09 s of thread time, 1 thread' \
	report --comm web "$days"
prints 0 '^selected 80.0 ms of 128 ms waited: --cause futex$' report --cause futex "$days"
prints 0 '^PID 10 (web), 20.0 s on 2 CPUs: 6.13 s of thread time, 2 threads' \
	report --cause futex "$days"
prints 0 '^Filters excluded waits' report --cause futex "$days"
prints 0 '^selected 40.0 ms of 128 ms waited: --under flush$' report --under flush "$days"
prints 0 "^selected 120 ms of 128 ms waited: --under '(flush|take)' --regex$" \
	report --regex --under '(flush|take)' "$days"
prints 0 '^selected 48.0 ms of 128 ms waited: --not-under take$' report --not-under take "$days"
prints 0 '^selected 8.00 ms of 128 ms waited: --state R$' report --state R "$days"
prints 0 '^selected 80.0 ms of 128 ms waited: --min 50%$' report --min 50% "$days"
prints 0 "^selected 8.00 ms of 128 ms waited: --max '10.0 ms'$" report --max 10ms "$days"
prints 0 '^selected 40.0 ms of 128 ms waited, 1 of 2 threads: --tid 11$' report -t 11 "$days"
prints 0 '^selected 40.0 ms of 128 ms waited, 1 of 2 threads: --cgroup 78$' \
	report --cgroup 78 "$days"
prints 0 "^selected 128 ms of 128 ms waited: --module 'a\*'$" report --module 'a*' "$days"
run export json --cause futex "$days"
[ "$status" -eq 0 ] && grep -q '"selection":{"filters":"--cause futex","whole_off_ns":128000000,' \
	"$dir/out"
ok 'JSON has the total of the whole recording' || why

# Groups, trees.
prints 0 '^ *88.0 ms  68.8% .* web-10/10, 2.00 s on a CPU$' report --by thread "$days"
prints 0 '^ *128 ms 100.0% .* web-10, 6.00 s on a CPU$' report --by process "$days"
prints 0 '^ *80.0 ms  62.5% .* futex$' report --by cause "$days"
prints 0 '^ *128 ms 100.0% .* app$' report --by module "$days"
prints 0 '^ *40.0 ms  31.3% .* cgroup 78, 4.00 s on a CPU$' report --by cgroup "$days"
run report --by cause -f folded --invert "$one"
[ "$status" -eq 0 ] && [ -s "$dir/out" ] && cat >"$dir/want" <<-END && cmp -s "$dir/want" "$dir/err"
	coldspot report: folded ignores --by
	coldspot report: folded ignores --invert
END
ok 'an option that a format ignores is reported' || why
run report -q --by cause --invert -o "$dir/by.json" -o "$dir/by.svg" -o "$dir/by.coldspot" "$days"
[ "$status" -eq 0 ] && [ "$(grep -c 'json ignores --' "$dir/err")" -eq 2 ] &&
	[ "$(wc -l <"$dir/err")" -eq 2 ]
ok 'also of a file, and of no other' || why
prints 0 '^ 62.5%  80.0 ms  futex_wait$' report --invert "$days"
prints 0 '^ 37.5%  48.0 ms  \[2 smaller\]$' report --invert --top 1 "$days"

# What waits are called, and which rule says so.
prints 0 "^  idle                9.71 s  36.8%  waits for work: poll 9.70 s; for a CPU after them" \
	report "$one"
prints 0 '^  idle                  0 ns   0.0%$' report --no-idle-rules "$one"
prints 0 '^selected 9.71 s of 21.9 s waited: --class idle$' report --class idle "$one"
prints 0 "^selected 12.2 s of 21.9 s waited: --idle hide$" report --idle hide -f tree "$one"
prints 0 '^  idle   9.71 s  \[idle\]$' report --idle apart -f tree "$one"
prints 0 '^Each request: 3.71 ms on a CPU,' report --requests 120/s "$one"
prints 0 '^Each request: 3.71 ms on a CPU,' report --requests 7200/m "$one"
says_like 2 "--requests: '12/h' is not a request rate; try 1200/s" report --requests 12/h "$one"
says_like 2 "--requests: '-1' is not a request rate" report --requests=-1 "$one"
says_like 2 "--class: 'idl' is not a class; did you mean idle?" report --class idl "$one"
prints 0 '^  kind lock: a user-space mutex that another thread held$' report --explain 1 "$one"
prints 0 '^    by rule c/mutex (seen: ' report --explain take_order "$one"
prints 0 '^      user stack has __lll_lock_wait$' report --explain take_order "$one"
prints 0 '^    by rule loop/by-name (seen: ' report --explain poll "$one"
prints 0 '^      kind is one of poll$' report --explain poll "$one"
prints 0 '^      it lost its CPU and could have run on$' report --explain preempted "$one"
prints 0 '^  place: query_orders > libpq > PQexec$' report --explain 2 "$one"
prints 0 '^    machinery (the C library): ' report --explain 2 "$one"
prints 0 '^    library libpq (a shared library): pqReadData < PQexec$' report --explain 2 "$one"
prints 0 '^    the program: query_orders < worker_main$' report --explain 2 "$one"
says 1 "$r no wait has 'nobody' in its stack, thread or cause, or as its row" \
	report --explain nobody "$one"
says 1 "$r no wait has '0' in its stack, thread or cause, or as its row" report --explain 0 "$one"
cat >"$dir/my.rules" <<-'END'
	# the limiter is meant to slow things down
	class=expected if-kind='queue|lock' under='Limiter::acquire*'
	kind=queue under=take_order
	off loop/by-name
END
prints 0 '^  class expected: a user rule says that it is intended$' \
	report --rules "$dir/my.rules" --explain take_order "$one"
prints 0 '^      kind is one of lock, queue$' \
	report --rules "$dir/my.rules" --explain take_order "$one"
prints 0 "^    by rule $dir/my.rules:3 (seen: a rule of the user)$" \
	report --rules "$dir/my.rules" --explain take_order "$one"
prints 0 '^  idle                  0 ns   0.0%$' report --rules "$dir/my.rules" "$one"
# What a stack alone does not tell, the lock does.
cat >"$dir/lock.lit" <<-'END'
	window 1s
	task 1/1 a
	  wait D sys=ioctl blocked=5ms
	    object kernel-lock name=mmap_lock tgid=1
	    k some_ioctl
	    k rwsem_down_read_slowpath
END
record lock.coldspot "$dir/lock.lit"
prints 0 '^  kind mmap-lock: ' report --explain some_ioctl "$dir/lock.coldspot"
prints 0 '^      it waited for a lock of the kernel that is known to be: mmap_lock$' \
	report --explain some_ioctl "$dir/lock.coldspot"
# The same stacks in two threads, and a rule for each of them.
cat >"$dir/two.lit" <<-'END'
	window 1s
	task 1/1 a
	wait S sys=futex blocked=2ms
	u main
	task 1/2 b
	wait S sys=futex blocked=1ms
	u main
	wait D blocked=1ms
	u fault
END
cat >"$dir/two.rules" <<-'END'
	kind=queue comm=a
	kind=queue comm=b syscall=futex
END
"$maker" "$dir/two.coldspot" "$dir/two.lit" || exit 1
run report --rules "$dir/two.rules" --explain queue "$dir/two.coldspot"
[ "$(grep -c "by rule $dir/two.rules:[12] " "$dir/out")" -eq 2 ]
ok 'waits that met other rules are listed separately' || why
prints 0 '^      it was in no system call, and is no thread of the kernel$' \
	report --explain fault "$dir/two.coldspot"
echo 'class=lazy' >"$dir/bad.rules"
says 1 "$r $dir/bad.rules:1: there is no class 'lazy'" report --rules "$dir/bad.rules" "$one"
printf '# one\nclass=idle under-regex=a(b\n' >"$dir/bad.rules"
says 1 "$r $dir/bad.rules:2: 'a(b' is not a regular expression: Unmatched ( or \\(" \
	report --rules "$dir/bad.rules" "$one"
echo 'off c/mutexes' >"$dir/bad.rules"
says 1 "$r $dir/bad.rules:1: there is no rule 'c/mutexes' to switch off" \
	report --rules "$dir/bad.rules" "$one"
says 1 "$r cannot open '/nonexistent': No such file or directory" \
	report --rules /nonexistent "$one"

# A part is a recording again.
run report -q --cause futex -o "$dir/part.coldspot" "$days"
prints 0 '^selected 80.0 ms of 128 ms waited: --cause futex$' report "$dir/part.coldspot"
prints 0 'part.coldspot: sound' check "$dir/part.coldspot"
prints 0 '^selected 80.0 ms of 128 ms waited: --cause futex --under take$' \
	report --under take "$dir/part.coldspot"

# Histograms.
prints 0 '^   8.39 ms -> 16.8 ms    : 6        |\*\{40\}|$' hist "$days"
prints 0 '^web-10/10: 8 waits, 88.0 ms$' hist --by thread "$days"
prints 0 '^   2.10 ms -> 4.19 ms    : 2 ' hist --state R "$days"
run hist --json --by cause "$days"
[ "$status" -eq 0 ] && grep -q '^{"name":"futex","count":6,"off_ns":80000000,' "$dir/out"
ok 'hist --json' || why
says_like 1 'the recording has no histograms of threads: record it with --hist' hist --of on "$days"
says_like 1 'causes, modules and stacks are known of waits as a whole only' \
	hist --of runq --by stack "$days"
says 2 'coldspot hist: --steps: 1, 2 or 4' hist --steps 3 "$days"
run report -q -o "$dir/a.hist.json" "$days"
grep -q '"format":"coldspot-hist"' "$dir/a.hist.json"
ok 'and as a file' || why

# Damage: what is left is shown, what is lost is said, and the status tells.
cp "$days" "$dir/damaged.coldspot"
sz=$(wc -c <"$dir/damaged.coldspot")
at=0 hurt=
while [ "$at" -lt "$sz" ] && [ -z "$hurt" ]; do
	cp "$days" "$dir/damaged.coldspot"
	printf 'XXXXXXXXXXXXXXXX' |
		dd of="$dir/damaged.coldspot" bs=1 seek="$at" conv=notrunc 2>"$dir/dd"
	run report "$dir/damaged.coldspot"
	[ "$status" -eq 1 ] && [ -s "$dir/out" ] && hurt=$at
	at=$((at + 512))
done
[ -n "$hurt" ] && grep -q "^coldspot report: '.*damaged.coldspot': " "$dir/err" &&
	tail -n 1 "$dir/err" | grep -qx 'coldspot report: part of the recording is lost'
ok 'damage is reported, and the rest is shown' || why
head -c 100 "$days" >"$dir/cut.coldspot"
run report "$dir/cut.coldspot"
[ "$status" -eq 1 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
ok 'a stump is an error' || why

# A stripped program that is gone gets its names from a debug file of the same build.
if can_record && command -v objcopy >/dev/null && command -v "${CC:-cc}" >/dev/null; then
	mkdir -p "$dir/debug"
	cat >"$dir/a.c" <<-'END'
		#include <unistd.h>
		static void __attribute__((noinline)) doze(void) { usleep(100000); }
		int main(void) { for (;;) doze(); }
	END
	"${CC:-cc}" -g -O1 -fno-optimize-sibling-calls -Wl,--build-id=0xabcdef0123 \
		-o "$dir/a" "$dir/a.c" &&
		mkdir -p "$dir/debug/.build-id/ab" &&
		objcopy --only-keep-debug "$dir/a" "$dir/debug/.build-id/ab/cdef0123.debug" &&
		strip "$dir/a"
	"$dir/a" &
	victim=$!
	sleep 0.1
	run record -q -d 0.5 -p "$victim" -o "$dir/stripped.coldspot"
	kill "$victim"
	rm "$dir/a"
	run export folded "$dir/stripped.coldspot"
	! grep -q doze "$dir/out" && grep -q 'unknown' "$dir/out"
	ok 'a stripped program has no names' || why
	run export folded "$dir/stripped.coldspot" --debug-dir "$dir/debug"
	grep -q ';main;doze;.*usleep' "$dir/out" && grep -q ' frames resolved$' "$dir/err"
	ok 'a debug file gives them later' || why
	run report --debug-dir "$dir/nowhere" "$dir/stripped.coldspot"
	[ "$status" -eq 2 ] && grep -q "debug-dir: '.*nowhere': No such file" "$dir/err"
	ok 'a missing directory of debug files is reported' || why
	run report --debug-dir "$dir/debug" --under doze "$dir/stripped.coldspot"
	[ "$status" -eq 0 ] && grep -q ' < main' "$dir/out"
	ok 'and filters know them' || why
else
	skip 'names from debug files' 'cannot record, or no compiler'
fi

# Time on a CPU.
record wall.coldspot tests/golden/wall/profile.lit
wall=$dir/wall.coldspot
total() { awk '{ s += $NF } END { print s }' "$dir/out"; }
run export folded "$wall" --view wall
[ "$(total)" -eq 3999000 ] && grep -q '^shop-api;main;parse;\[on-CPU\] 700000$' "$dir/out"
ok '--view wall covers all time except unaccounted time' || why
run export folded "$wall" --view on
[ "$(total)" -eq 989123 ]
ok '--view on is time on a CPU' || why
run export folded "$wall"
[ "$(total)" -eq 3009877 ]
ok 'without it, folded stacks are time off the CPU' || why
run export folded "$wall" --cause on-cpu --under parse
[ "$status" -eq 0 ] && [ "$(cat "$dir/out")" = 'shop-api;main;parse 700000' ]
ok 'filters choose among time on a CPU' || why
run report "$wall"
grep -q '^Sampled: on a CPU 989 ms, as 98 samples at 99 Hz tell; see --view on' "$dir/out"
ok 'the summary says that there is more' || why
# Rows are those of the table that is shown.
prints 0 '^200 ms in 40 waits, as of thread shop-api, state R' report --explain 3 "$wall"
prints 0 '^700 ms in 70 samples, as of thread shop-api, on a CPU' \
	report --view wall --explain 3 "$wall"
prints 0 '^  class on-cpu: not a wait: it ran$' report --view on --explain 1 "$wall"
prints 0 '^  kind lock: ' report -q --explain 1 "$one"
prints 0 '^  kind lock: ' report -q --invert -o "$dir/x.svg" --explain 1 "$one"
run report -o "$dir/x.svg" -o "$dir/x.json" "$one"
[ "$status" -eq 0 ] && [ "$(wc -l <"$dir/err")" -eq 2 ] &&
	grep -q "^coldspot: wrote $dir/x.svg ([1-9][0-9.]* KiB)$" "$dir/err" &&
	grep -q "^coldspot: wrote $dir/x.json ([1-9][0-9.]* KiB)$" "$dir/err"
ok 'report says what it wrote' || why
run export folded "$one" --view wall
[ "$status" -eq 1 ] && grep -q -- '--view wall: needs samples of CPUs' "$dir/err"
ok 'a view of data that was not sampled is an error' || why
run check "$wall"
[ "$status" -eq 0 ]
ok 'a recording with it is sound' || why

# Who ended waits.
record wakers.coldspot tests/golden/wakers/profile.lit
wakers=$dir/wakers.coldspot
prints 0 ' 20 .* worker-302$' report --by waker "$wakers"
prints 0 ' 10 .* \[timer interrupt\]$' report --by waker "$wakers"
prints 0 '^Blame: 29% of it worker-302 in lock for lock log_lock (app),' report "$wakers"
prints 0 ' nobody: preempted$' report -v "$wakers"
prints 0 "^selected 5.52 s of 20.5 s waited: --waker 'writer\*'$" report --waker 'writer*' "$wakers"
prints 0 '^selected 500 ms of 20.5 s waited: --waker' report --waker '[preempted]' "$wakers"
prints 0 '^selected 13.5 s of 20.5 s waited: ' report --waker 301 --waker 302 "$wakers"
says 1 "$r nothing selected: --waker matches none of 8 sums of waits" report --waker ghost "$wakers"
says 1 "$r --waker: needs wakers; record with record --wakers" report --waker 301 "$one"
says 1 "$r --by waker: needs wakers; record with record --wakers" report --by waker "$one"
says_like 1 "^$r '(' is not a regular expression: " report --regex --waker '(' "$wakers"
says 2 "$r --waker needs a value: TID|GLOB" report --waker
run report -f json "$wakers"
jq -e '.summary | (.blame | map(.ns) | add) == (.kinds | map(.blocked_ns + .runq_ns) | add)' \
	"$dir/out" >/dev/null
ok 'blame adds up to the waits' || why

# Pipes and disks.
timeout 30 "$COLDSPOT" export json "$one" >/dev/full 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'No space left' "$dir/err"
ok 'a full standard output is an error'
{
	timeout 30 "$COLDSPOT" export json "$one" 2>"$dir/err"
	echo $? >"$dir/status"
} | true
[ "$(cat "$dir/status")" -eq 0 ] && [ ! -s "$dir/err" ]
ok 'a pipe closed early is no error' || cat "$dir/err"
finish

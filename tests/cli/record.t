#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# record and offcputime from outside: files, pipes, commands, signals, rights.
. tests/cli/tap.sh

if ! can_record; then
	echo '1..0 # SKIP this machine or user cannot record: see coldspot doctor'
	exit
fi

start_victim
trap 'kill "$victim" 2>/dev/null; rm -rf "$dir"' EXIT

prints 0 '^PID '"$victim"' (sleep)' record -d 0.1 -p "$victim"
prints 0 '^TID '"$victim"' (sleep)' record -d 0.1 -t "$victim"
prints 0 '^PID '"$victim"' (sleep)' record -d 300ms --pid="$victim,$victim"
# of a list that pgrep made, some may have ended since
run record -d 0.1 -p "4194303,$victim,4194304"
[ "$status" -eq 0 ] && grep -q '^PID '"$victim"' (sleep)' "$dir/out" &&
	[ "$(cat "$dir/err")" = 'coldspot: no processes 4194303, 4194304: skipped' ]
ok 'exited processes in a list are reported, the others are recorded' || why
run record -d 0.1 -t "$victim,4194304"
[ "$status" -eq 0 ] && grep -q '^TID '"$victim"' (sleep)' "$dir/out" &&
	[ "$(cat "$dir/err")" = 'coldspot: no thread 4194304: skipped' ]
ok 'exited threads in a list are reported, the others are recorded' || why
run offcputime -f -p "$victim,4194304" 1
[ "$status" -eq 0 ] && grep -q '^sleep;' "$dir/out" &&
	[ "$(cat "$dir/err")" = 'coldspot: no process 4194304: skipped' ]
ok 'offcputime skips exited processes too' || why
prints 0 '^sleep;.* [0-9]*$' record -d 0.1 -p "$victim" -f folded
prints 0 '^Tracing off-CPU time (us) of PID' offcputime -p "$victim" 1
prints 0 '^sleep;.* [0-9]*$' offcputime -p "$victim" -f 1
prints 0 '^sleep;[^;]*;[^;]* [0-9]*$' offcputime -p "$victim" -fU --perf-max-stack-depth 2 1
# as pgrep and pidof print them
sleep 600 &
second=$!
for list in "$victim $second" "$victim, $second"; do
	prints 0 '^2 processes' record -d 0.1 -p "$list"
done
run record -d 0.1 -p "$victim
$second"
[ "$status" -eq 0 ] && grep -q '^2 processes' "$dir/out"
ok 'record -p takes a list of lines' || why
prints 0 '^2 processes' record -p "$victim" "$second" -d 0.1
kill "$second"

# starts it in the background, and waits until it records
begin() {
	: >"$dir/err"
	"$COLDSPOT" record --announce "$@" >"$dir/out" 2>"$dir/err" &
	begun=$!
	tries=0
	until grep -q '^coldspot: recording' "$dir/err" || [ "$tries" -eq 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}

# Whether a sentence of Python is true of the tasks on standard output.
true_of_tasks() {
	python3 -c 'import json, sys
tasks = json.load(open(sys.argv[1]))["tasks"]
sys.exit(not eval(f"({sys.argv[2]})"))' "$dir/out" "$1"
}

# by program: one that runs, one that comes, one that becomes another program; children are in it
program="$dir/napper"
cp "$(command -v sleep)" "$program"
"$program" 120 &
second=$!
begin -d 1 --name 'nap?er' -f json
"$program" 0.1
"$program" 0.2
wait "$begun" && true_of_tasks '[t["comm"] for t in tasks] == 3 * ["napper"]'
ok 'record --name takes what runs a program, and what comes to run it' || why
(
	exec "$program" 0.3
) &
run record -d 1 --name napper -f json
true_of_tasks "[t['wall_ns'] > 900e6 for t in tasks if t['tgid'] == $second] == [True]"
ok 'record --name has all the time of a program that ran before' || why
kill "$second"
program="$dir/nappersh"
cp "$(command -v sh)" "$program"
"$program" -c 'sleep 600; :' &
second=$!
begin -d 1 --name nappersh -f json
"$program" -c 'sleep 0.1 & sleep 0.2; exec sleep 0.5'
wait "$begun"
true_of_tasks "all(t['comm'] == 'nappersh' for t in tasks) and
	0.19e9 < max(t['wall_ns'] for t in tasks if t['tgid'] != $second) < 0.4e9"
ok 'record --name leaves out what a program starts, and what it becomes' || why
pkill -P "$second"
says_like 1 "no process runs a program named 'no-such-program'" record --name no-such-program
says_like 2 "'/bin/sh' is a path; give the name of the program only" record --name /bin/sh
says_like 2 'cannot be used together' record --name sh -p "$victim"
says_like 2 'is too long: the name of a program may have 62 bytes' record -d 0.1 \
	--name "$(printf '%063d' 1)"

# what matches nothing ends at once
says_like 1 "no kernel thread of PID $victim" record -k -p "$victim"

# descendants that exist
sh -c 'sleep 600 & sleep 600 & wait' &
parent=$!
until [ "$(pgrep -c -P "$parent")" -eq 2 ]; do :; done
run record -d 0.1 -p "$parent"
[ "$status" -eq 0 ] && [ "$(cat "$dir/err")" = \
	"coldspot: 2 children of $parent are not recorded: --tree" ]
ok 'record -p tells of children that are not recorded' || why
for how in --tree --follow; do
	run record -d 0.1 -p "$parent" $how -f json
	[ "$status" -eq 0 ] && [ ! -s "$dir/err" ] &&
		true_of_tasks 'len(tasks) == 3'
	ok "record -p $how has the children that exist" || why
done
pkill -P "$parent"
says_like 2 '--tree needs -p or a command' record --tree -a

# a command: its status, and what it leaves behind
run record -q -- true
[ "$status" -eq 0 ]
ok 'record -- COMMAND exits with 0 if it does' || why
run record -q -d 0.1 -- sleep 1
[ "$status" -eq 0 ]
ok 'record -d exits with 0 before its command does' || why
run record -q -- sh -c 'sleep 2 & exit 3'
[ "$status" -eq 3 ] && grep -q "1 process that 'sh' started is still running: --wait-all" \
	"$dir/err"
ok 'record says what a command left behind' || why
run record -f json --wait-all -- sh -c 'sleep 0.5 & exit 3'
[ "$status" -eq 3 ] && ! grep -q 'still running' "$dir/err" &&
	true_of_tasks 'any(t["comm"] == "sleep" and t["wall_ns"] > 450e6 for t in tasks)'
ok 'record --wait-all records what a command left behind' || why
says_like 2 '--wait-all needs -p, -t or a command' record --wait-all -a

run record -q -d 0.1 -p "$victim"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
ok 'quiet is quiet' || why

# what it did, and what else it can do
picture='^For a flame graph add -o FILE.svg, for a page to explore -o FILE.html$'
run record -d 0.1 -p "$victim"
[ "$(tail -n 1 "$dir/out" | grep -c "$picture")" -eq 1 ] && [ ! -s "$dir/err" ]
ok 'the last line of the summary tells how to get a picture' || why
run record -d 0.1 -p "$victim" -f folded
! grep -q "$picture" "$dir/out"
ok 'that of no other format does' || why
run record -d 0.1 -p "$victim" -o "$dir/said.svg"
! grep -q "$picture" "$dir/out" &&
	grep -q "^coldspot: wrote $dir/said.svg ([1-9][0-9.]* KiB)$" "$dir/err"
ok 'record says what it wrote' || why

# A window every 200 ms, fewer and longer ones on a busy machine, in one file. Parts of it are
# shown, and it is not replaced.
run record --every 200ms -d 1 -q -p "$victim" -o "$dir/w.coldspot"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && [ ! -e "$dir/w.coldspot-wal" ]
ok 'record --every makes a recording' || why
prints 0 ': sound: [2-6] windows, ' check "$dir/w.coldspot"
prints 0 '^[2-6] windows' report "$dir/w.coldspot"
within="$(sqlite3 "$dir/w.coldspot" "SELECT count(*) FROM windows, (SELECT min(begin_wall_ns) AS b
	FROM windows) WHERE begin_wall_ns < b + 500000000 AND
	begin_wall_ns + window_ns > b + 210000000")"
for range in '--since 210ms --until 500ms' '--from 210ms --to 500ms'; do
	# shellcheck disable=SC2086
	run report $range "$dir/w.coldspot"
	[ "$status" -eq 0 ] && grep -q 'windows are not split' "$dir/err" &&
		[ "$(sed -n 's/^\([0-9]*\) windows$/\1/p' "$dir/out")" = "${within#1}" ]
	ok "report $range shows the windows in that time" || why
done
says_like 1 'w.coldspot. exists: name a new file, or remove it' \
	record --every 200ms -d 1 -p "$victim" -o "$dir/w.coldspot"
# The programs keep objects of earlier windows; a window has those that its waits are for.
run record --every 200ms -q -o "$dir/objects.coldspot" -- \
	sh -c "for i in $(seq -s " " 40); do sleep 0.02 | cat; done"
unused="$(sqlite3 "$dir/objects.coldspot" "SELECT count(*) FROM objects o WHERE NOT EXISTS
	(SELECT 1 FROM waits w WHERE w.window = o.window AND w.object = o.object)")"
[ "$unused" = 0 ] && [ "$(sqlite3 "$dir/objects.coldspot" 'SELECT count(*) FROM objects')" -gt 0 ]
ok 'a window has no objects of earlier windows' || echo "# $unused"
says_like 2 '--every goes with one -o FILE.coldspot' record --every 1s -p "$victim"
says_like 2 '--align needs --every' record --align -p "$victim" -o "$dir/x.coldspot"
run record --every 500ms --align -d 2 -q -p "$victim" -o "$dir/aligned.coldspot"
if command -v sqlite3 >"$dir/out"; then
	# within 1 ms, where the machine let it
	on_time='id > 1 AND (begin_wall_ns + 1000000) % 500000000 < 2000000'
	[ "$(sqlite3 "$dir/aligned.coldspot" "SELECT count(*) FROM windows WHERE $on_time")" -gt 0 ]
	ok 'record --every --align ends windows at multiples of the wall clock' || why
fi
says_like 2 "'1ms' is too short; at least 100 ms" \
	record --every 1ms -p "$victim" -o "$dir/x.coldspot"
says_like 2 "'0' is too short; at least 100 ms" record --every 0 -p "$victim" -o "$dir/x.coldspot"

# A name that a terminal would obey, and that would break a line of stacks in two.
program="$dir/sl
$(printf '\033[31m\302\233')p"
cp "$(command -v sleep)" "$program"
"$program" 120 &
hostile=$!
until [ "$(head -c 2 "/proc/$hostile/comm")" = sl ]; do :; done
obeys() { # control characters but the newline, of one byte and of two
	LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177]\|\302[\200-\237]')" "$1"
}
for how in 'record -d 0.1 -f folded' 'record -d 0.1 -f txt' 'record -d 0.1' \
	'record -d 0.1 -f tree' 'record -d 0.1 -f csv' 'offcputime' 'offcputime -v' \
	'runqlat -L' 'doctor'; do
	case $how in
	doctor) run doctor "$hostile" ;;
	runqlat*) # someone has to wait for a CPU: it is stopped and goes on
		for _ in 1 2 3 4 5 6 7 8; do
			sleep 0.2
			kill -STOP "$hostile" && kill -CONT "$hostile"
		done &
		run runqlat -L -p "$hostile" 1 1
		wait $! ;;
	offcputime*) # shellcheck disable=SC2086
		run $how -p "$hostile" 1 ;;
	*) # shellcheck disable=SC2086
		run $how -p "$hostile" ;;
	esac
	[ "$status" -eq 0 ] && grep -q 'sl?' "$dir/out" && ! obeys "$dir/out" && ! obeys "$dir/err"
	ok "a terminal obeys nothing of a name: $how" || why | cat -v
done
run record -d 0.1 -p "$hostile" -f folded
[ -s "$dir/out" ] && ! grep -qv '^sl??.* [0-9]*$' "$dir/out"
ok 'a newline in a name begins no line of folded stacks' || why
kill "$hostile"

# files
run record -q -d 0.1 -p "$victim" -o "$dir/a.svg" -o "$dir/b.folded" -o "$dir/c.txt" \
	-o "$dir/d.json" -o "$dir/e.wide.folded" --requests 10/s
[ "$status" -eq 0 ]
ok 'several files at once' || why
grep -q '<svg' "$dir/a.svg" && grep -q '^sleep;' "$dir/b.folded" &&
	grep -q 'sleep ('"$victim"')' "$dir/c.txt" && head -c 1 "$dir/d.json" | grep -q '{'
ok 'each file has the format of its ending'
grep -q '"requests":{"per_s":10' "$dir/d.json"
ok 'files know of requests as standard output does'
run record -d 0.1 -p "$victim" -o "$dir/new.svg" -o "$dir/x.bogus"
[ "$status" -ne 0 ] && grep -q "extension of '.*x.bogus'" "$dir/err" && [ ! -e "$dir/new.svg" ]
ok 'an unknown extension is an error, and no file is left behind' || why
says_like 1 "cannot write '/nonexistent/x.svg'" record -d 0.1 -p "$victim" -o /nonexistent/x.svg
mkdir "$dir/directory.svg"
says_like 1 "cannot write .*directory.svg" record -d 0.1 -p "$victim" -o "$dir/directory.svg"
echo precious >"$dir/old.svg"
run record -d 0.1 -p 4194304 -o "$dir/old.svg"
[ "$status" -eq 1 ] && grep -qx precious "$dir/old.svg"
ok 'a failed recording leaves an old file unchanged' || why
mkdir "$dir/far"
ln -s middle.folded "$dir/link.folded"
ln -s far/end.folded "$dir/middle.folded"
run record -q -d 0.1 -p "$victim" -o "$dir/link.folded"
[ "$status" -eq 0 ] && [ -L "$dir/link.folded" ] && [ -L "$dir/middle.folded" ] &&
	grep -q '^sleep;' "$dir/far/end.folded"
ok 'a link to a file that is not there yet makes it' || why
rm "$dir/far/end.folded"
run record -q -d 0.1 -p 4194304 -o "$dir/link.folded"
[ "$status" -eq 1 ] && [ -L "$dir/link.folded" ] && [ -L "$dir/middle.folded" ] &&
	[ ! -e "$dir/far/end.folded" ]
ok 'a recording that fails leaves the link, and makes no file' || why
ln -s /nonexistent/x.svg "$dir/nowhere.svg"
says_like 1 "cannot write '$dir/nowhere.svg', a link to '/nonexistent/x.svg': No such file" \
	record -d 0.1 -p "$victim" -o "$dir/nowhere.svg"
ln -s round.svg "$dir/round.svg"
says_like 1 "cannot write '$dir/round.svg': Too many levels of symbolic links" \
	record -d 0.1 -p "$victim" -o "$dir/round.svg"
guard=/proc/sys/fs/protected_symlinks
if [ "$(id -u)" -eq 0 ] && guarded=$(cat $guard 2>/dev/null) && echo 1 2>/dev/null >$guard; then
	mkdir -m 1777 "$dir/all"
	ln -s "$dir/trap.svg" "$dir/all/x.svg"
	chown -h 65534 "$dir/all/x.svg"
	says_like 1 "cannot write '$dir/all/x.svg': Permission denied" \
		record -q -d 0.1 -p "$victim" -o "$dir/all/x.svg"
	echo "$guarded" >$guard
	[ ! -e "$dir/trap.svg" ]
	ok "and follows no link that another user has put into a directory for all"
else
	skip 'links of other users' 'not root, or the kernel cannot be asked to guard against them'
fi
ln -s /dev/full "$dir/full.svg"
says_like 1 "^coldspot record: cannot write '.*full.svg': No space left" \
	record -q -d 0.1 -p "$victim" -o "$dir/full.svg"
timeout 30 "$COLDSPOT" record -d 0.1 -p "$victim" >/dev/full 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'No space left' "$dir/err"
ok 'a full standard output is an error'
timeout 30 "$COLDSPOT" offcputime -p "$victim" 1 >/dev/full 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'No space left' "$dir/err"
ok 'and for offcputime'

# What is drained and named after the window is no cost of the window.
cpus=$(getconf _NPROCESSORS_ONLN)
for _ in 1 2 3 4; do
	run record -d 10ms -p "$victim" -f json
	sed -n 's/.*"window_ns":\([0-9]*\),.*"self_cpu_ns":\([0-9]*\),.*/\1 \2/p' "$dir/out"
done >"$dir/costs"
awk -v cpus="$cpus" '$2 > $1 * cpus { exit 1 } END { exit NR != 4 }' "$dir/costs"
ok 'no more CPU time than there is in the window' || cat "$dir/costs"

# With descriptor 1 closed a file of ours must not take its number, or the summary lands in it.
timeout 30 "$COLDSPOT" record -d 0.1 -p "$victim" -o "$dir/closed.folded" >&- 2>"$dir/err"
[ $? -eq 1 ] && [ "$(wc -l <"$dir/closed.folded")" -eq 1 ] && grep -q '^sleep;' "$dir/closed.folded"
ok 'a closed standard output is an error and does not spoil a file' || sed 's/^/# /' "$dir/err"

# a reader who left
{
	timeout 30 "$COLDSPOT" record -d 0.1 -p "$victim" 2>"$dir/err"
	echo $? >"$dir/status"
} | true
[ "$(cat "$dir/status")" -eq 0 ] && [ ! -s "$dir/err" ]
ok 'a pipe closed early is no error' || cat "$dir/err"

# commands
prints 0 '^command sleep' record -- sleep 0.2
says_like 1 "cannot run '/nonexistent/x'" record -- /nonexistent/x
says_like 1 "cannot run '/etc/passwd': Permission denied" record -- /etc/passwd
run record -q -- sh -c 'exit 7'
[ "$status" -eq 7 ] && [ "$(cat "$dir/err")" = "coldspot: 'sh' exited with status 7" ]
ok 'a failed command is reported' || why
# shellcheck disable=SC2016
run record -q -- sh -c 'kill -TERM $$'
[ "$status" -eq 143 ] &&
	[ "$(cat "$dir/err")" = "coldspot: 'sh' was killed by signal 15 (Terminated)" ]
ok 'and a killed one' || why
says_like 1 "no thread of PID $victim (sleep) named 'nobody'" \
	record -p "$victim" --comm nobody
# shellcheck disable=SC2016
run record -q -- sh -c 'echo "$@" >"$0"' "$dir/words" -p 1 --bogus
[ "$status" -eq 0 ] && [ "$(cat "$dir/words")" = '-p 1 --bogus' ]
ok 'words after -- belong to the command' || why
run record -q -- sh -c 'trap - PIPE; kill -PIPE $$; echo alive' && [ ! -s "$dir/out" ]
ok 'the command has SIGPIPE as usual' || why
run record -q -- sh -c 'exec setpriv --dump 2>/dev/null || id'
if grep -q 'no_new_privs' "$dir/out"; then
	grep -q 'no_new_privs: 0' "$dir/out"
	ok 'the command keeps its rights: no_new_privs is not set for it' || why
else
	skip 'the command keeps its rights' 'no setpriv'
fi

# ends
begin -d 20 -p "$victim"
kill -INT "$begun"
wait "$begun"
status=$?
[ "$status" -eq 0 ] && grep -q '^PID '"$victim"' (sleep)' "$dir/out"
ok 'Ctrl-C ends it and prints' || why
for again in 1 2 3; do
	begin -d 20 -o "$dir/twice.$again.folded" -p "$victim"
	perl -e 'kill TERM => $ARGV[0]; select(undef, undef, undef, 0.01);
		kill TERM => $ARGV[0]' "$begun"
	wait "$begun"
done
[ "$(grep -l '^sleep;' "$dir"/twice.*.folded | wc -l)" -eq 3 ]
ok 'the same signal twice at once, as timeout(1) sends it, is one' || why
timeout -s TERM 2 "$COLDSPOT" offcputime -p "$victim" >"$dir/out" 2>"$dir/err"
grep -q 'sleep ('"$victim"')' "$dir/out"
ok 'so does SIGTERM, for offcputime' || why
for delay in 0.05 0.1 0.15 0.2; do
	"$COLDSPOT" record -q -d 0 -p "$victim" -o "$dir/early.$delay.folded" 2>"$dir/err" &
	early=$!
	sleep "$delay"
	kill -TERM "$early"
	wait "$early"
done
[ -z "$(find "$dir" -name 'early.*' -size 0)" ]
ok 'a signal before the beginning leaves no empty file' || why
trap '' HUP
begin -d 1 -o "$dir/hup.json" -p "$victim"
trap - HUP
kill -HUP "$begun"
wait "$begun"
grep -q '"window_ns":[0-9]\{10\}' "$dir/hup.json"
ok 'under nohup a hangup does not end it' || why
begin -d 0 -- sleep 60
sleep 0.2
kill -TERM "$begun"
wait "$begun"
left=$(sed -n "s/^coldspot: 'sleep' (PID \([0-9]*\)) is still running$/\1/p" "$dir/err")
[ -n "$left" ] && kill "$left"
ok 'a command left behind by a signal is reported' || why
sleep 600 &
second=$!
begin -d 120 -p "$second"
kill "$second"
timeout 20 tail -f /dev/null --pid="$begun" && wait "$begun"
ok 'the end of the target ends it' || why
# How long the window was open without the only thread, at best: a busy machine adds to it.
for _ in 1 2 3 4 5; do
	run record -f json -- sleep 0.01
	sed -n 's/.*"window_ns":\([0-9]*\),.*/\1/p; s/^"budget":.*"wall_ns":\([0-9]*\),.*/\1/p' \
		"$dir/out" | paste - -
done | awk '{ print $1 - $2 }' | sort -n >"$dir/late"
awk '{ ns[NR] = $1 } END { exit !(NR == 5 && ns[1] >= 0 && ns[1] < 30e6) }' "$dir/late"
ok 'the end of a command ends the window at once' || cat "$dir/late"
"$COLDSPOT" record --announce -- sleep 60 >"$dir/out" 2>"$dir/err" &
begun=$!
until child=$(pgrep -P "$begun"); do sleep 0.01; done
kill -KILL "$child"
wait "$begun"
status=$?
[ "$status" -eq 137 ] && grep -q "^coldspot: 'sleep' was killed by signal 9 (Killed)$" "$dir/err"
ok 'a command that exited before recording started is reported' || why
begin=$(date +%s)
run record -q --announce -d 0.5 -p "$victim"
[ "$status" -eq 0 ] && [ "$(cat "$dir/err")" = 'coldspot: recording' ] &&
	[ $(($(date +%s) - begin)) -le 10 ]
ok '--announce says one line' || why

# odd corners
prints 0 '^all ' record -a -d 0.1
prints 0 '^all user threads' record -u -d 0.1
prints 0 '^all kernel threads' record -k -d 0.1
run record -q -d 30 --comm 'no-such-*'
[ "$status" -eq 1 ] && grep -q "no thread named 'no-such-\*'" "$dir/err"
ok 'a filter that nothing matches is an error, at once' || why
says_like 1 'no cgroup' record -a -d 0.1 --cgroup /no/such/group
run record -d 0.1 -a --comm 1234567890123456
[ "$status" -ne 0 ] && grep -q 'at most 15 bytes' "$dir/err"
ok 'an impossible comm is reported' || why
prints 0 '^PID ' record -d 0.1 -p "$victim" --resume-hook switch
prints 0 '^PID ' record -d 0.1 -p "$victim" --split sched_info

if ! is_root || ! command -v setpriv >/dev/null; then
	skip 'rights' 'needs root and setpriv'
	finish
	exit
fi
cp "$COLDSPOT" "$dir/coldspot"
COLDSPOT=$dir/coldspot

for args in 'record --no-proc -a -d 0.1' 'record --no-proc -- true' 'offcputime 1'; do
	# shellcheck disable=SC2086
	run_as_nobody -all $args
	[ "$status" -eq 3 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ] &&
		grep -q 'not permitted: needs CAP_BPF and CAP_PERFMON' "$dir/err"
	ok "without rights: $args" || why
done
run_as_nobody -all record --no-proc -- touch "$dir/ran"
[ ! -e "$dir/ran" ]
ok 'without rights the command is not run'
run_as_nobody -all,+bpf record --no-proc -d 0.1 -p "$victim"
[ "$status" -eq 3 ]
ok 'CAP_BPF alone is not enough' || why
run_as_nobody -all,+bpf,+perfmon record -- sleep 0.2
[ "$status" -eq 0 ] && grep -q '^command sleep' "$dir/out"
ok 'CAP_BPF and CAP_PERFMON record a command of our own' || why
run_as_nobody -all,+bpf,+perfmon record -d 0.1 -K -p "$victim" -f folded
[ "$status" -eq 0 ] && grep -q '^sleep;' "$dir/out" &&
	! grep -q 'nanosleep\|schedule\|do_syscall' "$dir/out"
ok 'without CAP_SYSLOG kernel frames have no names, and no wrong ones' || why
grep -q 'kernel frames have no names' "$dir/err"
ok 'and it says so' || why
run_as_nobody -all,+bpf,+perfmon,+sys_ptrace,+syslog record -d 0.1 -p "$victim" -f folded
[ "$status" -eq 0 ] && grep -q 'clock_nanosleep.*do_syscall_64' "$dir/out"
ok 'with CAP_SYS_PTRACE and CAP_SYSLOG everything is named' || why
run_as_nobody -all,+sys_admin record -q -d 0.1 -p "$victim"
[ "$status" -eq 0 ]
ok 'CAP_SYS_ADMIN alone does' || why
timeout 30 unshare -Ur "$COLDSPOT" record --no-proc -a -d 0.1 >"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 3 ] && grep -q 'user namespace' "$dir/err"
ok 'root of a user namespace is not permitted, with a reason' || why
# shellcheck disable=SC2016
timeout 30 unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf &&
	"$0" record --no-proc -a -d 0.1' "$COLDSPOT" >"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 1 ] && grep -q 'no BTF' "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ]
ok 'no BTF is one sentence' || why
finish

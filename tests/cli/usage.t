#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong command lines of record and offcputime: one sentence that names the fault, status 2, and
# nothing happens. No privileges are needed.
. tests/cli/tap.sh

r='coldspot record:'
says_like 2 'nothing to record: give -p PID' record
says 2 "$r -p needs a value: PID,..." record -p
says 2 "$r --pid needs a value: PID,..." record -a --pid
says_like 2 "^$r -p: 'x' is not a whole number" record -p x
says_like 2 "^$r -p: '0' is not a whole number" record -p 0
says_like 2 "^$r -p: '-1' is not a whole number" record -p -1
says_like 2 "^$r -p: '4294967296' is not" record -p 4294967296
says_like 2 "^$r -t: '1,,2' is not a list" record -t 1,,2
says_like 2 "^$r --pid: 'x' is not a whole number" record '--pid=1, x'
says_like 2 "^$r --pid: the value is empty" record --pid=
says 2 "$r unknown option '--bogus'" record -a --bogus
says 2 "$r unknown option '--durration'; did you mean --duration?" record -a --durration=1
says 2 "$r unknown option '-z'" record -z
says 2 "$r unknown option '-z' in '-az'" record -az
says 2 "$r --all takes no value" record --all=yes
says 2 "$r '--max-' is ambiguous: --max-events or --max-files" record -a --max-=1
says_like 2 "^$r --palette: no palette 'plaid'; try io, cause, " record -a --palette plaid
says_like 2 "^$r --width: '399' is not a whole number from 400 to 20000" record -a --width 399
says_like 2 "^$r --width: '20001' is not a whole number" record -a --width 20001
says 2 "$r --json-schema: format 'svg' has no schema" record --json-schema -f svg
says_like 2 "^$r --output: unknown extension of 'x.gif'; .*.ndjson.*.firefox.json" \
	record -a -o x.gif
says 2 "$r --output: '-' is not a file: use -f NAME to write to standard output" record -a -o -
says_like 2 "^$r --max-overhead: 'lots' is not a percentage; try 1% or 0.5%" \
	record -a --max-overhead lots
says 2 "$r --max-overhead: '0.001%' is not between 0.01% and 50%" record -a --max-overhead 0.001%
says 2 "$r --max-overhead: '51' is not between 0.01% and 50%" record -a --max-overhead 51
says_like 2 "^$r --period: 'often' is not a time" record -a --period often
says 2 "$r --period: the maximum is 4 s" record -a --period 4001ms
says 2 "$r --max-overhead and --period cannot be used together" \
	record -a --max-overhead 1% --period 1ms
says 2 "$r --max-overhead and --exact cannot be used together" record -a --max-overhead=1% --exact
says 2 "$r --period and --exact cannot be used together" record -a --exact --period 1ms
says_like 2 "^$r -d: 'x' is not a time; try" record -a -d x
says_like 2 "^$r -d: '-1' is not a time" record -a -d -1
says_like 2 "^$r -m: '5 parsecs' is not a time" record -a -m '5 parsecs'
says_like 2 "^$r --ring-size: '1' is too small" record -a --ring-size 1
says_like 2 "^$r --ring-size: '99g' is too large" record -a --ring-size 99g
says_like 2 "^$r --ring-size: 'many'" record -a --ring-size many
says_like 2 "^$r --max-memory: '1000' is too small; at least 1.0 MiB" record -a --max-memory 1000
says_like 2 "^$r --max-stacks: '2' is not a whole number" record -a --max-stacks 2
says_like 2 "^$r --max-waits: '0' is not a whole number" record -a --max-waits 0
says 2 "$r --split: 'sun' is not one of auto, waking, sched_info" record -a --split sun
says_like 2 "^$r --state: 'Q' is not a task state" record -a --state Q
says_like 2 "^$r --state: 'S,Q' is not a task state" record -a --state S,Q
says 2 "$r --pid and --all cannot be used together" record -a -p $$
says 2 "$r --pid and --tid cannot be used together" record -p $$ -t $$
says 2 "$r --user-threads and --kernel-threads cannot be used together" record -auk
says 2 "$r --user-stacks and --kernel-stacks cannot be used together" record -aUK
says_like 2 "^$r --no-follow and --follow cannot be used" record --follow --no-follow -- ls
says 2 "$r --min is longer than --max: no wait matches" record -a -m 10 -M 5
says 2 "$r --hz needs --on-cpu, --proc or --tasks" record -a --hz 49
says 2 "$r --hz: with --proc the maximum is 1000" record -a --proc --hz 1001
says 2 "$r --hz: with --tasks the maximum is 1000" record -a --tasks --hz 1001
says_like 2 "^$r --hz: '0' is not a whole number" record -a --on-cpu --hz 0
says 2 "$r --view wall needs --on-cpu" record -a --view wall
says_like 2 "^$r --view: 'all' is not one of auto, off, on, wall" record -a --on-cpu --view all
says_like 2 "^$r a command cannot be combined with" record -p $$ -- ls
says_like 2 "^$r a command cannot be combined with" record -a -- ls
says 2 "$r nothing follows '--'; expected -- COMMAND" record --
says 2 "$r unexpected argument 'ls'; put '--' before a command to run" record ls -l
says_like 2 "^$r --format: unknown format 'bogus'" record -a -f bogus
says_like 2 "^$r --follow needs" record -a --follow
says_like 2 "^$r --no-follow needs" record -a --no-follow

o='coldspot offcputime:'
says_like 2 "^$o DURATION: 'soon' is not a time" offcputime soon
says 2 "$o unexpected argument '2'" offcputime 1 2
says 2 "$o --pid and --tid cannot be used together" offcputime -p 1 -t 2
says_like 2 "^$o --user-threads-only and --kernel-threads-only cannot" offcputime -u -k
says_like 2 "^$o --user-stacks-only and --kernel-stacks-only cannot" offcputime -U -K
says_like 2 "^$o --pid and --user-threads-only cannot" offcputime -p 1 -u
says_like 2 "^$o -m: 'x' is not a time" offcputime -m x
says_like 2 "^$o -p: 'x' is not a whole number" offcputime -p x
says_like 2 "^$o --stack-storage-size: '0' is not a whole number" offcputime --stack-storage-size 0
says_like 2 "^$o --perf-max-stack-depth: '255' is not a" offcputime --perf-max-stack-depth 255
says_like 2 "^$o --state: " offcputime --state 99999999999

for tool in offwaketime wakeuptime; do
	w="coldspot $tool:"
	says_like 2 "^$w DURATION: 'soon' is not a time" $tool soon
	says_like 2 "^$w -m is longer than -M" $tool -m 2000 -M 1000
	says_like 2 "^$w --stack-storage-size: '0' is not" $tool --stack-storage-size 0
done
says_like 2 '^coldspot offwaketime: --user-stacks-only and --kernel-stacks-only' offwaketime -U -K
says_like 2 '^coldspot wakeuptime: --pid and --useronly cannot' wakeuptime -p 1 -u
says_like 2 "^coldspot wakeuptime: unknown option '-K'" wakeuptime -K
says 2 "$r --off-wake needs --wakers" record -a --off-wake
says 2 "$r --chains needs --wakers" record -a --chains
says_like 2 "^$r --off-wake and --chains cannot" record -a --wakers --off-wake --chains

# What the machine, not the command line, rules out is reported before anything is loaded.
none=4194304 # above pid_max
says 1 "$r no process $none" record -d 1 -p $none
says 1 "$r no thread $none" record -d 1 -t $none
# shellcheck disable=SC2016
timeout 30 sh -c 'exec "$COLDSPOT" record -d 1 -p $$' >"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 1 ] && grep -q "^$r [0-9]* is coldspot itself, which it" "$dir/err"
ok 'itself it does not record' || why
says 1 "$o no process $none" offcputime -p $none 1
says 1 "$r no processes $none, 4194303" record -d 1 -p $none,4194303
says 1 "$r no threads $none, 4194303" record -d 1 -t $none,4194303
if command -v python3 >/dev/null; then
	python3 -c 'import threading,time; threading.Thread(target=time.sleep,args=(20,)).start()' &
	threads=$!
	tid=
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2012
		tid=$(ls "/proc/$threads/task" | tail -n 1)
		[ "$tid" != "$threads" ] && break
		sleep 0.2
	done
	run record -d 1 -p "$tid"
	kill "$threads"
	[ "$status" -ne 0 ] && grep -q "$tid is a thread of process $threads" "$dir/err"
	ok 'a thread number given as a process is reported' || why
else
	skip 'a thread number given as a process is reported' 'no python3'
fi
finish

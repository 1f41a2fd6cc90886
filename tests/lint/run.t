#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The runner of the tests: nothing that goes wrong in a test program may count as a success.
# shellcheck source=tests/lint/stop.sh
. tests/lint/stop.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0

# program NAME BODY: a test program in sh
program() {
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/$1"
	chmod +x "$dir/$1"
}

# What runs below must not count in the tally of who runs this.
unset COLDSPOT_TALLY COLDSPOT_FAILED COLDSPOT_NOTES

# counts NAME TALLY WHAT: running NAME gives the tally "passed failed skipped", and a line for each
# failure
counts() {
	tests=$((tests + 1))
	rm -f "$dir/tally" "$dir/failed"
	said=$(COLDSPOT_TALLY=$dir/tally COLDSPOT_FAILED=$dir/failed \
		tests/run --suite s --timeout 2 -- "$dir/$1" 2>&1)
	status=$?
	got=$(sed 's/ s$//' "$dir/tally")
	lines=$(wc -l <"$dir/failed")
	want_lines=$(echo "$2" | cut -d' ' -f2)
	want_status=0
	[ "$want_lines" = 0 ] || want_status=1
	if [ "$got" = "$2" ] && [ "$status" = "$want_status" ] && [ "$lines" = "$want_lines" ]; then
		echo "ok $tests - $3"
	else
		echo "not ok $tests - $3: tally '$got', status $status, $lines failures named"
		echo "$said" | sed 's/^/# /'
	fi
}

program good 'echo 1..2; echo ok 1 - a; echo ok 2 - b'
counts good "2 0 0" "tests that pass"

program bad 'echo 1..2; echo ok 1 - a; echo not ok 2 - b; exit 1'
counts bad "1 1 0" "a test that fails"

program skipped 'echo 1..2; echo ok 1 - a; echo "ok 2 - b # SKIP no root"'
counts skipped "1 0 1" "a test that is skipped"

program all_skipped 'echo "1..0 # SKIP no root"'
counts all_skipped "0 0 1" "a program that skips itself"

program short 'echo 1..3; echo ok 1 - a'
counts short "1 1 0" "fewer tests than planned"

program halfway 'echo ok 1 - a'
counts halfway "1 1 0" "no plan"

program dies 'echo 1..1; echo ok 1 - a; kill -SEGV $$'
counts dies "1 1 0" "a crash after the last test"

program leak 'echo 1..1; echo ok 1 - a; exit 23'
counts leak "1 1 0" "a bad exit status although all passed"

# forgives COUNT: a program with so many tests that passed in a later run only
forgives() {
	program "forgives$1" "echo 1..1; echo ok 1 - a
i=0; while [ \$i -lt $1 ]; do echo '# NOTE wrong in a run before: a'; i=\$((i + 1)); done"
}
forgives 8
counts forgives8 "1 0 0" "as many tests that passed in a later run as may"
forgives 9
counts forgives9 "1 1 0" "too many tests that passed in a later run"

program empty 'echo 1..0'
counts empty "0 1 0" "a plan of no tests, without a reason"

program nothing 'exit 0'
counts nothing "1 0 0" "no TAP, exit status 0"

program wrong 'exit 3'
counts wrong "0 1 0" "no TAP, exit status 3"

program absent_tool 'echo no perf here; exit 77'
counts absent_tool "0 0 1" "no TAP, exit status 77"

program slow 'echo 1..1; sleep 60; echo ok 1 - a'
counts slow "0 1 0" "a program that takes too long"

program slow_child 'echo 1..1; echo ok 1 - a; sleep 60 & wait'
counts slow_child "1 1 0" "a child that outlives its time"

counts missing "0 1 0" "a program that is not there"

# names NAME LINES: running NAME names these failures
names() {
	tests=$((tests + 1))
	rm -f "$dir/failed"
	COLDSPOT_FAILED=$dir/failed tests/run --suite s --timeout 2 -- "$dir/$1" >/dev/null 2>&1
	if [ "$(cat "$dir/failed")" = "$2" ]; then
		echo "ok $tests - $1: named '$2'"
	else
		echo "not ok $tests - $1: not named '$2'"
		sed 's/^/# /' "$dir/failed"
	fi
}

names bad 'not ok 2 - b'
names short "$dir/short: 3 tests were planned, 1 reported"
names wrong "$dir/wrong: exit status 3"
names slow "$dir/slow: stopped after 2 s"
program told 'echo 1..1; echo not ok 1 - a; echo "#   3 is not 4"; echo "# in a.c"'
names told 'not ok 1 - a: 3 is not 4'

# shows NAME LINES: running NAME shows these lines below what it counts
shows() {
	tests=$((tests + 1))
	said=$(tests/run --suite s -- "$dir/$1" 2>&1)
	if [ "$(echo "$said" | sed '1d; $d' | sed '$d')" = "$2" ]; then
		echo "ok $tests - $1: shown '$2'"
	else
		echo "not ok $tests - $1: not shown '$2'"
		echo "$said" | sed 's/^/# /'
	fi
}

shows skipped '     SKIP b: no root'
shows all_skipped '     SKIP no root'
shows absent_tool '     SKIP no perf here'
program cmocka 'echo 1..1; echo "ok 1 # SKIP test_a"'
shows cmocka '     SKIP test_a'
program notes 'echo 1..1; echo "# it says much"; echo ok 1 - a; echo "#   NOTE and this too"'
shows notes '     NOTE and this too'
program much 'echo 1..2; echo "# SEED 4"
echo "ok 1 - a # SKIP none"; echo not ok 2 - b; echo "# bad"'
shows much '     ! not ok 2 - b: bad
     SKIP a: none
     | 1..2
     | # SEED 4
     | not ok 2 - b
     | # bad'

# Told to stop, the runner takes the program with it.
# shellcheck disable=SC2016
program lasting 'echo $$ >"${0%/*}/pid"; exec sleep 60'
# And the program, what it began in a session of its own.
# shellcheck disable=SC2016
program server 'trap "kill \$!; wait \$!; exit 1" TERM; setsid "${0%/*}/lasting" & wait'
for what in lasting server; do
	rm -f "$dir/pid"
	tests/run --suite s -- "$dir/$what" >/dev/null 2>&1 &
	takes_with_it $! "$dir/pid" "$what"
done

echo "1..$tests"

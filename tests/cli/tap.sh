# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# For tests/cli/*.t: one TAP line per call. $COLDSPOT is the program; $dir a directory that is
# removed at the end.
set -u
: "${COLDSPOT:?path of the program}"
count=0
dir=$(mktemp -d)
chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT

# $victim: a process that sleeps. A shell's child has the shell's name until it calls exec.
start_victim() {
	sleep 600 &
	victim=$!
	until [ "$(cat "/proc/$victim/comm")" = sleep ]; do
		sleep 0.01
	done
}

ok() { # WHAT: the last command decides
	result=$?
	count=$((count + 1))
	if [ "$result" -eq 0 ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
	fi
	return "$result"
}

skip() { # WHAT WHY
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# Runs the program, bounded; leaves $status, $dir/out and $dir/err.
run() {
	timeout 30 "$COLDSPOT" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

why() {
	echo "# status $status"
	sed 's/^/# out: /' "$dir/out" | head -n 20
	sed 's/^/# err: /' "$dir/err" | head -n 20
}

# STATUS SENTENCE ARGS...: that status, the sentence on standard error, and nothing else.
says() {
	want=$1 sentence=$2
	shift 2
	run "$@"
	[ "$status" -eq "$want" ] && [ ! -s "$dir/out" ] &&
		[ "$(cat "$dir/err")" = "$sentence" ]
	ok "coldspot $*" || { echo "# want: $want, $sentence" && why; }
}

# STATUS PATTERN ARGS...: that status, and standard error is one line with this pattern.
says_like() {
	want=$1 pattern=$2
	shift 2
	run "$@"
	[ "$status" -eq "$want" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] &&
		grep -q -e "$pattern" "$dir/err"
	ok "coldspot $*" || { echo "# want: $want, $pattern" && why; }
}

# STATUS PATTERN ARGS...: that status, silence on standard error, and a line of the output has it.
prints() {
	want=$1 pattern=$2
	shift 2
	run "$@"
	[ "$status" -eq "$want" ] && [ ! -s "$dir/err" ] && grep -q -e "$pattern" "$dir/out"
	ok "coldspot $*" || { echo "# want: $want, $pattern" && why; }
}

is_root() {
	[ "$(id -u)" -eq 0 ]
}

# Can this machine record at all? Where it cannot, tests of recording are skipped, and say so.
can_record() {
	timeout 30 "$COLDSPOT" doctor >/dev/null 2>&1
}

# CAPABILITIES ARGS...: runs the program as nobody with just these; as run().
run_as_nobody() {
	caps=$1
	shift
	timeout 30 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$caps" \
		--ambient-caps="$caps" "$COLDSPOT" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}

finish() {
	echo "1..$count"
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# For the tests of what runs tests: a runner that is stopped also ends what it started.

# takes_with_it PID FILE WHAT: waits until one that PID began has put its own pid in FILE, and tells
# PID to stop; WHAT, that one, may not be there then. Counts in $tests.
takes_with_it() {
	until [ -s "$2" ] || ! kill -0 "$1" 2>/dev/null; do sleep 0.05; done
	kill "$1"
	wait "$1"
	tests=$((tests + 1))
	if [ ! -s "$2" ]; then
		echo "not ok $tests - told to stop: $3 was not begun"
	elif kill -0 "$(cat "$2")" 2>/dev/null; then
		echo "not ok $tests - told to stop: $3 outlives what began it"
		kill "$(cat "$2")"
	else
		echo "ok $tests - told to stop: takes $3 with it"
	fi
}

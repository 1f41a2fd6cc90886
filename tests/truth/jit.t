#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run-time code and Go: the functions that a program waits in are in the recording, by name.
. tests/cli/tap.sh

if ! is_root || ! can_record; then
	skip 'names of run-time code' 'needs root and a kernel that can record'
	finish
	exit
fi

# Runtimes leave files where they are started.
cd "$dir" || exit

# WHAT PATTERN: a stack that waits has these frames, in this order
has() {
	grep -aq -e "$2" "$dir/out"
	ok "$1" || { echo "# want: $2" && why | cut -c 1-1000; }
}

have() { # WHAT COMMAND...
	what=$1
	shift
	for program; do
		command -v "$program" >/dev/null && continue
		skip "$what" "no $program"
		return 1
	done
}

# Functions that call each other, and the last one waits.
cat >"$dir/wait.js" <<'END'
function inner(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); }
function middle(ms) { inner(ms); }
function outer() { for (let i = 0; i < 100; i++) middle(5); }
outer();
require('fs').rmSync(`/tmp/perf-${process.pid}.map`, { force: true });
END
cat >"$dir/Wait.java" <<'END'
class Wait {
	static void inner() throws Exception { Thread.sleep(2); }
	static void outer() throws Exception { inner(); }
	public static void main(String[] a) throws Exception {
		outer();
		System.out.println("ready");
		for (;;) outer();
	}
}
END
cat >"$dir/wait.go" <<'END'
package main
import ("os"; "syscall")
//go:noinline
func inner(b []byte) { syscall.Read(0, b) }
//go:noinline
func outer(b []byte) { inner(b); os.Exit(0) }
func main() { outer(make([]byte, 1)) }
END
cat >"$dir/idle.go" <<'END'
package main
import "C"
import "time"
func main() {
	for i := 0; i < 4; i++ { go func() { for { time.Sleep(time.Millisecond) } }() }
	select {}
}
END

calls='~outer [^;]*wait.js:3[^;]*;[^;]*~middle [^;]*;[^;]*~inner [^;]*;.*futex'
# The process has ended, and removed its map, when its code gets names.
if have 'node, by perf map' node; then
	run record --format folded -- node --perf-basic-prof --interpreted-frames-native-stack \
		wait.js
	has 'node, by perf map' "$calls"
	run record --format folded -- node --perf-prof --interpreted-frames-native-stack wait.js
	has 'node, by jitdump' "$calls"
fi

if have 'Java' java javac && javac -d "$dir" "$dir/Wait.java"; then
	java -Xcomp -XX:+PreserveFramePointer -XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Wait::* -cp "$dir" Wait >"$dir/ready" 2>&1 &
	victim=$!
	# It compiles all that it comes by, which takes from one second to many.
	tenths=600
	until grep -q ready "$dir/ready" || [ $((tenths -= 1)) -eq 0 ]; do
		sleep 0.1
	done
	run record -p "$victim" -d 1 --java-symbols --format folded
	has 'Java' 'Wait.outer[^;]*;[^;]*Wait.inner[^;]*;[^;]*java.lang.Thread.sleep[^;]*;.*futex'
	[ ! -s "$dir/err" ]
	ok 'the JVM did what it was asked' || why
	run record -p "$victim" -d 1 --format folded
	kill "$victim"
	[ -e "/tmp/perf-$victim.map" ] && [ -S "/tmp/.java_pid$victim" ]
	ok 'its map stays'
	rm -f "/tmp/perf-$victim.map" "/tmp/.java_pid$victim"
fi
sleep 30 &
victim=$!
run record -p "$victim" -d 100ms --java-symbols
kill "$victim"
grep -q 'no live HotSpot JVM' "$dir/err" && [ "$status" -eq 0 ]
ok 'a process that is not a JVM is reported' || why

PATH=$PATH:/usr/lib/go/bin:/usr/local/go/bin:/usr/lib/go-1.19/bin
if have 'Go, stripped' go; then
	HOME=$dir GOCACHE=$dir/cache GO111MODULE=off CGO_ENABLED=0 \
		go build -ldflags='-s -w' -o "$dir/wait" "$dir/wait.go"
	mkfifo "$dir/fifo"
	"$dir/wait" <"$dir/fifo" &
	victim=$!
	exec 3>"$dir/fifo"
	run record -p "$victim" -d 500ms --lines --format folded
	echo >&3
	has 'Go, stripped' 'main.main[^;]*;main.outer[^;]*;main.inner[^;]*;syscall.*read'
	# syscall.Read was inlined in inner: its line is not inner's
	has 'Go, with lines' 'main.outer (wait.go:6);main.inner;'
fi
# The scheduler runs on a stack of its own: nobody called it, whatever lies above.
above=';[^;]*;runtime\.\(mcall\|systemstack\|mstart\|goexit\)[.;]'
if have 'Go, the end of a stack' go cc; then
	for flags in '' '-s -w'; do
		HOME=$dir GOCACHE=$dir/cache GO111MODULE=off CGO_ENABLED=1 \
			go build -ldflags="$flags" -o "$dir/idle" "$dir/idle.go"
		"$dir/idle" &
		victim=$!
		sleep 0.3
		run record -p "$victim" -d 1 --format folded
		kill "$victim"
		grep -q 'idle;runtime\.mcall;runtime\.park_m;' "$dir/out" &&
			! grep -q "$above" "$dir/out"
		ok "Go, the end of a stack, ldflags '$flags'" || why | cut -c 1-1000
	done
fi
rm -f "/tmp/perf-$victim.map"
finish

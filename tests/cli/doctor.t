#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doctor: its verdict is its status, with rights, without, and where the kernel lacks something.
. tests/cli/tap.sh

says_like 2 'doctor: PID|FILE: ' doctor 0
says_like 2 'doctor: PID|FILE: ' doctor -- -1
says_like 2 'doctor: PID|FILE: ' doctor 99999999999
says 1 "coldspot doctor: cannot open 'x': No such file or directory" doctor x
says 1 "coldspot doctor: '/dev' is not a regular file" doctor /dev
says_like 1 'is not an ELF file' doctor tests/cli/doctor.t
says 2 "coldspot doctor: unknown option '-p'" doctor -p 1
says 2 "coldspot doctor: unexpected argument '2'" doctor 1 2

says 1 'coldspot doctor: no process 4194304' doctor 4194304

run doctor
case $status in
0) grep -q '^Recording will work\.$' "$dir/out" ;;
1 | 3) grep -q '^Recording will not work: ' "$dir/out" ;;
*) false ;;
esac
ok 'the last line agrees with the exit status' || why
[ ! -s "$dir/err" ]
ok 'the verdict is printed once'
grep -q "on Linux $(uname -r)\$" "$dir/out"
ok 'the kernel is named'
for group in Kernel Hooks Numbers Rights Around Settings; do
	grep -qx "$group" "$dir/out"
	ok "there is a group $group"
done
[ "$(awk 'length($0) > 80' "$dir/out" | wc -l)" -eq 0 ]
ok 'it fits 80 columns'
! grep -q '^  missing' "$dir/out" || grep -q 'costs: ' "$dir/out"
ok 'each missing feature states its cost'

fits() { # the report fits on one screen
	[ "$(awk 'length($0) > 80' "$dir/out" | wc -l)" -eq 0 ] && [ "$(wc -l <"$dir/out")" -le 45 ]
}

start_victim
until [ "$(cat "/proc/$victim/comm")" = sleep ]; do :; done
run doctor "$victim"
kill "$victim"
grep -q "^Process $victim (sleep) of user $(id -u)\$" "$dir/out" &&
	grep -q '/libc[.0-9so-]*: ' "$dir/out"
ok 'the files of a process are listed' || why
sed -n 2p "$dir/out" | grep -q '^  ok       stacks: whole' &&
	sed -n 3p "$dir/out" | grep -q '^  [a-z]* *names: all functions of [0-9]* of [0-9]* files'
ok 'the state of its stacks comes first' || why
fits
ok 'it fits a screen' || why
! grep -qx Kernel "$dir/out"
ok 'a process report omits the machine'

# NAME WANTED...: runs a program, and looks for words in what is said of it, line breaks aside
program() {
	"$dir/$1" &
	victim=$!
	sleep 0.3
	run doctor "$victim"
	kill "$victim"
	shift
	for wanted; do
		tr -s '\n ' '  ' <"$dir/out" | grep -q -e "$wanted"
		ok "a program: $wanted" || why
	done
}
if command -v "${CC:-cc}" >/dev/null && command -v objcopy >/dev/null; then
	printf '#include <unistd.h>\nint main(void) { return (int)sleep(20); }\n' >"$dir/whole.c"
	"${CC:-cc}" -Wl,--build-id -o "$dir/whole" "$dir/whole.c"
	objcopy --only-keep-debug "$dir/whole" "$dir/apart.debug"
	objcopy --strip-all --add-gnu-debuglink="$dir/apart.debug" "$dir/whole" "$dir/apart"
	objcopy --strip-all "$dir/whole" "$dir/bare"
	objcopy -R .eh_frame -R .eh_frame_hdr "$dir/whole" "$dir/tableless"
	# Most of its code has tables, its own has none, as where the standard library has them.
	code() { # NAME LINES
		awk -v name="$1" -v lines="$2" 'BEGIN {
			print "volatile int " name "_n; void " name "(void); void " name "(void) {"
			for (i = 0; i < lines; i++)
				print name "_n += " name "_n * " i ";"
			print "}"
		}'
	}
	code covered 2000 >"$dir/covered.c"
	{ cat "$dir/whole.c" && code own 300; } >"$dir/own.c"
	"${CC:-cc}" -O1 -c -o "$dir/covered.o" "$dir/covered.c" &&
		"${CC:-cc}" -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -c \
			-o "$dir/own.o" "$dir/own.c" &&
		"${CC:-cc}" -o "$dir/bare-own" "$dir/own.o" "$dir/covered.o"
	program bare-own 'stacks: frames will be missing: [0-9]* bytes of code in bare-own' \
		'to do build it with -C force-unwind-tables=yes'
	program whole "stacks: whole"
	program whole "ok $dir/whole: [0-9]* functions in .symtab "
	program apart "ok $dir/apart: [0-9]* functions in a separate debug file "
	program bare \
		"missing $dir/bare: no functions have names; unwind tables; build ID [0-9a-f]*" \
		'to do '
	file() { # NAME WANTED...: the same of the file alone
		prints 0 "^File $dir/$1\$" doctor "$dir/$1"
		fits
		ok 'a file fits a screen' || why
		shift
		for wanted; do
			tr -s '\n ' '  ' <"$dir/out" | grep -q -e "$wanted"
			ok "a file: $wanted" || why
		done
	}
	file whole 'ok stacks: unwind tables' 'ok names: [0-9]* functions in .symtab' \
		'ok build ID: [0-9a-f]\{40\}'
	! grep -q 'to do' "$dir/out"
	ok 'a complete file needs nothing' || why
	file bare 'missing names: no functions have names' 'to do .*--debuginfod' \
		'debug file below /usr/lib/debug'
	file tableless 'partly stacks: no unwind tables\|partly stacks: unwind tables for'
	mkfifo "$dir/fifo"
	says 1 "coldspot doctor: '$dir/fifo' is not a regular file" doctor "$dir/fifo"

	# What a summary tells a person to type works as it is.
	cat >"$dir/bare.lit" <<END
module m elf $dir/bare
task 1/1 bare
wait S blocked=1s
  u @m 0x1234 !no_symbol
  u main @m
END
	"$COLDSPOT_BUILD/tests/cli/test_literal_recording" "$dir/bare.coldspot" "$dir/bare.lit"
	run report "$dir/bare.coldspot"
	said='1 address in bare has no name (stripped)'
	command=$(tr -s '\n ' '  ' <"$dir/out" |
		sed -n "s/.*Names: $said: coldspot \(doctor [^ ]*\).*/\1/p")
	[ "$command" = "doctor $dir/bare" ]
	ok 'a summary names a command for a stripped program' || why
	# shellcheck disable=SC2086 # words, as a shell would see them
	prints 0 'missing  names: no functions have names' $command
	program tableless 'partly stacks: may end in files without unwind tables: tableless'
	cat >"$dir/jit.c" <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	char path[64];
	FILE *f;
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = access("named", F_OK) ? NULL : fopen(path, "w");
	if (f)
		fputs("1000 10 made\n", f), fclose(f);
	sleep(20);
	return 0;
}
END
	"${CC:-cc}" -o "$dir/jit" "$dir/jit.c"
	program jit 'JIT-compiled code has none (1 mapping)' \
		'to do check whether the JIT compiler'
	(cd "$dir" && : >named && exec ./jit) &
	victim=$!
	sleep 0.3
	run doctor "$victim"
	grep -q '1 functions in its perf map' "$dir/out"
	ok 'a perf map is found' || why
	chown 4711 "/tmp/perf-$victim.map" 2>/dev/null && {
		run doctor "$victim"
		tr -s '\n ' '  ' <"$dir/out" | grep -q 'belongs to user 4711: not used'
		ok 'a perf map of another user is reported' || why
	}
	kill "$victim"
	rm -f "/tmp/perf-$victim.map"
	"$dir/whole" &
	victim=$!
	sleep 0.2
	rm "$dir/whole"
	run doctor "$victim"
	kill "$victim"
	grep -q "$dir/whole.*(deleted or" "$dir/out"
	ok 'a deleted program is reported' || why
else
	skip 'where the names of a program come from' 'no C compiler or objcopy'
fi

go=$(PATH=$PATH:/usr/lib/go-1.19/bin command -v go)
if [ -n "$go" ]; then
	cat >"$dir/mutexes.go" <<'END'
package main

import (
	"sync"
	"time"
)

func main() {
	var m sync.Mutex
	for i := 0; i < 8; i++ {
		go func() {
			for {
				m.Lock()
				time.Sleep(time.Millisecond)
				m.Unlock()
			}
		}()
	}
	time.Sleep(20 * time.Second)
}
END
	(cd "$dir" && GOFLAGS=-mod=mod GO111MODULE=off "$go" build -o mutexes mutexes.go) &&
		strip "$dir/mutexes"
	program mutexes 'waits: goroutines that wait for a sync.Mutex, channel or select are not'
	start_victim
	run doctor "$victim"
	kill "$victim"
	! grep -q goroutines "$dir/out"
	ok 'another program has no goroutines' || why
else
	skip 'what doctor says of a Go program' 'no Go'
fi

# A stripped program of a package: doctor and the summary name the package with its symbols.
own=$(readlink -f "$(command -v sleep)")
if [ -n "$(dpkg -S "$own" 2>/dev/null)" ] && command -v readelf >/dev/null; then
	package=$(dpkg -S "$own" | sed 's/[:,].*//')-dbgsym
	prints 0 "to do    apt install $package\$" doctor "$own"
	literal() { # BUILD_ID
		cat >"$dir/own.lit" <<END
module m elf $own build=$1
task 1/1 own
wait S blocked=1s
  u @m 0x1234 !no_symbol
  u main @m
END
		"$COLDSPOT_BUILD/tests/cli/test_literal_recording" "$dir/own.coldspot" \
			"$dir/own.lit"
		run report "$dir/own.coldspot"
		tr -s '\n ' '  ' <"$dir/out" >"$dir/words"
	}
	literal "$(readelf -n "$own" | sed -n 's/.*Build ID: //p')"
	grep -q "Names: 1 address in .* has no name (stripped): apt install $package" "$dir/words"
	ok 'a summary names the package with the names' || why
	literal 0123456789
	grep -q "(stripped): coldspot doctor $own" "$dir/words"
	ok 'no package for another build of the file' || why
else
	skip 'the package with the names' 'no dpkg or readelf'
fi

# RUNTIME WANTED COMMAND...: what is said of a program of that runtime
runtime() {
	name=$1 wanted=$2
	shift 2
	if ! command -v "$1" >/dev/null; then
		skip "$name" "no $1"
		return
	fi
	(cd "$dir" && exec "$@") >/dev/null 2>&1 & # it may leave files where it is started
	victim=$!
	sleep 2
	run doctor "$victim"
	kill "$victim"
	rm -f "/tmp/perf-$victim.map"
	tr -s '\n ' '  ' <"$dir/out" | grep -q -e "$wanted" && fits
	ok "$name: $wanted" || why
}
idle='setTimeout(() => 0, 20000)'
runtime Node.js 'JavaScript code has none to do start node with --perf-basic-prof --interp' \
	node -e "$idle"
runtime Node.js '[0-9] functions in its perf map' node --perf-basic-prof -e "$idle"
NODE_OPTIONS=--interpreted-frames-native-stack runtime Node.js \
	'to do start node with --perf-basic-prof (or set' node -e "$idle"
runtime CPython 'Python functions are shown' /usr/bin/python3 -c 'import time; time.sleep(20)'
if [ -x /usr/bin/python3 ]; then
	cp "$(readlink -f /usr/bin/python3)" "$dir/snake"
	runtime 'CPython by another name' 'CPython ok .*Python functions are shown' \
		"$dir/snake" -c 'import time; time.sleep(20)'
else
	skip 'CPython by another name' 'no /usr/bin/python3'
fi
if command -v javac >/dev/null; then
	printf 'class W { public static void main(String[] a) throws Exception {\n%s } }\n' \
		'Thread.sleep(20000);' >"$dir/W.java"
	javac -d "$dir" "$dir/W.java"
	runtime Java 'truncated at compiled Java code' java -cp "$dir" W
	runtime Java \
		'stacks: whole.*; Java code by frame pointer.*to do record with --java-symbols' \
		java -XX:+PreserveFramePointer -cp "$dir" W
else
	skip Java 'no javac'
fi

if ! is_root || ! command -v setpriv >/dev/null; then
	for what in 'no rights' 'visits' 'tasks' 'bpf alone' 'bpf and perfmon' \
		'process of another user' 'user namespace' 'no BTF'; do
		skip "$what" 'needs root and setpriv'
	done
	finish
	exit
fi

cp "$COLDSPOT" "$dir/coldspot" # where nobody can reach it
COLDSPOT=$dir/coldspot

run_as_nobody -all doctor
[ "$status" -eq 3 ] && grep -q 'not permitted: needs CAP_BPF and CAP_PERFMON' "$dir/out" &&
	grep -q '^  missing  CAP_BPF$' "$dir/out"
ok 'without rights: status 3 and what is needed' || why
grep -q '^  ok       /proc/PID/schedstat$' "$dir/out" &&
	grep -q '^  missing  /proc/PID/stack: ' "$dir/out" &&
	grep -q '^.record. then visits threads in /proc' "$dir/out"
ok 'and what visits of /proc can read' || why
runtimes='Go 1.18 to 1.26; asyncio of CPython 3.8 to 3.13; Tokio 1.24 to 1.53'
grep -q "^  ok       $runtimes\$" "$dir/out" &&
	grep -q '^  missing  real-time priority (SCHED_FIFO)$' "$dir/out"
ok 'and what reading of tasks can do' || why
grep -q '^  ok       BTF' "$dir/out" || [ ! -e /sys/kernel/btf/vmlinux ]
ok 'without rights it still says what the kernel has'

run_as_nobody -all,+bpf doctor
[ "$status" -eq 3 ] && grep -q '^  missing  CAP_PERFMON$' "$dir/out"
ok 'with CAP_BPF alone: status 3' || why

run doctor
as_root=$status
run_as_nobody -all,+bpf,+perfmon doctor
[ "$status" -eq "$as_root" ] && grep -q '^  missing  CAP_SYS_PTRACE$' "$dir/out"
ok 'with CAP_BPF and CAP_PERFMON the verdict is that of root' || why

run_as_nobody -all doctor $$
grep -q "^Process $$ " "$dir/out" && grep -q 'maps.*Permission denied' "$dir/out"
ok 'a process that we may not inspect is reported' || why

if unshare -Ur true 2>/dev/null; then
	timeout 30 unshare -Ur "$COLDSPOT" doctor >"$dir/out" 2>"$dir/err"
	status=$?
	[ "$status" -eq 3 ] && grep -q 'user namespace' "$dir/out"
	ok 'root of a user namespace: status 3' || why
else
	skip 'root of a user namespace: status 3' 'no user namespaces'
fi

if unshare -m true 2>/dev/null && [ -d /sys/kernel/btf ]; then
	# shellcheck disable=SC2016
	timeout 30 unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && "$0" doctor' \
		"$COLDSPOT" >"$dir/out" 2>"$dir/err"
	status=$?
	[ "$status" -eq 1 ] && grep -q 'Recording will not work: this kernel has no BTF' "$dir/out"
	ok 'no BTF: status 1' || why
	mkdir "$dir/btf" && head -c 4096 /dev/zero >"$dir/btf/vmlinux"
	# shellcheck disable=SC2016
	timeout 30 unshare -m sh -c 'mount --bind "$1" /sys/kernel/btf && "$0" doctor' \
		"$COLDSPOT" "$dir/btf" >"$dir/out" 2>"$dir/err"
	status=$?
	[ "$status" -eq 1 ] && grep -q 'cannot be understood' "$dir/out" && [ ! -s "$dir/err" ]
	ok 'invalid BTF: status 1' || why
else
	skip 'no BTF: status 1' 'no mount namespaces'
	skip 'invalid BTF: status 1' 'no mount namespaces'
fi
finish

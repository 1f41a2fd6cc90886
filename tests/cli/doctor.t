#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doctor: its verdict is its status, with rights, without, and where the kernel lacks something.
. tests/cli/tap.sh

says 2 "coldspot doctor: PID: 'x' is not a whole number from 1 to 4194304" doctor x
says_like 2 'doctor: PID: ' doctor 0
says_like 2 'doctor: PID: ' doctor -- -1
says_like 2 'doctor: PID: ' doctor 99999999999
says 2 "coldspot doctor: unknown option '-p'" doctor -p 1
says 2 "coldspot doctor: unexpected argument '2'" doctor 1 2

run doctor 4194304
[ "$status" -eq 1 ] && grep -q '^coldspot doctor: .*4194304' "$dir/err" &&
	[ "$(wc -l <"$dir/err")" -eq 1 ]
ok 'a process that does not exist is told, status 1' || why

run doctor
case $status in
0) grep -q '^Recording will work\.$' "$dir/out" ;;
1 | 3) grep -q '^Recording will not work: ' "$dir/out" ;;
*) false ;;
esac
ok 'the last line says what the status says' || why
[ ! -s "$dir/err" ]
ok 'the verdict is not told twice'
grep -q "on Linux $(uname -r)\$" "$dir/out"
ok 'the kernel is named'
for group in Kernel Hooks Numbers Rights Around Settings; do
	grep -qx "$group" "$dir/out"
	ok "there is a group $group"
done
[ "$(awk 'length($0) > 80' "$dir/out" | wc -l)" -eq 0 ]
ok 'it fits 80 columns'
! grep -q '^  missing' "$dir/out" || grep -q 'costs: ' "$dir/out"
ok 'what is missing has its price'

sleep 60 &
victim=$!
run doctor "$victim"
kill "$victim"
grep -q "^Process $victim (sleep) of user $(id -u)\$" "$dir/out" &&
	grep -q 'build ID [0-9a-f]\{16,\}' "$dir/out" && grep -q '/libc' "$dir/out"
ok 'the files of a process are listed with their build IDs' || why

# Where the names come from: the same program whole, with its symbols elsewhere, and bare.
program() { # NAME WANTED: runs it, and looks for its line in the report
	"$dir/$1" &
	victim=$!
	sleep 0.2
	run doctor "$victim"
	kill "$victim"
	grep -A 1 "$dir/$1" "$dir/out" | grep -q "$2"
	ok "a program: $2" || why
}
if command -v "${CC:-cc}" >/dev/null && command -v objcopy >/dev/null; then
	printf '#include <unistd.h>\nint main(void) { return (int)sleep(20); }\n' >"$dir/whole.c"
	"${CC:-cc}" -Wl,--build-id -o "$dir/whole" "$dir/whole.c"
	objcopy --only-keep-debug "$dir/whole" "$dir/apart.debug"
	objcopy --strip-all --add-gnu-debuglink="$dir/apart.debug" "$dir/whole" "$dir/apart"
	objcopy --strip-all "$dir/whole" "$dir/bare"
	program whole '[0-9] functions in .symtab; build ID'
	program apart '[0-9] functions in a separate debug file; build ID'
	program bare 'no functions have names; build ID'
	"$dir/whole" &
	victim=$!
	sleep 0.2
	rm "$dir/whole"
	run doctor "$victim"
	kill "$victim"
	grep -q "$dir/whole.*(deleted or replaced" "$dir/out"
	ok 'a deleted program is told' || why
else
	skip 'where the names of a program come from' 'no C compiler or objcopy'
fi

if ! is_root || ! command -v setpriv >/dev/null; then
	for what in 'no rights' 'bpf alone' 'bpf and perfmon' 'process of another user' \
		'user namespace' 'no BTF'; do
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
ok 'a process that we may not look at is told' || why

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
	ok 'BTF that is none: status 1' || why
else
	skip 'no BTF: status 1' 'no mount namespaces'
	skip 'BTF that is none: status 1' 'no mount namespaces'
fi
finish

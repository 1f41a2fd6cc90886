#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The static program for arm64, that `make static-arm64` left: run by an emulator of programs, and
# recording in an emulated machine, in a root with nothing but busybox.
. tests/cli/tap.sh
static=$COLDSPOT_BUILD/packages/coldspot-aarch64
busybox=${COLDSPOT_VM_CACHE:-/var/cache/coldspot-vm}/root-arm64/bin/busybox
KERNEL=6.12-arm64

if [ ! -x "$static" ]; then
	echo '1..0 # SKIP there is none: make static-arm64'
	exit 0
fi
! readelf -d "$static" | grep -q NEEDED && ! readelf -l "$static" | grep -q INTERP
ok 'it needs no library and no loader'

if emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64); then
	can_record && run record -q -o "$dir/a.coldspot" -- sleep 0.1
	timeout 60 "$emulator" "$static" report "$dir/a.coldspot" >"$dir/emulated" 2>&1
	status=$?
	"$COLDSPOT" report "$dir/a.coldspot" >"$dir/native" 2>&1
	native=$?
	# Each program knows the system calls of its own architecture by name. Without a recording,
	# both say that there is none.
	sed -i 's/ clock_nanosleep//' "$dir/native"
	[ "$status" -eq "$native" ] && [ -s "$dir/native" ] && cmp -s "$dir/native" "$dir/emulated"
	ok 'it reports a recording as this machine does' ||
		diff "$dir/native" "$dir/emulated" | sed 's/^/# /'

else
	skip 'it reports a recording as this machine does' 'there is no qemu-aarch64'
fi

what="it records on $KERNEL"
if ! is_root || ! tests/vm/run -n "$KERNEL" 2>"$dir/why"; then
	skip "$what" "$(cat "$dir/why" 2>/dev/null || echo 'needs root')"
	finish
	exit
fi
root=$dir/job/root
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/tmp"
cp "$static" "$root/bin/coldspot"
cp -L "$busybox" "$root/bin/busybox"
for tool in sh sleep; do ln -s busybox "$root/bin/$tool"; done
# shellcheck disable=SC2016 # for the guest
timeout 560 tests/vm/run -t 500 -d "$dir/job" "$KERNEL" sh -c '
	busybox mount -t proc proc root/proc && busybox mount -t sysfs sys root/sys &&
		busybox mount -t tmpfs tmp root/tmp
	chroot root /bin/sh -c "cd /tmp && coldspot record -q -o a.coldspot -- sleep 0.3 &&
		coldspot report a.coldspot"' >"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 0 ] && grep -q 'sleep.* clock_nanosleep' "$dir/out"
ok "$what" || why
finish

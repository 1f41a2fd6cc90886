#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The unit of the agent: how exposed it is, and that recording needs nothing that it forbids.
. tests/cli/tap.sh
unit=packaging/systemd/coldspot-agent.service

command -v systemd-analyze >/dev/null || {
	echo '1..0 # SKIP there is no systemd-analyze: scripts/deps packages'
	exit 0
}

# values KEY: of all its lines, one word on each line
values() {
	sed -n "s/^$1=//p" "$unit" | tr ' ' '\n'
}

# allowed: the system calls that the unit permits; groups may contain groups
allowed() {
	todo=$(values SystemCallFilter)
	while [ -n "$todo" ]; do
		next=
		for word in $todo; do
			case $word in
			@*)
				next="$next $(systemd-analyze --no-pager syscall-filter "$word" |
					sed -n 's/^ \{1,\}\([a-z@][^ ]*\).*/\1/p')"
				;;
			*) echo "$word" ;;
			esac
		done
		todo=$next
	done | LC_ALL=C sort -u
}

# It complains of what is not installed here, and of nothing else.
systemd-analyze verify "$unit" 2>&1 |
	grep -v -e '/usr/bin/coldspot is not executable' -e 'man coldspot-agent' >"$dir/said"
[ ! -s "$dir/said" ]
ok 'systemd understands it' || sed 's/^/# /' "$dir/said"
systemd-analyze security --offline=true --threshold=30 --no-pager "$unit" >"$dir/said" 2>&1
ok 'its exposure is 3.0 at most' || tail -n 1 "$dir/said"
sed '/^Protect/d; /^NoNewPrivileges/d' "$unit" >"$dir/weak.service"
! systemd-analyze security --offline=true --threshold=30 --no-pager "$dir/weak.service" \
	>"$dir/said" 2>&1
ok 'without half of its settings, it is not'

values CapabilityBoundingSet | sed 's/^CAP_//' | LC_ALL=C sort >"$dir/unit"
sed -n 's/^ *cap_add: \[\(.*\)\]/\1/p' packaging/container/compose.yaml | tr -d ' ' | tr ',' '\n' |
	LC_ALL=C sort | cmp -s - "$dir/unit"
ok 'it has the capabilities of the container, with which image.t records' ||
	sed 's/^/# /' "$dir/unit"
! grep -q '^ProtectKernelLogs=[yt1]' "$unit"
ok 'names of kernel functions are not taken from it'

what='recording makes no system call that it forbids'
if ! is_root || ! can_record || ! command -v strace >/dev/null; then
	skip "$what" 'it takes root, a kernel that can record, and strace'
	finish
	exit
fi
allowed >"$dir/allowed"
strace -f -qq -o "$dir/trace" "$COLDSPOT" record -q -a -d 500ms --wakers -o "$dir/a.coldspot" \
	>"$dir/out" 2>"$dir/err"
status=$?
sed -n 's/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' "$dir/trace" | LC_ALL=C sort -u >"$dir/made"
comm -23 "$dir/made" "$dir/allowed" >"$dir/forbidden"
[ "$status" -eq 0 ] && grep -qx bpf "$dir/made" && [ ! -s "$dir/forbidden" ]
ok "$what" || sed 's/^/# /' "$dir/forbidden"
finish

# SPDX-License-Identifier: Apache-2.0
#
# Capabilities one by one, as another user than root, and namespaces. The shared directory is closed
# to others, so the program and what it writes are elsewhere.
# shellcheck shell=sh
mkdir -p /tmp/rights && chmod 777 /tmp/rights && cp coldspot /tmp/rights/
all="bpf perfmon sys_ptrace syslog dac_read_search checkpoint_restore"

# with NAME CAPABILITY...: root's sleeper, recorded by nobody with these.
with() {
	name=$1
	shift
	caps=-all
	for cap in "$@"; do
		caps=$caps,+$cap
	done
	sleep 1000 &
	sleeper=$!
	(
		cd /tmp/rights || exit
		exec timeout "$longest" setpriv --reuid=65534 --regid=65534 --clear-groups \
			--inh-caps="$caps" --ambient-caps="$caps" \
			./coldspot record -p $sleeper -d 1 -o "$name.json"
	) >"$name.out" 2>"$name.err"
	echo $? >"$name.status"
	kill $sleeper
	wait $sleeper
	[ ! -f "/tmp/rights/$name.json" ] || cp "/tmp/rights/$name.json" .
}

# shellcheck disable=SC2086
with rights-all $all
for missing in $all; do
	# shellcheck disable=SC2046
	with "rights-no-$missing" $(echo "$all" | tr ' ' '\n' | grep -vx "$missing")
done
with rights-none
case_of userns unshare -U -r ./coldspot record -d 1 -q -- true
case_of nested-pidns unshare -p -f --mount-proc unshare -p -f --mount-proc \
	./coldspot record -d "$longest" -q -o nested-pidns.json -- sleep 0.3

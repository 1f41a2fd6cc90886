# SPDX-License-Identifier: Apache-2.0
#
# For the scripts that run in the guest, in the shared directory, beside coldspot and the workloads.
# Every case leaves CASE.status, CASE.err and its output; nothing is judged here.
# shellcheck shell=sh
longest=200

# Into `case-times`: when each case ended, by the time since boot.
stamp() {
	read -r up _ </proc/uptime
	echo "$up $1" >>case-times
}

# The emulated CPUs have one clock (and `run` tells the kernel so), but not the words for it.
if grep '^flags' /proc/cpuinfo | grep -qv nonstop_tsc; then
	sed 's/^flags.*/& constant_tsc nonstop_tsc/' /proc/cpuinfo >/tmp/cpuinfo
	mount --bind /tmp/cpuinfo /proc/cpuinfo
fi

# case_of NAME COMMAND...: what sleeps in it says for how long, in CASE.slept (sleep.c).
case_of() {
	name=$1
	shift
	SLEPT=$PWD/$name.slept PATH="$PWD:$PATH" timeout "$longest" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.status"
	stamp "$name"
}

# begin NAME PID OPTION...: starts a recording of the process into NAME.json, and comes back when it
# has begun, or failed to.
begin() {
	name=$1 target=$2
	shift 2
	timeout --foreground "$longest" ./coldspot record -p "$target" -d "$longest" --announce -q \
		-o "$name.json" "$@" >"$name.out" 2>"$name.err" 3>&- &
	recorder=$!
	while [ ! -s "$name.err" ] && kill -0 $recorder 2>/dev/null; do
		sleep 0.1
	done
}

# end [SIGNAL]: waits for the recording's end.
end() {
	# timeout passes it on, once: two are more than a wish to end
	[ -z "${1:-}" ] || kill -s "$1" $recorder
	wait $recorder
	echo $? >"$name.status"
	sed -i '/^coldspot: recording/d' "$name.err"
	stamp "$name"
}

# traced NAME OPTION...: records a waiter from before its first wait to its end.
traced() {
	name=$1
	shift
	rm -f /tmp/go && mkfifo /tmp/go
	./waiter </tmp/go >"$name.said" &
	waiter=$!
	exec 3>/tmp/go
	begin "$name" $waiter "$@"
	exec 3>&-
	end
	wait $waiter
}

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs in the guest, in the shared directory, beside coldspot, waiter and what else smoke.t put
# there. Every case leaves CASE.status, CASE.err and its output; nothing is judged here.
longest=200

# The emulated CPUs have one clock (and `run` tells the kernel so), but not the words for it.
sed 's/^flags.*/& constant_tsc nonstop_tsc/' /proc/cpuinfo >/tmp/cpuinfo
mount --bind /tmp/cpuinfo /proc/cpuinfo

# case_of NAME COMMAND...
case_of() {
	name=$1
	shift
	timeout "$longest" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.status"
}

# traced NAME OPTION...: records a waiter from before its first wait to its end.
traced() {
	name=$1
	shift
	rm -f /tmp/go && mkfifo /tmp/go
	./waiter </tmp/go >"$name.said" &
	waiter=$!
	exec 3>/tmp/go
	timeout "$longest" ./coldspot record -p $waiter -d "$longest" --announce -q \
		-o "$name.json" "$@" >"$name.out" 2>"$name.err" 3>&- &
	recorder=$!
	while [ ! -s "$name.err" ] && kill -0 $recorder 2>/dev/null; do
		sleep 0.1
	done
	exec 3>&-
	wait $recorder
	echo $? >"$name.status"
	wait $waiter
}

case_of doctor ./coldspot doctor
case_of command ./coldspot record -d "$longest" -q -o command.json -- sh -c 'sleep 0.3; :'
case_of exit_tp ./coldspot record --resume-hook sched_exit -q -- true
for hook in auto kprobe switch; do
	for split in sched_info waking; do
		traced "waits-$hook-$split" --resume-hook $hook --split $split
	done
done

# Options that switch on code which the verifier does not see without them.
mkdir /sys/fs/cgroup/smoke
in_cgroup='echo $$ >/sys/fs/cgroup/smoke/cgroup.procs; sleep 0.3'
case_of comm ./coldspot record -d "$longest" -q --comm 'sl*p' -o comm.json -- sleep 0.3
case_of cgroup ./coldspot record -d "$longest" -q --cgroup /sys/fs/cgroup/smoke -o cgroup.json -- \
	sh -c "$in_cgroup"
case_of pidns unshare -p -f --mount-proc ./coldspot record -d "$longest" -q -o pidns.json -- \
	sleep 0.3
case_of all ./coldspot record -d 1 -q -a -o all.json

[ ! -x verifier_counts ] || case_of verifier scripts/verifier-counts ./verifier_counts

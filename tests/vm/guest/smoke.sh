#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: smoke.sh all|few
#
# Every way to record, once; or a few of them.
# shellcheck source=tests/vm/guest/cases.sh
. ./cases.sh

case_of doctor ./coldspot doctor
case_of command ./coldspot record -d "$longest" -q -o command.json -- sh -c 'sleep 0.3; :'
case_of exit_tp ./coldspot record --resume-hook sched_exit -q -- true
traced waits-auto
traced waits-proc-switch --mappings proc --resume-hook switch
if [ "$1" = all ]; then
	for hook in kprobe switch; do
		for split in sched_info waking; do
			traced "waits-$hook-$split" --resume-hook $hook --split $split
		done
	done
	traced waits-fp --unwind fp
	traced waits-proc --mappings proc
fi

# Options that switch on code which the verifier does not see without them.
mkdir /sys/fs/cgroup/smoke
in_cgroup='echo $$ >/sys/fs/cgroup/smoke/cgroup.procs; sleep 0.3'
case_of comm ./coldspot record -d "$longest" -q --comm 'sl*p' -o comm.json -- sleep 0.3
case_of cgroup ./coldspot record -d "$longest" -q --cgroup /sys/fs/cgroup/smoke -o cgroup.json -- \
	sh -c "$in_cgroup"
case_of pidns unshare -p -f --mount-proc ./coldspot record -d "$longest" -q -o pidns.json -- \
	sleep 0.3
case_of all ./coldspot record -d 1 -q -a -o all.json

if [ "$1" = all ] && [ -x verifier_counts ]; then
	case_of verifier scripts/verifier-counts ./verifier_counts
fi

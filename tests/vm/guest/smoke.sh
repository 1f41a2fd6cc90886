#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: smoke.sh all|few
#
# Every choice of every way to record, a few of them at once; or also each alone.
# shellcheck source=tests/vm/guest/cases.sh
. ./cases.sh

case_of doctor ./coldspot doctor
case_of command ./coldspot record -d "$longest" -q -o command.json -- sh -c 'sleep 0.3; :'
case_of exit_tp ./coldspot record --resume-hook sched_exit -q -- true
traced waits-auto
traced waits-kprobe-waking-fp --resume-hook kprobe --split waking --unwind fp
traced waits-switch-sched_info-proc --resume-hook switch --split sched_info --mappings proc
traced waits-switch-waking --resume-hook switch --split waking

# Options that switch on code which the verifier does not see without them.
cgroup=/sys/fs/cgroup/smoke
mkdir $cgroup
in_cgroup='echo $$ >/sys/fs/cgroup/smoke/cgroup.procs; sleep 0.3; :'
case_of filters unshare -p -f --mount-proc ./coldspot record -d "$longest" -q --comm 'sl*p' \
	--cgroup $cgroup -o filters.json -- sh -c "$in_cgroup"
case_of all ./coldspot record -d 1 -q -a -o all.json
[ "$1" = all ] || exit 0

traced waits-kprobe-sched_info --resume-hook kprobe --split sched_info
traced waits-kprobe-waking --resume-hook kprobe --split waking
traced waits-switch-sched_info --resume-hook switch --split sched_info
traced waits-fp --unwind fp
traced waits-proc --mappings proc
case_of comm ./coldspot record -d "$longest" -q --comm 'sl*p' -o comm.json -- sleep 0.3
case_of cgroup ./coldspot record -d "$longest" -q --cgroup $cgroup -o cgroup.json -- \
	sh -c "$in_cgroup"
case_of pidns unshare -p -f --mount-proc ./coldspot record -d "$longest" -q -o pidns.json -- \
	sleep 0.3
[ ! -x verifier_counts ] || case_of verifier scripts/verifier-counts ./verifier_counts

# SPDX-License-Identifier: Apache-2.0
#
# Limits that an administrator sets: depth of stacks, memory.
# shellcheck shell=sh
depth=$(cat /proc/sys/kernel/perf_event_max_stack)
# Not while programs are about that may take stacks, and they go after a grace period.
set_depth() {
	until echo "$1" >/proc/sys/kernel/perf_event_max_stack; do
		sleep 0.2
	done 2>/dev/null
}
set_depth 16
case_of depth-doctor ./coldspot doctor
# Page faults on files that come from outside have the deepest stacks.
case_of depth ./coldspot record -d "$longest" -q -o depth.json -- sh -c 'sleep 0.3; cat cases.sh'
set_depth "$depth"

# in_memory NAME BYTES COMMAND...: in a cgroup that has no more.
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
in_memory() {
	name=$1 bytes=$2
	shift 2
	mkdir "/sys/fs/cgroup/$name"
	echo "$bytes" >"/sys/fs/cgroup/$name/memory.max"
	# shellcheck disable=SC2016
	case_of "$name" sh -c 'echo $$ >"/sys/fs/cgroup/$0/cgroup.procs" && exec "$@"' "$name" "$@"
	cat "/sys/fs/cgroup/$name/memory.peak" >"$name.peak" 2>/dev/null
	rmdir "/sys/fs/cgroup/$name"
}
in_memory memory-enough 192M ./coldspot record -d "$longest" -q -o memory-enough.json -- sleep 0.3
in_memory memory-16m 16M ./coldspot record -d "$longest" -q -o memory-16m.json -- sleep 0.3
in_memory memory-4m 4M ./coldspot record -d "$longest" -q -o memory-4m.json -- sleep 0.3
case_of memory-after ./coldspot record -d "$longest" -q -o memory-after.json -- sleep 0.3

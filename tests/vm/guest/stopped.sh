# SPDX-License-Identifier: Apache-2.0
#
# Time that a thread loses to others: the cgroup's bandwidth, a stop signal, a freezer.
# shellcheck shell=sh
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control

# spinner NAME: a busy loop in a cgroup of that name; its pid in $spinner.
spinner() {
	mkdir "/sys/fs/cgroup/$1"
	sh -c 'echo $$ >"/sys/fs/cgroup/$0/cgroup.procs"; while :; do :; done' "$1" &
	spinner=$!
}
# over NAME: ends it.
over() {
	end INT
	kill -9 $spinner
	wait $spinner 2>/dev/null
	rmdir "/sys/fs/cgroup/$1"
}

spinner throttled
echo "10000 100000" >/sys/fs/cgroup/throttled/cpu.max
begin throttled $spinner
sleep 2
over throttled

spinner stopped
begin stopped $spinner
sleep 0.3
kill -STOP $spinner
sleep 1
kill -CONT $spinner
sleep 0.3
over stopped

spinner frozen
begin frozen $spinner
sleep 0.3
echo 1 >/sys/fs/cgroup/frozen/cgroup.freeze
sleep 1
echo 0 >/sys/fs/cgroup/frozen/cgroup.freeze
sleep 0.3
over frozen

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

# held NAME STOP GO: runs STOP, a second later GO, and writes when each began and ended.
held() {
	read -r stops _ </proc/uptime
	eval "$2"
	read -r stopped _ </proc/uptime
	sleep 1
	read -r goes _ </proc/uptime
	eval "$3"
	read -r went _ </proc/uptime
	echo "$stops $stopped $goes $went" >"$1.held"
}

spinner throttled
echo "10000 100000" >/sys/fs/cgroup/throttled/cpu.max
begin throttled $spinner
sleep 2
over throttled

spinner stopped
begin stopped $spinner
sleep 0.3
held stopped "kill -STOP $spinner" "kill -CONT $spinner"
sleep 0.3
over stopped

spinner frozen
begin frozen $spinner
sleep 0.3
freezer=/sys/fs/cgroup/frozen/cgroup.freeze
held frozen "echo 1 >$freezer" "echo 0 >$freezer"
sleep 0.3
over frozen

# SPDX-License-Identifier: Apache-2.0
#
# A profiler that is killed, two at once, pids that come again.
# shellcheck shell=sh

# What the kernel holds of ours: programs and maps, by the numbers that their names begin with.
left_behind() {
	ls -A /sys/fs/bpf
	PATH=$PATH:/usr/sbin:/usr/local/sbin
	bpftool prog list | grep -A 3 ' on_[a-z_]* '
	bpftool link list
}

# For each program an own process, which is not ours to wait for.
sleep 1000 &
sleeper=$!
begin killed $sleeper
left_behind >killed.during
kill -9 "$(pgrep -x coldspot)" || echo "no coldspot to kill" >>killed.after
wait $recorder
echo $? >killed.status
# Programs are freed after a grace period.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left_behind >killed.after
	[ -s killed.after ] || break
	sleep 0.5
done
kill $sleeper
wait $sleeper
traced after-killed

# two NAME1 NAME2: one waiter, two recordings.
rm -f /tmp/go && mkfifo /tmp/go
./waiter </tmp/go >both.said &
waiter=$!
exec 3>/tmp/go
begin one $waiter
first=$recorder
begin other $waiter
exec 3>&-
end
wait $first
echo $? >one.status
sed -i '/^coldspot: recording/d' one.err
wait $waiter

pid_max=$(cat /proc/sys/kernel/pid_max)
echo 400 >/proc/sys/kernel/pid_max
case_of pids ./coldspot record -d "$longest" -q -o pids.json -- \
	sh -c 'n=0; while [ $n -lt 500 ]; do /bin/true; n=$((n + 1)); done'
echo "$pid_max" >/proc/sys/kernel/pid_max

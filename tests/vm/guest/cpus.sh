# SPDX-License-Identifier: Apache-2.0
#
# CPUs that come and go. The guest is started so that it might have more CPUs than it has.
# shellcheck shell=sh
cat /sys/devices/system/cpu/possible >cpus.possible
cat /sys/devices/system/cpu/online >cpus.online

traced cpus-plain

# As `traced`, and a CPU goes when all threads have begun.
rm -f /tmp/go && mkfifo /tmp/go
./waiter </tmp/go >hotplug.said &
waiter=$!
exec 3>/tmp/go
begin hotplug $waiter
exec 3>&-
for state in 0 1; do
	sleep 0.4
	echo $state >/sys/devices/system/cpu/cpu1/online
	cat /sys/devices/system/cpu/online
done >hotplug.seen 2>&1
end
wait $waiter

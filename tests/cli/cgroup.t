#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Cgroups have their paths in a recording: those that are there, those that come and go, by the
# kernel's answer and by a walk, from inside of a cgroup namespace, and where there are none.
# shellcheck disable=SC2016
. tests/cli/tap.sh

mount=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo |
	head -n 1)
top=$mount/coldspot-test-$$
if ! is_root || ! can_record || [ -z "$mount" ] || ! mkdir "$top" 2>/dev/null; then
	echo '1..0 # SKIP needs root, the right to record, and a cgroup v2 hierarchy to write to'
	exit
fi
mkdir "$top/there" "$top/away" "$top/before"
children=
# NAME SECONDS: a sleeper in that cgroup; its pid in $pid.
sleeper() {
	sleep "$2" &
	pid=$!
	children="$children $pid"
	echo "$pid" >"$top/$1/cgroup.procs"
}
tidy() {
	for pid in $children; do
		kill "$pid" 2>/dev/null
	done
	wait
	rmdir "$top"/*/* "$top"/* "$top" 2>/dev/null
	rm -rf "$dir"
}
trap tidy EXIT
name=/coldspot-test-$$
sleeper there 60
there=$pid
sleeper away 60
away=$pid

# COMM: the cgroup that the recording has for it.
cgroup_of() {
	sqlite3 "$dir/a.coldspot" "SELECT DISTINCT cgroup FROM tasks WHERE comm = '$1'"
}

# In a cgroup of that name, which is gone when the command has ended.
in_cgroup='mkdir -p "$0" && echo $$ >"$0/cgroup.procs" && exec "$@"'
timeout 30 "$COLDSPOT" record -q -a -d 2 --announce -o "$dir/a.coldspot" 2>"$dir/news" &
recorder=$!
for _ in $(seq 100); do
	grep -q recording "$dir/news" && break
	sleep 0.1
done
cp "$(command -v sleep)" "$dir/cg-short"
cp "$(command -v sleep)" "$dir/cg-odd"
cp "$(command -v sleep)" "$dir/cg-before"
sh -c "$in_cgroup" "$top/short" "$dir/cg-short" 0.02
rmdir "$top/short"
sh -c "$in_cgroup" "$top/o\"d;d <&>" "$dir/cg-odd" 0.02
rmdir "$top/o\"d;d <&>"
sh -c "$in_cgroup" "$top/before" "$dir/cg-before" 0.02
rmdir "$top/before"
[ ! -e "$top/short" ] && [ ! -e "$top/before" ] && kill -0 "$recorder"
ok 'cgroups are gone before the recording ends'
wait "$recorder"
ok 'the recording is written'
sqlite3 "$dir/a.coldspot" "SELECT cgroup FROM tasks WHERE tid = $there" | grep -qx "$name/there"
ok 'an existing cgroup has its path'
[ "$(cgroup_of cg-short)" = "$name/short" ]
ok 'a cgroup created and removed meanwhile has its path' || cgroup_of cg-short
[ "$(cgroup_of cg-odd)" = "$name/o\"d;d <&>" ]
ok 'a cgroup with an odd name has its path' || cgroup_of cg-odd
[ "$(cgroup_of cg-before)" = "$name/before" ]
ok 'a cgroup that was empty at the start has its path' || cgroup_of cg-before
[ "$(sqlite3 "$dir/a.coldspot" "SELECT sum(cgroup = '') FROM tasks")" = 0 ]
ok 'every thread has one'
prints 0 '/short, [0-9.]* [^ ]*s on a CPU$' report --by cgroup --top 1000 "$dir/a.coldspot"
prints 0 "1 of [0-9]* threads: --cgroup there$" report --cgroup there "$dir/a.coldspot"
prints 0 "threads: --cgroup '$name/\*'$" report --cgroup "$name/*" "$dir/a.coldspot"
prints 0 ': sound: ' check "$dir/a.coldspot"

# A thread that moves itself, by way of a CPU: one record for each cgroup.
mover='import os, sys, time
for d in sys.argv[1:]:
    open(d + "/cgroup.procs", "w").write(str(os.getpid()))
    time.sleep(0.3)'
# OPTIONS: a recording with them, while the mover runs.
record_mover() {
	rm -f "$dir/news" "$dir/m.coldspot"
	timeout 30 "$COLDSPOT" record -q "$@" -d 3 --announce -o "$dir/m.coldspot" 2>"$dir/news" &
	recorder=$!
	for _ in $(seq 100); do
		grep -q recording "$dir/news" && break
		sleep 0.1
	done
	python3 -c "$mover" "$top/there" "$top/away" "$top/there" "$top/away" &
	moved=$!
	wait "$moved"
	wait "$recorder"
}
# CGROUP LEAST MOST: that its records there are two, each as long as that, in ms.
mover_was() {
	[ "$(sqlite3 "$dir/m.coldspot" "SELECT count(*) FROM tasks WHERE tid = $moved AND
		cgroup = '$name/$1' AND wall_ns / 1000000 BETWEEN $2 AND $3")" = 2 ]
}
why_mover() {
	sqlite3 "$dir/m.coldspot" "SELECT '#', cgroup, wall_ns, begin_ns FROM tasks
		WHERE tid = $moved"
}
record_mover -a
mover_was there 290 2500 && mover_was away 290 2500
ok 'a thread that moves has a record for each cgroup' || why_mover
prints 0 ': sound: ' check "$dir/m.coldspot"
record_mover --cgroup "$top/there"
mover_was there 200 2500 && [ "$(sqlite3 "$dir/m.coldspot" "SELECT count(*) FROM tasks
	WHERE tid = $moved AND cgroup <> '$name/there'")" = 0 ]
ok '--cgroup records a thread while it is there' || why_mover
prints 0 ': sound: ' check "$dir/m.coldspot"

# Who may not open by an id reads directories.
cp "$COLDSPOT" "$dir/coldspot"
COLDSPOT=$dir/coldspot
if command -v setpriv >/dev/null; then
	run_as_nobody -all,+bpf,+perfmon,+sys_ptrace record -d 0.1 -p "$there,$away" -f csv
	[ "$status" -eq 0 ] && grep -q ",\"$name/there\",[^,]*$" "$dir/out" &&
		grep -q ",\"$name/away\",[^,]*$" "$dir/out"
	ok 'without CAP_DAC_READ_SEARCH the tree is walked' || why
else
	skip 'rights' 'needs setpriv'
fi

# CGROUP SCRIPT: as run(), in that cgroup, with a cgroup and a mount namespace of its own.
run_inside() {
	sh -c 'echo $$ >"$0/cgroup.procs" && exec timeout 30 unshare -C -m sh -c "$@"' \
		"$1" "$2" "$COLDSPOT" "$mount" "$there,$away" >"$dir/out" 2>"$dir/err"
	status=$?
}
record='"$0" record -d 0.1 -p "$2" -f csv'
run_inside "$top/there" 'umount "$1" && mount -t cgroup2 none "$1" && '"$record"
id=$(stat -c %i "$top/away")
[ "$status" -eq 0 ] && grep -q ',"/",[^,]*$' "$dir/out" &&
	grep -q ",\"cgroup $id\",[^,]*$" "$dir/out"
ok 'a cgroup outside the cgroup namespace is shown by number' || why
run_inside "$mount" 'umount "$1" && '"$record"
id=$(stat -c %i "$top/there")
[ "$status" -eq 0 ] && grep -q ",\"cgroup $id\",[^,]*$" "$dir/out"
ok 'without a mount there are numbers' || why
sleep 60 &
root=$!
children="$children $root"
echo "$root" >"$mount/cgroup.procs"
timeout 30 unshare -m sh -c 'umount "$1" && "$0" record -q -d 0.1 -p "$2" -o "$3" &&
	"$0" report --by cgroup "$3"' "$COLDSPOT" "$mount" "$root" "$dir/v1.coldspot" \
	>"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 0 ] && grep -q ' \[no cgroup v2\], ' "$dir/out"
ok 'and no number of the root, in which all are' || why

# by the names that systemd and container runtimes give
unit=coldspot-test-$$-unit
id=$(printf '%08x%056d' "$$" 7)
mkdir "$top/$unit.service" "$top/docker-$id.scope"
sleeper "$unit.service" 60
in_unit=$pid
sleeper "docker-$id.scope" 60
in_container=$pid
run record -d 0.1 --unit "$unit" -f csv
[ "$status" -eq 0 ] && grep -q ",$in_unit," "$dir/out" && ! grep -q ",$in_container," "$dir/out"
ok 'record --unit takes the threads of the unit' || why
run record -d 0.1 --container "$(printf '%.12s' "$id")" -f csv
[ "$status" -eq 0 ] && grep -q ",$in_container," "$dir/out" && ! grep -q ",$in_unit," "$dir/out"
ok 'record --container takes the threads of the container' || why
# the files of runtimes, where nobody else sees them
timeout 60 unshare -m sh -c 'mount -t tmpfs none /var/log && mkdir /var/log/containers &&
	touch "/var/log/containers/web-7f_shop_nginx-$2.log" &&
	"$0" record -q -d 0.1 --container nginx -o "$3" &&
	"$0" report --by container "$3" && "$0" report --pod shop/web-7f -f csv "$3"' \
	"$COLDSPOT" - "$id" "$dir/named.coldspot" >"$dir/out" 2>"$dir/err"
status=$?
[ "$status" -eq 0 ] && grep -q ' shop/web-7f/nginx' "$dir/out" &&
	grep -q ",$in_container," "$dir/out"
ok 'a container has the name that Kubernetes gives it' || why
prints 0 "\"target\":\"all threads in cgroup $name/$unit.service\"" \
	record -d 0.1 --unit "$unit.service" -f json
says_like 1 "no unit 'no-such-unit' has a cgroup below" record --unit no-such-unit
says_like 1 "no container 'no-such-box' has a cgroup below" record --container no-such-box
mkdir "$top/empty"
says_like 1 "no thread in cgroup $name/empty" record --cgroup "$name/empty"
says_like 2 'cannot be used together' record --unit "$unit" --container "$id"
finish

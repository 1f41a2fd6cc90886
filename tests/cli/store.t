#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stores as the commands that read see them: times, zones, days, damage.
. tests/cli/tap.sh

maker=$COLDSPOT_BUILD/tests/cli/test_literal_recording
store=$dir/store
mkdir "$store"
TZ=UTC
export TZ

# DAY SECONDS BLOCKED...: a day with windows of a minute, the first so long after midnight.
make_day() {
	begin=$(($(date -u -d "$1" +%s) + $2))
	name=$1
	shift 2
	set -- "$name" "$@"
	shift
	texts=
	n=0
	for blocked in "$@"; do
		at=$((begin + n * 60))
		cat >"$dir/$name-$n.lit" <<END
host db1
kernel 6.18.44
boot 5f1c
ncpu 2
window 60s
begin_wall ${at}000000000
begin_mono $((at - 1790000000))000000000
task 4/4 main start=7 cgroup=9 cgroup_path=/system.slice/db.service container=shop/db-0/postgres
wait S sys=202 blocked=$blocked count=3 max=$blocked
 u main
 u commit
END
		texts="$texts $dir/$name-$n.lit"
		n=$((n + 1))
	done
	# shellcheck disable=SC2086
	"$maker" "$store/$name.coldspot" $texts
}

for n in 03 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
	make_day "2026-11-$n" 3600 1s 2s
done
make_day 2026-11-04 52320 11s 12s 13s # from 14:32
make_day 2026-11-24 52320 21s 22s 23s # from 14:32 to 14:35
make_day 2026-11-25 36000 31s 32s 33s # from 10:00 to 10:03

# WANT ARGS...: its threads were blocked so long, in s.
shows() {
	want=$1
	shift
	run report -f json "$@" "$store"
	got=$(python3 -c 'import json, sys
print("%g" % (json.load(sys.stdin)["budget"]["listed_blocked_ns"] / 1e9))' <"$dir/out" 2>&1)
	[ "$got" = "$want" ]
	ok "report $* is $want s" || { echo "# $got" && why; }
}

shows 11 --at 2026-11-04T14:32:18
grep -q 'showing 2026-11-04T14:32:00.000Z to 2026-11-04T14:33:00.000Z' "$dir/err"
ok 'it tells which window that is' || why
shows 11 --on 2026-11-04 --at 14:32:18
shows 12 --at 2026-11-04T14:33:18Z
shows 12 --at 2026-11-04T15:33:18+01:00
shows 12 --at 2026-11-04T08:33:18-0600
shows 36 --on 2026-11-04
shows 22 --at 14:33 # of the day before, because the last day ends at 10:03
shows 32 --at 10:01:30
shows 31 --at 10:00:59.9
shows 65 --since -2m
shows 32 --since -119s --until -61s
shows 45 --since 2026-11-24T14:33 --until 2026-11-25T00:00
shows 25 --on 2026-11-04 --since 14:33:00
shows 33 --since 10:02:00 --until 10:03:00
shows 12 --on 2026-11-04 --since 14:33:00 --until 14:34:00
TZ=America/New_York shows 12 --at 2026-11-04T09:33:18
TZ=America/New_York shows 39 --on 2026-11-04 # until 5 in the morning, UTC
TZ=Asia/Tokyo shows 3 --on 2026-11-05 --until 2026-11-05T12:00
says_like 1 'no window in that time range: the windows are from 2026-11-03T01:00:00.000Z to' \
	report --at 2026-11-04T03:00 "$store"
says_like 2 "'25 o.clock' is not a time" report --at "25 o'clock" "$store"
says_like 2 "'2026-13-01' is not a day" report --on 2026-13-01 "$store"
says_like 2 'at.*since\|since.*at' report --at 10:00 --since 9:00 "$store"

run hist --at 2026-11-04T14:32:18 "$store"
[ "$status" -eq 0 ] && grep -q 's' "$dir/out"
ok 'hist takes a time' || why
run diff --at 2026-11-04T14:32:18 --and 2026-11-24T14:34:18 "$store"
[ "$status" -eq 0 ] && grep -q '11.0 s off the CPU' "$dir/out" &&
	grep -q '23.0 s off the CPU' "$dir/out"
ok 'diff compares two times of one store' || why
says_like 2 'diff needs two recordings' diff --at 10:00 "$store"
mkdir "$dir/empty"
says_like 1 "'$dir/empty' is no store" report "$dir/empty"

# A day that is damaged does not affect the others.
cp -r "$store" "$dir/damaged"
printf nonsense >"$dir/damaged/2026-11-24.coldspot"
run report --since 2026-11-24T00:00 -f json "$dir/damaged"
[ "$status" -eq 1 ] && grep -q "2026-11-24.coldspot' is not a coldspot recording" "$dir/err" &&
	grep -q '"listed_blocked_ns":96000000000' "$dir/out"
ok 'a day that is no recording is left out, and reported' || why
run report --at 2026-11-04T14:32:18 "$dir/damaged"
[ "$status" -eq 0 ]
ok 'another day does not care' || why
missed=0
for n in 1 2 3 4 5 6 7 8 9 10; do
	cp "$store/2026-11-04.coldspot" "$dir/cut.coldspot"
	truncate -s "-$((n * 3000))" "$dir/cut.coldspot"
	! "$COLDSPOT" check -q "$dir/cut.coldspot" >/dev/null 2>&1 || missed=$((missed + 1))
	cp "$store/2026-11-04.coldspot" "$dir/cut.coldspot"
	python3 - "$dir/cut.coldspot" "$n" <<'END'
import sqlite3, sys
path, n = sys.argv[1], int(sys.argv[2])
blob = sqlite3.connect(path).execute("SELECT data FROM blocks WHERE kind = 'waits'").fetchone()[0]
data = bytearray(open(path, "rb").read())
data[data.index(blob) + n * 7 % len(blob)] ^= 1 << n % 8
open(path, "wb").write(data)
END
	! "$COLDSPOT" check -q "$dir/cut.coldspot" >/dev/null 2>&1 || missed=$((missed + 1))
done
[ "$missed" -eq 0 ]
ok 'check finds ten truncations and ten flipped bits' || echo "# $missed were not found"

# SQL over days.
# WANT ARGS...: one line of CSV behind the head.
answers() {
	want=$1
	shift
	run query --store "$store" -f csv "$@"
	[ "$status" -eq 0 ] && [ "$(sed 1d "$dir/out")" = "$want" ]
	ok "query $*" || { echo "# want: $want" && why; }
}

answers 49 'SELECT count(*) FROM windows'
answers 'all,9,36.0' --since 2026-11-04T14:00 --until 2026-11-04T15:00 \
	"SELECT cause, sum(waits), sum(seconds) FROM totals GROUP BY cause"
answers 162.0 --since 2026-11-24T00:00 'SELECT sum(seconds) FROM totals'
answers '2026-11-04T14:32:00.000Z,main,4,futex,11.0' --at 2026-11-04T14:32:18 \
	'SELECT begin, comm, tid, cause, seconds FROM waits'
answers '43.0,2' --on 2026-11-24 --since 14:32:59 --until 14:34:00 \
	'SELECT sum(blocked_s), count(*) FROM threads'
answers 'commit,33.0' --since 10:02 'SELECT function, sum(seconds) FROM places GROUP BY 1'
answers 'db.service,,,/system.slice/db.service' --at 10:00:30 \
	'SELECT unit, container, pod, cgroup FROM waits'
answers 'postgres,db-0,shop' --at 10:00:30 'SELECT container_name, pod_name, namespace FROM waits'
shows 31 --at 10:00:30 --pod 'shop/*'
answers 96.0 --since 10:00:00 \
	"SELECT sum(blocked_s) FROM threads WHERE unit = 'db.service'"
shows 31 --at 10:00:30 --unit db
says_like 1 '--unit matches none of 1 thread' \
	report --since 10:00:00 --until 10:01:00 --unit web "$store"
answers 0 'SELECT count(*) FROM losses'
answers '"a ""b"", c",1.5' "SELECT 'a \"b\", c', 1.5"
run query --store "$store" -f json --at 10:00:30 'SELECT comm, NULL AS none, blocked_s FROM threads'
[ "$(tr -d '\n' <"$dir/out")" = '[{"comm":"main","none":null,"blocked_s":31.0}]' ]
ok 'JSON keeps numbers and nulls' || why
prints 0 '^main  31.0$' query --store "$store" --at 10:00:30 'SELECT comm, blocked_s FROM threads'
says_like 1 'no such column: nope' query --store "$store" 'SELECT nope FROM waits'
for sql in 'DELETE FROM causes' "ATTACH '$dir/x' AS x" 'PRAGMA user_version = 3' 'VACUUM' \
	'SELECT 1; SELECT 2' 'CREATE TABLE x(y)' "SELECT load_extension('x')"; do
	says_like 1 'only reads\|not authorized\|prohibited' query --store "$store" "$sql"
done
[ ! -e "$dir/x" ]
ok 'a query changes nothing'
run query --store "$dir/damaged" -f csv 'SELECT count(*) FROM windows'
[ "$status" -eq 0 ] && [ "$(sed 1d "$dir/out")" = 46 ] && grep -q 2026-11-24 "$dir/err"
ok 'a query reports a day that cannot be read' || why
echo "1..$count"

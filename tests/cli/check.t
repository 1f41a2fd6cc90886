#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check, recordings, and the queries of docs/format.md.
. tests/cli/tap.sh

golden=tests/golden/recording/format1.coldspot
newer=tests/golden/recording/format1.1.coldspot # objects, owners, time on a CPU
newest=tests/golden/recording/format1.5.coldspot # and paths of cgroups, wakers and places

says 2 'coldspot check: FILE... is missing' check
prints 0 "^$golden: sound: 2 windows, [0-9]* threads, [0-9]* waits, " check "$golden"
prints 0 "^$newer: sound: 4 windows, [0-9]* threads, [0-9]* waits, " check "$newer"
prints 0 "^$newest: sound: 5 windows, [0-9]* threads, [0-9]* waits, " check "$newest"
run check -q "$golden"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
ok 'a sound file, quietly' || why
prints 1 "^cannot read '$dir/gone': No such file" check "$dir/gone"
echo text >"$dir/text"
prints 1 "^'$dir/text' is not a coldspot recording" check "$dir/text"
prints 1 "is not a regular file" check "$dir"

cp "$golden" "$dir/cut"
truncate -s 20000 "$dir/cut"
run check "$dir/cut" "$golden"
[ "$status" -eq 1 ] && grep -q "^$dir/cut: " "$dir/out" && grep -q "^$golden: sound" "$dir/out"
ok 'a file that is cut off, and a sound one' || why
prints 1 "^$dir/cut: database disk image is malformed: its windows were looked for" \
	check -q "$dir/cut"

# each query of the documentation gives rows
if command -v sqlite3 >/dev/null; then
	awk '/^```sql/ { on = 1; next } /^```/ { on = 0 } on' docs/format.md >"$dir/queries"
	while read -r query; do
		sqlite3 "$newest" "$query" >"$dir/out" 2>"$dir/err"
		status=$?
		[ "$status" -eq 0 ] && [ -s "$dir/out" ] && [ ! -s "$dir/err" ]
		ok "docs/format.md: ${query%"${query#????????????????????????????????????????}"}" ||
			why
	done <"$dir/queries"
	[ "$(wc -l <"$dir/queries")" -ge 12 ]
	ok 'docs/format.md has queries'
	[ "$(sqlite3 "$golden" "$(grep 'max(abs' "$dir/queries")")" = '0|0' ]
	ok 'it adds up'
	sqlite3 "$golden" .dump >"$dir/dump" && cp "$golden" "$dir/changed" &&
		sqlite3 "$dir/changed" 'UPDATE tasks SET on_ns = on_ns + 1 WHERE task = 1'
	prints 1 'window 1: the table tasks fails its checksum' check "$dir/changed"
	cp "$newer" "$dir/changed" &&
		sqlite3 "$dir/changed" "UPDATE waits SET class = 'idle' WHERE window = 2"
	prints 1 'window 2: the table waits fails its checksum' check "$dir/changed"
	cp "$newest" "$dir/changed" &&
		sqlite3 "$dir/changed" "UPDATE wakes SET ns = ns + 1 WHERE doing = 'running'"
	prints 1 'window 5: the table wakes fails its checksum' check "$dir/changed"
else
	skip 'queries' 'there is no sqlite3'
fi

if can_record; then
	run record -q -d 0.3 -o "$dir/new.coldspot" -o "$dir/new.json" -- sh -c 'sleep 0.1; true'
	[ "$status" -eq 0 ]
	ok 'record -o x.coldspot' || why
	prints 0 'new.coldspot: sound: 1 window, ' check "$dir/new.coldspot"
	[ ! -e "$dir/new.coldspot-wal" ] && [ ! -e "$dir/new.coldspot-journal" ]
	ok 'it is one file'
	python3 - "$dir/new.coldspot" "$dir/new.json" <<'PY'
import json, sqlite3, sys
row = sqlite3.connect(sys.argv[1]).execute(
    "SELECT threads, wall_ns, on_ns, runq_ns, blocked_ns, switches FROM windows").fetchone()
budget = json.load(open(sys.argv[2]))["budget"]
want = tuple(budget[k] for k in ("threads", "wall_ns", "on_ns", "runq_ns", "blocked_ns",
                                 "switches"))
sys.exit(row != want)
PY
	ok 'it has the numbers of the JSON'
	python3 - "$dir/new.coldspot" "$dir/new.json" <<'PY'
import collections, json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT cause, class, sum(count), sum(blocked_ns + runq_ns) FROM waits GROUP BY cause, class")
want = collections.defaultdict(lambda: [0, 0])
for wait in json.load(open(sys.argv[2]))["waits"]:
    sums = want[wait["cause"], wait["class"]]
    sums[0] += wait["count"]
    sums[1] += wait["blocked_ns"] + wait["runq_ns"]
got = {(cause, name): [count, ns] for cause, name, count, ns in rows}
sys.exit(got != want or not got)
PY
	ok 'its waits have the causes and classes of the JSON'
	ln -s /dev/full "$dir/full.coldspot"
	says_like 1 "cannot write '.*full.coldspot': No space left" \
		record -q -d 0.1 -o "$dir/full.coldspot" -- true
	echo precious >"$dir/old.coldspot"
	run record -d 0.1 -p 4194304 -o "$dir/old.coldspot"
	[ "$status" -eq 1 ] && grep -qx precious "$dir/old.coldspot"
	ok 'a failed recording leaves an old file unchanged' || why
else
	skip 'recording' 'this machine or user cannot record'
fi
finish

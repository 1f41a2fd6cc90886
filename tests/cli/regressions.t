#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is found in stores whose numbers vary, with and without a function that became slow.
. tests/cli/tap.sh

maker=$COLDSPOT_BUILD/tests/cli/test_past_store
TZ=UTC
export TZ

wrong=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$maker" "$dir/slow-$seed" "$seed" sleep || wrong="$wrong $seed"
	run regressions --store "$dir/slow-$seed" -f csv
	if [ "$status" -ne 4 ] || [ "$(sed 1d "$dir/out" | cut -d, -f1-5)" != "cause,shop,sleep,,
function,shop,,apply_discount,shop" ]; then
		wrong="$wrong $seed"
		why
	fi
done
[ -z "$wrong" ]
ok 'a 2 ms sleep in one function is found, and nothing else, in 20 stores' || echo "# not in$wrong"

wrong=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	"$maker" "$dir/quiet-$seed" "$((seed + 100))" || wrong="$wrong $seed"
	run regressions --store "$dir/quiet-$seed" -f csv
	if [ "$status" -ne 0 ] || [ "$(wc -l <"$dir/out")" -ne 1 ]; then
		wrong="$wrong $seed"
		why
	fi
done
[ -z "$wrong" ]
ok 'nothing is found in 20 stores where nothing changed' || echo "# not in$wrong"

store=$dir/slow-1
run regressions --store "$store"
[ "$status" -eq 4 ] && [ ! -s "$dir/err" ] &&
	grep -q "^$store: 2026-11-25T10:00:00.000Z to 2026-11-25T11:00:00.000Z" "$dir/out" &&
	grep -q '^+ .* shop: sleep$' "$dir/out" &&
	grep -q '^+ .* shop: apply_discount (shop)$' "$dir/out"
ok 'the text has the range, the cause and the function' || why
run regressions --store "$store" -f json
python3 - "$dir/out" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["format"] == "coldspot-regressions" and d["days"] == 7 and d["tested_by_days"]
f = [r for r in d["regressions"] if r["kind"] == "function"][0]
assert abs(f["change"] - 1e8) < 2e7, f
assert 0 < f["error"] < 2e7 and f["p"] < 0.01, f
END
ok 'JSON has the change per second, 100 ms, with its error' || why
run regressions --store "$store" --at 2026-11-24T10:30 --days 6
[ "$status" -eq 0 ] && grep -q 'of 6 days' "$dir/out" && grep -q 'Nothing waits longer' "$dir/out"
ok 'the day before has none' || why
run regressions --store "$store" --since 10:00 --until 10:30
[ "$status" -eq 4 ] && grep -q '10:00:00.000Z to 2026-11-25T10:30:00.000Z' "$dir/out"
ok 'half an hour is enough' || why
run regressions --store "$store" --days 1
[ "$status" -eq 4 ] && grep -q 'The variation between days is not known: 1 day before' "$dir/out"
ok 'with one day before, it says what is not known' || why
says_like 1 'no windows in the same time of the days before' \
	regressions --store "$store" --at 2026-11-18T10:00
says_like 1 'no windows in that time' regressions --store "$store" --at 2026-11-25T12:30
says_like 1 'a range of more than a day' \
	regressions --store "$store" --since 2026-11-20T10:00 --until 2026-11-25T10:00
# Hourly sums take the place of windows that were removed.
run agent --roll-up --store "$store"
[ "$status" -eq 0 ] && grep -q 'summed up [78] hours' "$dir/err"
ok 'agent --roll-up sums up each hour' || why
run agent --roll-up --store "$store"
[ "$status" -eq 0 ] && ! grep -q 'summed up' "$dir/err"
ok 'and none twice' || why
for day in 18 19 20 21; do
	rm "$store/2026-11-$day.coldspot"
done
run regressions --store "$store" -f csv
[ "$status" -eq 4 ] && grep -q '^function,shop,,apply_discount,shop,' "$dir/out"
ok 'days of which only sums are left count' || why
run regressions --store "$store"
grep -q 'the same time of 7 days' "$dir/out"
ok 'as days' || why
run report --at 2026-11-20T10:30 "$store"
[ "$status" -eq 0 ] && grep -q 'sums of hours' "$dir/err" &&
	grep -q "threads of one name and process name are one" "$dir/out"
ok 'report shows the sum, and says so' || why
run report --at 2026-11-23T10:30 "$store"
[ "$status" -eq 0 ] && ! grep -q 'sums of hours' "$dir/err"
ok 'windows that are left are shown as they are' || why
run query --store "$store" -f csv 'SELECT count(DISTINCT substr(begin, 1, 10)) FROM windows'
[ "$(sed 1d "$dir/out")" = 8 ]
ok 'query has all days' || why

mkdir "$dir/empty"
run regressions --store "$dir/empty"
[ "$status" -eq 1 ]
ok 'an empty store is an error' || why
finish

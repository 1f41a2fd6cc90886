#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Output that cannot be written is an error; a reader that left is not.
. tests/cli/tap.sh

for args in --help version doctor 'help --format zsh'; do
	# shellcheck disable=SC2086
	timeout 30 "$COLDSPOT" $args >/dev/full 2>"$dir/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'No space left' "$dir/err"
	ok "$args to a full disk is one sentence and status 1" || sed 's/^/# /' "$dir/err"

	# shellcheck disable=SC2086
	timeout 30 "$COLDSPOT" $args >&- 2>"$dir/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
	ok "$args to a closed descriptor is one sentence and status 1" || sed 's/^/# /' "$dir/err"
done

# The pipe has no reader any more when the program writes. doctor's status is its verdict even then.
can_record
verdict=$?
for args in --help 'help --format zsh' doctor; do
	want=0
	[ "$args" = doctor ] && want=$verdict
	# shellcheck disable=SC2086
	{
		sleep 0.3
		timeout 30 "$COLDSPOT" $args 2>"$dir/err"
		echo "$?" >"$dir/status"
	} | true
	[ "$(cat "$dir/status")" -eq "$want" ] && [ ! -s "$dir/err" ]
	ok "$args to a pipe whose reader left is quiet, status $want" ||
		echo "# status $(cat "$dir/status"), $(cat "$dir/err")"
	rm -f "$dir/status"
done

for name in coldspot.json coldspot-ndjson.ndjson; do
	"$COLDSPOT" record --json-schema -f "${name#*.}" 2>"$dir/err" |
		cmp -s - "docs/${name%.*}.schema.json" && [ ! -s "$dir/err" ]
	ok "--json-schema -f ${name#*.} prints docs/${name%.*}.schema.json" ||
		sed 's/^/# /' "$dir/err"
done
"$COLDSPOT" record --json-schema | cmp -s - docs/coldspot.schema.json
ok '--json-schema alone is that of json'
"$COLDSPOT" record --json-schema >/dev/full 2>"$dir/err"
[ $? -eq 1 ] && grep -q 'No space left' "$dir/err"
ok '--json-schema to a full disk is an error'

"$COLDSPOT" help record | head -n 1 | grep -q '^Usage'
ok 'help record | head -n 1'

"$COLDSPOT" help bogus 2>&- >"$dir/out"
[ $? -eq 2 ]
ok 'a closed standard error changes no status'

# A file or a pager is no screen that ends after 24 lines.
one=$dir/one.coldspot
"$COLDSPOT_BUILD/tests/cli/test_literal_recording" "$one" tests/golden/shop/profile.lit
run report "$one"
[ "$status" -eq 0 ] && [ "$(wc -l <"$dir/out")" -gt 24 ] && [ "$(wc -l <"$dir/out")" -le 60 ] &&
	! grep -q 'others$' "$dir/out"
ok 'a summary in a file has more rows than fit a small terminal' || why

# A terminal: its size is used, and colours only where it has them.
on_terminal() { # LINES COLUMNS ENVIRONMENT...: what a terminal of that size is shown
	size="rows $1 cols $2"
	shift 2
	env SHELL=/bin/sh "$@" script -qec "stty $size; timeout 30 '$COLDSPOT' report '$one'" \
		/dev/null |
		tr -d '\r' >"$dir/out"
}
if command -v script >/dev/null && on_terminal 24 80 TERM=xterm; then
	grep -q "$(printf '\033')" "$dir/out"
	ok 'a terminal is shown colours'
	on_terminal 24 80 TERM=dumb
	grep -q '^PID' "$dir/out" && ! grep -q "$(printf '\033')" "$dir/out"
	ok 'a dumb one is not'
	[ "$(wc -L <"$dir/out")" -le 80 ] && ! grep -q '\.\.' "$dir/out"
	ok '80 columns are enough' || cat "$dir/out"
	on_terminal 24 80 TERM=dumb LC_ALL=C.UTF-8
	cp "$dir/out" "$dir/utf8"
	on_terminal 24 80 TERM=dumb LC_ALL=C
	grep -q '619 µs' "$dir/utf8" && sed 's/µ/u/g' "$dir/utf8" | cmp -s - "$dir/out"
	ok 'a terminal without UTF-8 is shown ASCII' || diff "$dir/utf8" "$dir/out"
	on_terminal 24 80 TERM=dumb LC_ALL=xx_YY.UTF-8
	cmp -s "$dir/utf8" "$dir/out"
	ok 'a locale that is not installed has the characters of its name' ||
		diff "$dir/utf8" "$dir/out"
	on_terminal 60 140 TERM=dumb
	[ "$(wc -l <"$dir/out")" -gt 24 ] && [ "$(wc -l <"$dir/out")" -lt 60 ] &&
		[ "$(wc -L <"$dir/out")" -gt 80 ] && [ "$(wc -L <"$dir/out")" -le 140 ]
	ok 'a larger one is used' || cat "$dir/out"
	script -qec "stty rows 24 cols 80; timeout 30 '$COLDSPOT' report '$one' >'$dir/piped'" \
		/dev/null >"$dir/out"
	[ "$(wc -L <"$dir/piped")" -le 80 ] && [ "$(wc -l <"$dir/piped")" -gt 24 ]
	ok 'a pager beside it gets its columns, and more lines' || cat "$dir/piped"
else
	skip 'terminals' 'no script(1)'
fi
finish

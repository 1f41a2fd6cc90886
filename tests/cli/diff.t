#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# diff: two recordings beside each other. Recorded ones where this machine can, written ones else.
. tests/cli/tap.sh

maker=$COLDSPOT_BUILD/tests/cli/test_literal_recording
"$maker" "$dir/a.coldspot" tests/golden/diff/before.lit || exit 1
"$maker" "$dir/b.coldspot" tests/golden/diff/after.lit || exit 1
"$maker" "$dir/old.coldspot" tests/golden/shop/profile.lit || exit 1
a=$dir/a.coldspot b=$dir/b.coldspot

# What is wrong is one sentence, and a status.
d='coldspot diff:'
says 2 "$d diff needs two recordings, not 1" diff "$a"
says 2 "$d diff needs two recordings, not 3" diff "$a" "$b" "$a"
says 2 "$d --per requests needs --requests N:M" diff --per requests "$a" "$b"
says_like 2 "^$d --requests: '12' is not a pair of request counts" diff --requests 12 "$a" "$b"
says_like 2 "^$d --requests: '0:5' is not a pair of request counts" diff --requests 0:5 "$a" "$b"
says 2 "$d --fail-on: 'lock' is not total:+5%, cause:NAME:+10% or frame:NAME:+20%" \
	diff --fail-on lock "$a" "$b"
says 2 "$d --fail-on: there is no cause 'mutexes'" diff --fail-on cause:mutexes:+10% "$a" "$b"
says 1 "$d before: cannot read '/nonexistent': No such file or directory" \
	diff /nonexistent "$b"
says_like 1 "^$d before: nothing selected: --comm" diff --comm nobody "$a" "$b"
says 2 "$d only one output can go to standard output" diff --html - --json - "$a" "$b"
says 2 "$d only one output can go to standard output" diff --text -f svg "$a" "$b"
says 2 "$d --format: 'png' is not one of text, svg, html, json, folded" diff -f png "$a" "$b"
says 2 "$d --svg is already '$dir/x.svg': give it once" diff -f svg --svg "$dir/x.svg" "$a" "$b"
says 2 "$d --output: the extension of 'x.txt' is not one of .svg, .html, .json, .folded" \
	diff -o x.txt "$a" "$b"
says 2 "$d --svg is already '$dir/o.svg': give it once" diff -o "$dir/o.svg" -o x.svg "$a" "$b"
run diff -o "$dir/o.svg" -o "$dir/o.html" -o "$dir/o.json" -o "$dir/o.folded" "$a" "$b"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && for form in svg html json folded; do
	run diff "--$form" "$dir/p.$form" "$a" "$b"
	cmp -s "$dir/o.$form" "$dir/p.$form" || break
	rm "$dir/o.$form"
done && [ ! -e "$dir/o.folded" ]
ok 'the ending of -o is the form, as each has an option' || why
"$maker" "$dir/nothing.coldspot" tests/golden/empty/profile.lit || exit 1
prints 0 '^ *0 ns *0 ns *0 ns *- *-  in all$' diff "$dir/nothing.coldspot" "$dir/nothing.coldspot"
says 2 "$d --side-by-side and --width need --svg" diff --side-by-side "$a" "$b"
says_like 1 "cannot write '/nonexistent/d.svg'" diff --svg /nonexistent/d.svg "$a" "$b"

# Tables, and that they are those of the golden.
prints 0 '^+  *102 ms  *205 ms .* lock$' diff "$a" "$b"
prints 0 '^?  .* in all$' diff "$dir/old.coldspot" "$b"
prints 0 '^Not tested against chance: the recording before has 0 intervals' \
	diff "$dir/old.coldspot" "$b"
prints 0 'off the CPU per request' diff --requests 400:480 "$a" "$b"
prints 0 '^+ .* lock$' diff --cause lock "$a" "$b"
run diff -q "$a" "$b"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
ok 'quiet is quiet' || why

# Waits for work are beside the total, unless somebody wants them there.
prints 0 '^?  *970 ms .* idle: waits for work$' diff "$dir/old.coldspot" "$b"
prints 0 '^?  *971 ms .* in all$' diff --class idle "$dir/old.coldspot" "$dir/old.coldspot"
prints 0 '^?  *2.19 s .* in all$' diff --no-idle-rules "$dir/old.coldspot" "$b"
echo 'class=idle if-kind=lock' >"$dir/my.rules"
prints 0 '^+  *100 ms  *200 ms .* idle: waits for work$' diff --rules "$dir/my.rules" "$a" "$b"
echo 'class=lazy' >"$dir/bad.rules"
says 1 "$d $dir/bad.rules:1: there is no class 'lazy'" diff --rules "$dir/bad.rules" "$a" "$b"

# Files, and standard output for one of them.
run diff --svg "$dir/d.svg" --html "$dir/d.html" --json "$dir/d.json" --folded - "$a" "$b"
[ "$status" -eq 0 ] && grep -q '^worker;worker_main;take_order;.* 1224000 2460000$' "$dir/out" &&
	! grep -q 'in all' "$dir/out"
ok 'the two columns of difffolded, and no tables beside them' || why
grep -q '<svg' "$dir/d.svg" && grep -q '</html>' "$dir/d.html"
ok 'files of the other formats'
if command -v jq >/dev/null; then
	[ "$(jq -r '.causes[] | select(.cause == "lock").verdict' "$dir/d.json")" = more ] &&
		jq -e '.total.ns[1] == ([.causes[].ns[1]] | add)' "$dir/d.json" >/dev/null
	ok 'JSON: causes add up to the total'
else
	skip 'JSON: causes add up to the total' 'there is no jq'
fi

run diff -f html "$a" "$b"
[ "$status" -eq 0 ] && grep -q '</html>' "$dir/out" && cmp -s "$dir/out" "$dir/d.html"
ok '--format: one format may go to standard output' || why
run diff --fail-on total:+500% -f json "$a" "$b"
[ "$status" -eq 0 ] && [ "$(head -c 1 "$dir/out")" = '{' ] && ! grep -q 'in all' "$dir/out"
ok 'with a limit, no tables follow' || why
if ("$COLDSPOT" diff -f html "$a" "$b"; echo $? >"$dir/early") | head -c 10 >/dev/null; then
	[ "$(cat "$dir/early")" -eq 0 ]
fi
ok 'a pipe closed early is no error' || why

# Files that were there.
echo longer than what comes >"$dir/new.svg"
run diff --json /nonexistent/d.json --svg "$dir/new.svg" "$a" "$b"
[ "$status" -eq 1 ] && [ -s "$dir/new.svg" ]
ok 'files that can be written are' || why
cp "$dir/new.svg" "$dir/new2.svg"
run diff --svg "$dir/new.svg" "$a" "$b"
cmp -s "$dir/new.svg" "$dir/new2.svg"
ok 'a file that was there is replaced' || why
(
	ulimit -f 4
	trap '' XFSZ
	run diff --html "$dir/new.html" "$a" "$b"
	[ "$status" -eq 1 ] && run diff --svg "$dir/new2.svg" "$a" "$b"
	echo "$status" >"$dir/status"
)
[ "$(cat "$dir/status")" = 1 ] && [ ! -e "$dir/new.html" ] && [ -e "$dir/new2.svg" ] &&
	[ ! -s "$dir/new2.svg" ] && grep -q "cannot write '.*new2.svg': File too large" "$dir/err"
ok 'a full disk leaves no file that looks complete' || why

# A recording is worth more than what is made of it.
cp "$b" "$dir/kept.coldspot"
ln "$dir/kept.coldspot" "$dir/kept2.coldspot"
says 1 "$d '$dir/kept2.coldspot' is an input recording: write to another file" \
	diff --json "$dir/kept2.coldspot" "$a" "$dir/kept.coldspot"
cmp -s "$b" "$dir/kept.coldspot"
ok 'the old file is unchanged'

# Limits.
run diff -q --fail-on cause:lock:+10% "$a" "$b"
[ "$status" -eq 4 ] && [ ! -s "$dir/out" ] && grep -q 'lock has 205 ms per second' "$dir/err"
ok 'a limit that is reached is status 4 and a sentence' || why
run diff -q --fail-on cause:lock:+150% --fail-on total:+5% --fail-on 'frame:*read:+1%' "$a" "$b"
[ "$status" -eq 0 ] && [ ! -s "$dir/err" ]
ok 'a limit that is not reached, or only by chance, prints nothing' || why
says_like 0 'no wait matches that name' diff -q --fail-on frame:nowhere:+1% "$a" "$b"
"$maker" "$dir/nasty.coldspot" tests/golden/nasty/profile.lit || exit 1
"$maker" "$dir/nasty2.coldspot" tests/golden/diff/nasty.lit || exit 1
says_like 4 '--fail-on frame:m\*ain:+1%: m?\[2Jain has 10.0 ms' \
	diff -q --fail-on 'frame:m*ain:+1%' "$dir/nasty.coldspot" "$dir/nasty2.coldspot"
run diff -q --fail-on 'frame:old_*:-50%' "$a" "$b"
[ "$status" -eq 4 ]
ok 'less can be too much as well' || why

if ! can_record || ! command -v "${CC:-cc}" >/dev/null; then
	skip 'recorded ones' 'this machine or user cannot record, or there is no compiler'
	finish
	exit
fi

# A program that sleeps as often and as long as its arguments say.
cat >"$dir/naps.c" <<'END'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	struct timespec t = { 0, argc > 2 ? 1000 * atol(argv[1]) : 0 };
	long n = argc > 2 ? atol(argv[2]) : 0;

	while (n--)
		nanosleep(&t, NULL);
	return 0;
}
END
${CC:-cc} -O1 -o "$dir/naps" "$dir/naps.c" || exit 1

# NAME US TIMES
naps() {
	# a small table: where reading takes long, intervals get longer
	run record -q --interval 50ms --max-waits 1024 -o "$dir/$1.coldspot" -- \
		"$dir/naps" "$2" "$3"
	[ "$status" -eq 0 ] && timeout 30 "$COLDSPOT" check -q "$dir/$1.coldspot"
	ok "recorded: $1" || why
}
naps first 20000 150
naps second 20000 150
# Three times as long, so that a busy machine, which adds milliseconds to each, cannot hide it.
naps faster 20000 200
naps slower 60000 100

# Per second the thread is off the CPU nearly all of the time, whatever the machine is doing.
run diff --fail-on total:+1% --fail-on total:-1% --fail-on cause:sleep:+1% \
	"$dir/first.coldspot" "$dir/second.coldspot"
[ "$status" -eq 0 ] && grep -q '^~ .* in all$' "$dir/out" &&
	grep -q '^Tested against chance' "$dir/out" &&
	! grep -q '^[+-]  ' "$dir/out"
ok 'the same twice: nothing is found' || why

run diff --requests 200:100 --fail-on cause:sleep:+30% \
	"$dir/faster.coldspot" "$dir/slower.coldspot"
[ "$status" -eq 4 ] && grep -q '^+ .* sleep$' "$dir/out" && grep -q '^+ .* in all$' "$dir/out"
ok 'three times as long: it is found, and is a status' || why

run record -q --interval 0 -o "$dir/without.coldspot" -- "$dir/naps" 1000 100
run diff "$dir/first.coldspot" "$dir/without.coldspot"
[ "$status" -eq 0 ] && grep -q 'the recording after has 0 intervals' "$dir/out"
ok 'without intervals nothing is tested against noise' || why
says 2 'coldspot record: --interval: the minimum is 10 ms' \
	record --interval 1ms -o "$dir/x.coldspot" -- true

finish

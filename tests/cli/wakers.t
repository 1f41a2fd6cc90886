#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wakers behind the stacks of waits, from recordings, and the drop-ins offwaketime and wakeuptime.
. tests/cli/tap.sh

maker=$COLDSPOT_BUILD/tests/cli/test_literal_recording
"$maker" "$dir/wakers.coldspot" tests/golden/wakers/profile.lit || exit 1
"$maker" "$dir/shop.coldspot" tests/golden/shop/profile.lit || exit 1
wakers=$dir/wakers.coldspot shop=$dir/shop.coldspot

sum_of() { # FILE: of folded stacks
	awk '{ sum += $NF } END { print sum }' "$1"
}

for option in off-wake chains; do
	prints 0 '^worker;take;futex_do_wait;--;futex_wake;unlock;flush;writer[; ]' \
		export folded --$option "$wakers"
	says 1 "coldspot export: --$option: the recording has no wakers; record with --wakers" \
		export folded --$option "$shop"
done
prints 0 ';writer;--;blk_mq_complete_request;\[block interrupt\] ' export folded --chains "$wakers"
prints 0 ';--;futex_wake_\[k\];unlock;flush;writer-301 ' export wide --off-wake "$wakers"
run export tree --by waker --off-wake "$wakers"
[ "$status" -eq 0 ] && grep -q '  writer-301$' "$dir/out" &&
	[ "$(grep -c 'writer-301$' "$dir/out")" -eq 2 ]
ok 'groups by waker have their stacks' || why
prints 0 'stranger-400' export tree --off-wake "$wakers"
says_like 2 '^coldspot report: --off-wake and --chains cannot' report --off-wake --chains "$wakers"
run report -f summary --off-wake "$wakers"
[ "$status" -eq 0 ] && [ "$(cat "$dir/err")" = 'coldspot report: summary ignores --off-wake' ]
ok 'a format without stacks says that it ignores them' || why
run report -q --chains -o "$dir/x.svg" -o "$dir/x.coldspot" "$wakers"
[ "$status" -eq 0 ] && grep -q 'blk_mq_complete_request (' "$dir/x.svg"
ok 'a graph has the frames of wakers' || why
run check "$dir/x.coldspot"
[ "$status" -eq 0 ] && "$COLDSPOT" export folded "$dir/x.coldspot" >"$dir/copy" &&
	! grep -q -e '--' "$dir/copy"
ok 'a recording has waits and wakers, not the view' || why

"$COLDSPOT" export folded "$wakers" >"$dir/waits"
for option in off-wake chains; do
	"$COLDSPOT" export folded --$option "$wakers" >"$dir/$option"
	[ "$(sum_of "$dir/$option")" -eq "$(sum_of "$dir/waits")" ] && [ -s "$dir/waits" ]
	ok "stacks of --$option add up to those of the waits"
done

if ! can_record; then
	skip 'offwaketime and wakeuptime' 'this machine or user cannot record'
	finish
	exit
fi

# A thread that its children wake: by exec, and by exiting.
sh -c 'while sleep 0.01; do :; done' &
victim=$!
trap 'kill "$victim" 2>/dev/null; rm -rf "$dir"' EXIT

prints 0 '^Tracing blocked time (us) by user + kernel off-CPU and waker stack for 1 secs.$' \
	offwaketime -p "$victim" 1
prints 0 '^    waker:           sleep [0-9]*$' offwaketime -p "$victim" 1
prints 0 "^    target:          sh $victim\$" offwaketime -t "$victim" 1
prints 0 '^Tracing blocked time (us) by kernel off-CPU' offwaketime -K -p "$victim" 1
prints 0 '^sh;.*;__schedule;--;try_to_wake_up;.*;do_exit;.*;sleep [0-9]*$' \
	offwaketime -f -p "$victim" 1
prints 0 '^sh;[^-]*;--;[a-z]* [0-9]*$' offwaketime -fU -p "$victim" 1
prints 0 '^sh;.*;-;.*;schedule;__schedule;--;' offwaketime -fd -p "$victim" 1
run offwaketime -f -p "$victim" 1
[ "$(sum_of "$dir/out")" -gt 500000 ] && [ "$(sum_of "$dir/out")" -lt 2000000 ]
ok 'a thread that waits for a second has a second' || why
run offwaketime -m 1000000 -p "$victim" 1
[ "$status" -eq 0 ] && ! grep -q 'waker:' "$dir/out"
ok 'no wait of these is a second long' || why

prints 0 '^Tracing blocked time (us) by kernel stack for 1 secs.$' wakeuptime -p "$victim" 1
prints 0 '^    target:          sh$' wakeuptime -p "$victim" 1
prints 0 '^    ffff[0-9a-f]* try_to_wake_up$' wakeuptime -p "$victim" 1
prints 0 '^    ffff[0-9a-f]* try_to_wake_up+0x[0-9a-f]*$' wakeuptime -v -p "$victim" 1
prints 0 '^    waker:           s[a-z]*$' wakeuptime -p "$victim" 1
prints 0 '^Detaching...$' wakeuptime -p "$victim" 1
prints 0 '^sleep;.*;do_exit;.*;try_to_wake_up;sh [0-9]*$' wakeuptime -f -p "$victim" 1
[ "$status" -eq 0 ] &&
	! grep -v '^WARNING: [0-9]* waits* whose wakeup was not seen.* ([0-9]* us)\.$' "$dir/err"
ok 'what is not known is said in a sentence' || why
run record --wakers --chains -p "$victim" -d 1 -f folded
[ "$status" -eq 0 ] &&
	grep -q '^sh;.*;--;.*;do_exit;.*;sleep;\[waker not recorded\] [0-9]*$' "$dir/out"
ok 'a chain ends at a thread that is not recorded' || why

# An outsider that wakes, executes another program and wakes again has the name of that one.
mkfifo "$dir/fifo"
echo 2 >"$dir/second"
cat "$dir/fifo" >"$dir/copy" &
reader=$!
sh -c 'sleep 3; echo 1; sleep 0.3; exec sed p "$1"' sh "$dir/second" >"$dir/fifo" &
run record --wakers --off-wake -p "$reader" -d 0 -f folded
[ "$status" -eq 0 ] && grep -q ';--;.*_write;.*;sed [0-9]*$' "$dir/out" &&
	! grep -q ';--;.*_write;.*;sh [0-9]*$' "$dir/out"
ok 'a waker that is not recorded has its last name' || why
finish

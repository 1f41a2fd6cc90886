#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/test over suites that are made up: what fails is counted, and named at the end.
# shellcheck source=tests/lint/stop.sh
. tests/lint/stop.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tests=0

mkdir "$dir/bin" "$dir/scripts" "$dir/tests"
cp scripts/test scripts/root.sh "$dir/scripts/"
cp tests/run "$dir/tests/"
printf '#!/bin/sh\nexit 0\n' >"$dir/scripts/deps"
printf '#!/bin/sh\necho 1..2; echo ok 1 - a; echo ok 2 - b\n' >"$dir/good"
printf '#!/bin/sh\necho 1..2; echo ok 1 - a; echo not ok 2 - b; exit 1\n' >"$dir/bad"
cat >"$dir/bin/make" <<'END'
#!/bin/sh
bin=${0%/*}
# meet MINE OTHERS: comes back when both have begun, in this run or in one before
meet() {
	: >"$bin/$1"
	for _ in $(seq 600); do
		[ ! -e "$bin/$2" ] || return 0
		sleep 0.05
	done
	return 1
}
case "$*" in
*CC=clang-16*) echo 'it warns' ;;
*test-unit) tests/run --suite unit -- ./bad ;;
*test-golden) exit 2 ;;
*test-cli) tests/run --suite cli -- ./good ;;
*test-fault) meet fault fuzz && tests/run --suite fault -- ./good ;;
*fuzz-smoke) meet fuzz fault && tests/run --suite fuzz -- ./good ./bad ./good ;;
*test-web) echo $$ >"$bin/pid" && exec sleep 60 ;;
esac
END
chmod +x "$dir/scripts/deps" "$dir/good" "$dir/bad" "$dir/bin/make"

# ends STEPS STATUS LINES WHAT: running these steps ends with these lines, after an empty one
ends() {
	tests=$((tests + 1))
	said=$(TEST_STEPS=$1 O=$dir/build PATH=$dir/bin:$PATH "$dir/scripts/test" 2>&1)
	status=$?
	if [ "$status" = "$2" ] && \
		[ "$(echo "$said" | awk 'end && !/^0 notes, /; /^$/ { end = 1 }')" = "$3" ]; then
		echo "ok $tests - $4"
	else
		echo "not ok $tests - $4: status $status"
		echo "$said" | sed 's/^/# /'
	fi
}

ends 'gcc cli' 0 '3 passed, 0 failed, 0 skipped' 'all passes'
ends 'cli unit' 1 'FAIL unit: not ok 2 - b
3 passed, 1 failed, 0 skipped' 'tests fail'
ends 'cli unit-san' 1 'FAIL unit-san: not ok 2 - b
3 passed, 1 failed, 0 skipped' 'tests fail under a sanitizer'
ends 'clang' 1 "FAIL clang: make CC=clang-16 O=$dir/build/clang all
0 passed, 1 failed, 0 skipped" 'a compiler warns'
ends 'cli golden-san' 1 "FAIL golden-san: 'make -s -j$(nproc) SAN=address,undefined O=$dir/build/\
san test-golden' ended with status 2
2 passed, 1 failed, 0 skipped" 'a suite is not built'
ends 'none' 1 '0 passed, 0 failed, 0 skipped' 'nothing is tested'

# Two steps that wait for each other, so they end in lanes only; and what each says is in one piece.
ends 'fault fuzz' 1 'FAIL fuzz: not ok 2 - b
7 passed, 1 failed, 0 skipped' 'lanes run side by side, a suite of one fails'
tests=$((tests + 1))
pieces=$(echo "$said" | sed -n 's/^[=-]* \(fault\|fuzz\)[,:].*/\1/p' | uniq -c | tr -s ' \n' ' ')
case $pieces in
' 2 fault 2 fuzz ' | ' 2 fuzz 2 fault ') echo "ok $tests - each is printed in one piece" ;;
*) echo "not ok $tests - each is printed in one piece:$pieces" ;;
esac

# Told to stop, it takes with it what runs in a lane.
TEST_STEPS='fault web' O=$dir/build PATH=$dir/bin:$PATH "$dir/scripts/test" >/dev/null 2>&1 &
takes_with_it $! "$dir/bin/pid" "a suite in a lane"

# Without `all`, what is left out is named; with it, all of it runs. Here make has nothing to do.
printf '#!/bin/sh\n' >"$dir/bin/make"

# runs ARGUMENTS: scripts/test with them; $steps that ran, and what it says was left out
runs() {
	tests=$((tests + 1))
	# shellcheck disable=SC2086
	said=$(TEST_EXTENT='' TEST_STEPS='' ALL_SECONDS='' O=$dir/build PATH=$dir/bin:$PATH \
		"$dir/scripts/test" $1 2>&1)
	steps=$(echo "$said" | sed -n 's/^== \(.*\), after.*/\1/p' | sort | tr '\n' ' ')
	left=$(echo "$said" | grep '^left out')
}

result() {
	if [ "$2" = "$3" ]; then
		echo "ok $tests - $1"
	else
		printf 'not ok %s - %s\n# %s\n# %s\n' "$tests" "$1" "$2" "$3"
	fi
}

full='bpf causes checks clang cli cli-san fault fault-san formats fuzz gcc golden golden-san lint '
full="${full}mutation packages replay replay-san stacks storm truth unit unit-san verifier vm web "
runs all
result 'all has every step, and leaves nothing out' "$steps$left" "$full"
runs ''
result 'in brief every suite runs, and the rest is named' \
	"$(for step in $steps $(echo "$left" | sed "s/.*it: //; s/, parts of.*//; s/,//g"); do
		echo "$step"
	done | sort | tr '\n' ' ')" "$full"
runs more
result 'another word is refused' "$said" \
	"scripts/test: 'more' is not a word it knows: 'all', or nothing"

# What a suite had no time for is named at the end.
cat >"$dir/late" <<'END'
#!/bin/sh
echo 1..3; echo ok 1 - a
echo 'ok 2 - 6.1: truth: ALL OF IT # SKIP no time is left for it'
echo 'ok 3 - b # SKIP no time is left for coffee'
END
chmod +x "$dir/late"
printf '#!/bin/sh\ncase $* in *test-vm) tests/run --suite vm -- ./late ;; esac\n' >"$dir/bin/make"
runs all
[ -n "$left" ] || echo "$said" | sed 's/^/# /'
result 'what had no time is named' "$left" 'left out, for there was no time: vm: 6.1: truth'

echo "1..$tests"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/verifier-counts over counts that are made up: growth goes red, less is said.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
kernel=$(uname -r | cut -d. -f1,2)-$(uname -m)
tests=0

mkdir "$dir/bin"
printf '#!/bin/sh\necho 0\n' >"$dir/bin/id"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncat "${0%%/*}/now"\n' >"$dir/counter"
chmod +x "$dir/bin/id" "$dir/counter"
export VERIFIER_TABLE="$dir/table"
printf '%s\n' '# a comment' "$kernel a on_switch 1000" "$kernel a on_wake 200" \
	"$kernel b on_exit -" "$kernel b on_fork refused" '0.1-z80 a on_switch 1' >"$dir/was"

count() { # OPTION...
	said=$(PATH=$dir/bin:$PATH scripts/verifier-counts "$dir/counter" "$@" 2>&1)
	status=$?
}

# counts SED-SCRIPT STATUS LINE WHAT: with the counts of the table changed so, this is its status,
# this is a line of what it says, and nothing else is red
counts() {
	tests=$((tests + 1))
	cp "$dir/was" "$dir/table"
	sed -n "s/^$kernel //p" "$dir/was" | sed "$1" >"$dir/now"
	count
	if [ "$status" = "$2" ] && echo "$said" | grep -qxF -- "$3" &&
		[ "$(echo "$said" | grep -c '^not ok')" = "$2" ]; then
		echo "ok $tests - $4"
	else
		echo "not ok $tests - $4: status $status"
		echo "$said" | sed 's/^/# /'
	fi
}

# Of what was run last.
says_nothing_more() {
	tests=$((tests + 1))
	case $said in
	*NOTE*) echo "not ok $tests - a note for nothing: $said" ;;
	*) echo "ok $tests - nothing is noted" ;;
	esac
}

note="# NOTE less is walked than 1 rows of $kernel say: make verifier-accept would write it down"
counts '' 0 1..4 'the same'
says_nothing_more
counts s/1000/1100/ 0 'ok 1 - a on_switch: 1000 before, now 1100' 'a tenth more'
says_nothing_more
counts s/1000/900/ 0 'ok 1 - a on_switch: 1000 before, now 900' 'a tenth less'
says_nothing_more
counts s/1000/1101/ 1 'not ok 1 - a on_switch: 1000 before, now 1101' 'more than a tenth more'
counts s/200/250/ 0 'ok 2 - a on_wake: 200 before, now 250' 'fifty more of few'
counts s/200/251/ 1 'not ok 2 - a on_wake: 200 before, now 251' 'more than fifty more of few'
counts s/1000/899/ 0 'ok 1 - a on_switch: 1000 before, now 899' 'less is not red'
counts s/1000/899/ 0 "$note" 'but said'
counts s/200/149/ 0 "$note" 'of few too'
counts 's/1000/2/; s/200/300/' 1 'not ok 2 - a on_wake: 200 before, now 300' \
	'less of one program does not pay for another'
counts 's/^b on_fork.*/&\na on_new 10/' 1 'not ok 5 - a on_new: a new row: 10' 'a new row'
counts 1d 1 'not ok 4 - a on_switch: no such program any more' 'a row that is gone'
counts s/1000/refused/ 1 'not ok 1 - a on_switch: 1000 before, now refused' 'a program is refused'
counts s/1000/-/ 1 'not ok 1 - a on_switch: 1000 before, now -' 'a hook is not found'
counts s/refused/10/ 1 'not ok 4 - b on_fork: refused before, now 10' 'a program is taken now'
counts s/.*/refused/ 1 'not ok 1 - this kernel takes none of the programs' 'none is taken'

# What is written down is the rows of this kernel, and then there is nothing to say.
cp "$dir/was" "$dir/table"
printf 'a on_switch 10\na on_new 20\n' >"$dir/now"
count --accept
want=$(printf '%s\n' '0.1-z80 a on_switch 1' "$kernel a on_new 20" "$kernel a on_switch 10")
tests=$((tests + 1))
if [ "$status" = 0 ] && [ "$(sed 1d "$dir/table")" = "$want" ]; then
	echo "ok $tests - it is written down"
else
	echo "not ok $tests - it is not written down: status $status, $said"
	sed 's/^/# /' "$dir/table"
fi
count
says_nothing_more
tests=$((tests + 1))
if [ "$status" = 0 ] && [ "$(echo "$said" | grep -c '^ok')" = 2 ]; then
	echo "ok $tests - and then it is the same"
else
	echo "not ok $tests - what was written down is not the same: $said"
fi

tests=$((tests + 1))
grep -v "^$kernel" "$dir/was" >"$dir/table"
count
case $status$said in
"01..0 # SKIP no verifier counts for $kernel in "*) echo "ok $tests - a kernel without rows" ;;
*) echo "not ok $tests - a kernel without rows: $status$said" ;;
esac

echo "1..$tests"

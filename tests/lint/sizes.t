#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh
. tests/lint/tree.sh

# lines N: N lines of a statement
lines() {
	awk -v n="$1" 'BEGIN { while (n-- > 0) print "\tx++;" }'
}

# function_of N NAME: a function of N lines, its braces and head included
function_of() {
	printf 'static int %s(int x)\n{\n' "$2"
	lines $(($1 - 3))
	printf '}\n'
}

new_tree
accepts sizes "a small tree"

new_tree
function_of 80 just_fits >"$tree/src/proc/a.c"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
	function_of 5 "small_$i" >>"$tree/src/proc/a.c"
done
accepts sizes "a function of 80 lines among 20"

new_tree
function_of 81 too_long >"$tree/src/proc/a.c"
refuses sizes 'src/proc/a.c:1: too_long() has 81 lines' "a function of 81 lines"

new_tree
{
	printf 'static const struct long_name *\ntoo_long(const char *a,\n\t int b)\n{\n'
	lines 90
	echo '}'
} >"$tree/src/proc/a.c"
refuses sizes 'too_long() has' "a head of several lines"

new_tree
for i in 1 2 3 4 5 6 7 8 9 10; do
	function_of 5 "small_$i" >>"$tree/src/proc/a.c"
done
function_of 61 longish >>"$tree/src/proc/a.c"
refuses sizes '% of the functions are longer than 60 lines' "too many long functions"

new_tree
lines 701 >"$tree/src/proc/a.c"
refuses sizes 'src/proc/a.c: 701 lines, the limit is 700' "a long .c file"

new_tree
lines 201 >"$tree/src/proc/a.h"
refuses sizes 'src/proc/a.h: 201 lines, the limit is 200' "a long header"

new_tree
lines 501 >"$tree/bpf/a.bpf.c"
refuses sizes 'bpf/a.bpf.c: 501 lines, the limit is 500' "a long BPF file"

new_tree
printf 'int f(int a, int b, int c, int d, int e, int (*g)(int, int))\n{\n}\n' >"$tree/src/proc/a.c"
accepts sizes "six parameters, one of them a function"

new_tree
printf 'int f(int a, int b, int c,\n      int d, int e, int g, int h)\n{\n}\n' >"$tree/src/proc/a.c"
refuses sizes 'f() has 7 parameters' "seven parameters"

new_tree
for i in $(seq 40); do
	echo 'int x;' >"$tree/src/proc/x$i.h"
done
refuses sizes 'src/proc: more than 40 files' "a room of 41 files"

rm "$tree/src/proc/maps.c"
accepts sizes "a room of 40 files"

finish

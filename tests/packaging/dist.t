#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The archive of the source: the same bytes from two clones, and from the archive itself.
. tests/cli/tap.sh

git() {
	command git -c safe.directory='*' "$@"
}

# dist TREE: its archive, in $dir/TREE.out
dist() {
	(cd "$dir/$1" && packaging/dist "$dir/$1.out") >"$dir/$1.said" 2>&1 ||
		sed 's/^/# /' "$dir/$1.said"
}

if ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	echo '1..0 # SKIP this is not a git clone'
	exit 0
fi
(umask 022 && git clone -q "$PWD" "$dir/a") 2>"$dir/err"
sleep 1.1 # times of files differ
mkdir -p "$dir/x"
(umask 077 && git clone -q "$PWD" "$dir/x/b") 2>>"$dir/err"
dist a
dist x/b
archive=$(basename "$dir"/a.out/*.tar.gz)
[ -s "$dir/a.out/$archive" ] && cmp "$dir/a.out/$archive" "$dir/x/b.out/$archive"
ok 'two clones give the same bytes' || sed 's/^/# /' "$dir/err"

mkdir "$dir/y"
(umask 077 && tar -xzf "$dir/a.out/$archive" -C "$dir/y")
tree=y/${archive%.tar.gz}
[ "$(cut -d ' ' -f 2 "$dir/$tree/COMMIT")" = "$(git log -1 --format=%ct)" ]
ok 'the archive knows its commit' || cat "$dir/$tree/COMMIT"
dist "$tree"
mkdir "$dir/z"
tar -xzf "$dir/$tree.out/$archive" -C "$dir/z" && diff -r "$dir/$tree" "$dir/z/${archive%.tar.gz}"
ok 'the archive makes an archive of the same files'

# What is not committed is not in it, and said to be missing.
echo more >>"$dir/a/README.md"
dist a
cmp -s "$dir/a.out/$archive" "$dir/x/b.out/$archive" &&
	grep -q '1 changed files are not in it' "$dir/a.said"
ok 'changes that are not committed are left out, and said to be'

wanted=$(git rev-parse --short=12 HEAD)
[ -n "$(git tag --points-at HEAD)" ] || grep -q "$wanted" "$dir/$tree/COMMIT"
ok 'the commit is named by 12 digits' || cat "$dir/$tree/COMMIT"
# shellcheck disable=SC2016 # for make
text=$(cd "$dir/$tree" && printf 'all:\n\t@echo $(VERSION_TEXT)\ninclude mk/version.mk\n' |
	env -u MAKEFLAGS -u MAKELEVEL make -s -f - all O="$dir/o" 2>&1)
case $text in
"$(cat VERSION)+g$wanted" | "$(cat VERSION)") true ;;
*) false ;;
esac
ok 'a program built of it has the version of its commit' || echo "# $text"

# Each library that is built in is in the static program; libdw brings libbz2, libdebuginfod and
# libcurl are loaded at run time.
wanted=$({
	sed -n '/^build="/,/"$/p' scripts/deps | tr -d '"' | sed 's/^build=//' | tr ' ' '\n' |
		sed 's/|.*//' | grep -e '-dev$' |
		grep -vx -e libdebuginfod-dev -e libcurl4-gnutls-dev
	echo libbz2-dev
} | sort)
named=$(sed -n '/^for package in/,/; do$/p' packaging/licences | grep -o '[a-z0-9]*-dev' | sort)
[ "$wanted" = "$named" ]
ok 'the licences of all libraries go with the static program' ||
	printf '# %s\n' "$wanted" -- "$named"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install and make uninstall, of a program that is built already.
. tests/cli/tap.sh

umask 022
at=$dir/root
prefix=/opt/cold
doc=$at$prefix/share/doc/coldspot

# Not with the flags of the make that runs this, nor its jobs: nothing is built.
install_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -o "$COLDSPOT_BUILD/coldspot" \
		O="$COLDSPOT_BUILD" DESTDIR="$at" PREFIX="$prefix" "$1" >"$dir/out" 2>"$dir/err"
	status=$?
}

install_make install
[ "$status" -eq 0 ] && [ -x "$at$prefix/bin/coldspot" ] &&
	[ -s "$at$prefix/share/man/man1/coldspot-record.1" ]
ok 'program and man pages are installed below DESTDIR and PREFIX' || why
for page in README.md CHANGELOG.md docs/*.md docs/*.json docs/*/*.md; do
	cmp -s "$page" "$doc/$page" || echo "$page"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok 'so is all of the documentation' || sed 's/^/# missing: /' "$dir/missing"
find "$doc" -name '*.md' | while read -r page; do
	grep -o ']([^)#]*' "$page" | cut -c 3- | grep -v '^https\{0,1\}:\|^$' |
		while read -r link; do
			echo "$page $link" >>"$dir/links"
			[ -e "${page%/*}/$link" ] || echo "$page: $link"
		done
done >"$dir/missing"
[ "$(wc -l <"$dir/links")" -gt 50 ] && [ ! -s "$dir/missing" ]
ok 'their links lead to installed files' || sed 's/^/# missing: /' "$dir/missing"
[ -z "$(find "$at" ! -perm -o=r)" ] && [ -z "$(find "$at" -perm /022)" ]
ok 'all may read it, and only the owner may write' || find "$at" ! -perm -o=r -ls
install_make uninstall
[ "$status" -eq 0 ] && [ -z "$(find "$at" ! -type d)" ] && [ ! -e "$doc" ]
ok 'uninstall leaves nothing' || { why && find "$at" ! -type d; }
finish

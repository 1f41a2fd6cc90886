#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The folder that `make release` left: complete, of one version, and its checksums hold.
. tests/cli/tap.sh
release=$COLDSPOT_BUILD/release

mkdir "$dir/sums"
printf one >"$dir/sums/a file"
printf two >"$dir/sums/b"
packaging/checksums "$dir/sums" && packaging/checksums "$dir/sums" &&
	(cd "$dir/sums" && sha256sum --quiet -c SHA256SUMS) &&
	[ "$(wc -l <"$dir/sums/SHA256SUMS")" -eq 2 ]
ok 'checksums are of each file, and not of themselves'
printf changed >"$dir/sums/b"
! (cd "$dir/sums" && sha256sum --status -c SHA256SUMS)
ok 'they tell of a change'

if [ ! -e "$release/SHA256SUMS" ]; then
	skip 'the release' 'there is none: make release'
	finish
	exit
fi
(cd "$release" && sha256sum --quiet --strict -c SHA256SUMS) >"$dir/out" 2>&1
ok 'its checksums hold' || sed 's/^/# /' "$dir/out"
(cd "$release" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort) >"$dir/there"
sed 's/^[0-9a-f]*  //' "$release/SHA256SUMS" | LC_ALL=C sort | cmp -s - "$dir/there"
ok 'each file has one'
for pattern in 'coldspot-.*\.tar\.gz' 'coldspot_.*\.deb' 'coldspot_.*\.dsc' \
	'coldspot-.*\.x86_64\.rpm' 'coldspot-.*\.src\.rpm' 'coldspot-x86_64' \
	'coldspot-aarch64' 'coldspot-image-amd64\.tar' 'coldspot-x86_64\.cdx\.json' \
	'coldspot-aarch64\.cdx\.json' 'coldspot_.*\.cdx\.json'; do
	grep -qx "$pattern" "$dir/there" || echo "$pattern"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok 'every package is there' || sed 's/^/# /' "$dir/missing"
sed -n 's/.*\(git[0-9.]*\.[0-9a-f]\{12\}\).*/\1/p' "$dir/there" | sort -u >"$dir/versions"
[ "$(wc -l <"$dir/versions")" -le 1 ]
ok 'all are of one commit' || sed 's/^/# /' "$dir/versions"

for program in coldspot-x86_64 coldspot-aarch64; do
	sum=$(sha256sum "$release/$program" | cut -d ' ' -f 1)
	grep -q "\"$sum\"" "$release/$program.cdx.json"
	ok "the bill of materials of $program is of that file"
done
dpkg-deb -x "$release"/coldspot_*.deb "$dir/deb"
sum=$(sha256sum "$dir/deb/usr/bin/coldspot" | cut -d ' ' -f 1)
grep -q "\"$sum\"" "$release"/coldspot_*.cdx.json
ok 'and that of the Debian package is of the program in it'
finish

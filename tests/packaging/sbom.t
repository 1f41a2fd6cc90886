#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What packaging/sbom says of a program, validated by programs of others (npm), and against the
# program itself. Needs `make`; with `make static` and `make static-arm64`, those as well.
. tests/cli/tap.sh
O=$COLDSPOT_BUILD
modules=$O/tests/packaging/npm

purls() {
	jq -r '.components[].purl' "$1"
}

# judge NAME PROGRAM MAP [ROOT]: leaves $dir/NAME.json
judge() {
	sbom=$dir/$1.json
	what=$1
	shift
	packaging/sbom "$@" >"$sbom" 2>"$dir/err"
	ok "$what: it is made" || sed 's/^/# /' "$dir/err"
	packaging/sbom "$@" 2>/dev/null | cmp -s - "$sbom"
	ok "$what: twice the same"
	if [ -n "$unable" ]; then
		skip "$what: it is valid" "$unable"
	else
		node tests/packaging/sbom_valid.js "$modules" "$sbom" >"$dir/said" 2>&1
		ok "$what: it is valid" || sed 's/^/# /' "$dir/said"
	fi
	# SQLite and zstd tell their versions in the program.
	for library in sqlite3 zstd; do
		version=$(jq -r --arg name "lib$library" '.components[] |
			select(.name | startswith($name)) | .version' "$sbom" |
			sed -n '1s/^[0-9]*://; 1s/[-+].*//p')
		file=$(linked "$1" "$library")
		[ -n "$version" ] && grep -qaF "$version" "$file"
		ok "$what: $library is the one in the program" ||
			echo "# '$version' is not in $file"
	done
	wanted=$(jq -r '.packages["node_modules/preact"].version' web/package-lock.json)
	purls "$sbom" | grep -qx "pkg:npm/preact@$wanted" &&
		[ "$(purls "$sbom" | grep -c '^pkg:npm/')" -eq 3 ]
	ok "$what: of npm's packages it has those of the page only" ||
		purls "$sbom" | sed 's/^/# /'
}

# linked PROGRAM LIBRARY: the file that has the library's code
linked() {
	if readelf -d "$1" | grep -q NEEDED; then
		ldd "$1" | sed -n "s/.*lib$2.* => \([^ ]*\) .*/\1/p"
	else
		echo "$1"
	fi
}

for tool in jq dpkg-query dpkg-architecture readelf; do
	command -v "$tool" >/dev/null || {
		echo "1..0 # SKIP there is no $tool: scripts/deps packages"
		exit 0
	}
done
unable=$(scripts/npm-ci "$modules" tests/packaging/npm)
case $? in
0) unable= ;;
77) ;;
*)
	echo "# $unable"
	false
	ok 'the validator can be installed'
	;;
esac

judge coldspot "$COLDSPOT" "$COLDSPOT.map"
ldd "$COLDSPOT" | grep -v linux-vdso | sed -n 's/^[^ ]*[/\t]\([a-z][^ /]*\)\.so.*/\1/p' |
	LC_ALL=C sort -u | while read -r stem; do
	jq -e --arg stem "$stem" 'any(.components[].properties[]; .name == "coldspot:file" and
		(.value | startswith($stem)))' "$dir/coldspot.json" >"$dir/found" || echo "$stem"
done >"$dir/missing"
[ "$(ldd "$COLDSPOT" | wc -l)" -gt 5 ] && [ ! -s "$dir/missing" ]
ok 'all that the loader loads is in it' || sed 's/^/# /' "$dir/missing"
purls "$dir/coldspot.json" | grep -q '^pkg:deb/debian/libiberty-dev@'
ok 'and what is linked in' || purls "$dir/coldspot.json" | sed 's/^/# /'
if [ -z "$unable" ]; then
	sed '0,/"library"/s//"librarian"/' "$dir/coldspot.json" >"$dir/wrong.json"
	! node tests/packaging/sbom_valid.js "$modules" "$dir/wrong.json" >"$dir/said" 2>&1 &&
		grep -q enum "$dir/said"
	ok 'the validator sees a fault' || sed 's/^/# /' "$dir/said"
fi
says_what=$(packaging/sbom README.md 2>&1)
[ $? -eq 1 ] && echo "$says_what" | grep -q 'not a program for x86-64 or arm64'
ok 'what is no program is an error' || echo "# $says_what"

if [ ! -x "$O/static/coldspot" ]; then
	skip 'the static program' 'there is none: make static'
else
	judge static "$O/static/coldspot" "$O/static/coldspot.map"
	# The same libraries as the licences that go with it.
	purls "$dir/static.json" | sed -n 's|^pkg:deb/debian/\([^@]*\)@.*|\1|p' |
		grep -v '^libgcc-' | LC_ALL=C sort >"$dir/named"
	sed -n '/^for package in/,/; do$/p' packaging/licences | grep -o '[a-z0-9]*-dev' |
		LC_ALL=C sort | cmp -s - "$dir/named"
	ok 'static: its libraries are those whose licences go with it' || sed 's/^/# /' "$dir/named"
fi
arm64=$O/static-arm64/coldspot
if [ ! -x "$arm64" ]; then
	skip 'the static program for arm64' 'there is none: make static-arm64'
else
	judge arm64 "$arm64" "$arm64.map" "${COLDSPOT_VM_CACHE:-/var/cache/coldspot-vm}/root-arm64"
fi
finish

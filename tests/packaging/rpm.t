#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The rpm that `make rpm` left: what is in it, and that it runs, without installing it. rpmlint has
# seen it when it was built.
. tests/cli/tap.sh

for tool in rpm rpm2cpio cpio; do
	command -v "$tool" >/dev/null || {
		echo "1..0 # SKIP there is no $tool: scripts/deps packages"
		exit 0
	}
done
# The newest, if several commits were packaged.
rpm=$(find "$COLDSPOT_BUILD/packages" -name "coldspot-*.$(uname -m).rpm" ! -name '*debug*' \
	-printf '%T@ %p\n' 2>/dev/null | sort -n | sed -n '$s/^[^ ]* //p')
if [ -z "$rpm" ]; then
	echo '1..0 # SKIP there is no rpm: make rpm'
	exit 0
fi

query() {
	rpm -qp --nosignature "$@" "$rpm" 2>/dev/null
}

mkdir "$dir/root"
rpm2cpio "$rpm" | (cd "$dir/root" && cpio -idm --quiet)
COLDSPOT=$dir/root/usr/bin/coldspot
prints 0 "^coldspot $(cat VERSION)" version
query -l | LC_ALL=C sort >"$dir/listed"
(cd "$dir/root" && find . -type f | cut -c 2- | LC_ALL=C sort) >"$dir/there"
! comm -13 "$dir/listed" "$dir/there" | grep . && [ "$(wc -l <"$dir/there")" -gt 50 ]
ok 'it has the files that it lists'
! grep -qv '^/usr/' "$dir/listed" && [ -z "$(query --scripts)" ]
ok 'only /usr has files, and no script runs' || grep -v '^/usr/' "$dir/listed" | sed 's/^/# /'
[ -z "$(find "$dir/root" -perm /6000)" ]
ok 'nothing is setuid'
for command in $("$COLDSPOT" help --format list); do
	[ -s "$dir/root/usr/share/man/man1/coldspot-$command.1.gz" ] || echo "$command"
done >"$dir/missing"
[ -s "$dir/root/usr/share/man/man1/coldspot.1.gz" ] && [ ! -s "$dir/missing" ]
ok 'every command has a man page' || sed 's/^/# /' "$dir/missing"
query --licensefiles >"$dir/licences"
[ "$(wc -l <"$dir/licences")" -eq 3 ]
ok 'its licences are marked as such' || sed 's/^/# /' "$dir/licences"

# What the program needs, by the program itself and by the rpm.
readelf -d "$COLDSPOT" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | LC_ALL=C sort -u >"$dir/needed"
query --requires | sed -n 's/^\(lib[^(]*\|ld-[^(]*\)(.*/\1/p' | LC_ALL=C sort -u >"$dir/required"
[ -s "$dir/needed" ] && [ -z "$(comm -23 "$dir/needed" "$dir/required")" ]
ok 'it requires the libraries that the program needs' || comm -3 "$dir/needed" "$dir/required"

# The spec and scripts/deps say the same in their own words.
wanted=$(sed -n '/^PKGS := /s///p' mk/flags.mk | tr ' ' '\n' | LC_ALL=C sort)
spec=$(sed -n 's/^BuildRequires: *pkgconfig(\([^)]*\)).*/\1/p' packaging/coldspot.spec.in |
	grep -vx -e libdebuginfod -e libcurl | LC_ALL=C sort)
[ "$wanted" = "$spec" ]
ok 'it is built with the libraries that the build asks for' ||
	printf '# %s\n' "$wanted" -- "$spec"

what='it records, and reports what it recorded'
if is_root && can_record; then
	run record -q -o "$dir/a.coldspot" -- sleep 0.3
	[ "$status" -eq 0 ] && run report "$dir/a.coldspot" && grep -q 'clock_nanosleep' "$dir/out"
	ok "$what" || why
else
	skip "$what" 'it takes root, and a kernel that can record'
fi
finish

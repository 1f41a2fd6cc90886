#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian package that `make deb` left: what is in it, without installing it. lintian has seen it
# when it was built.
. tests/cli/tap.sh

# The newest, if several commits were packaged.
arch=$(dpkg --print-architecture 2>/dev/null)
deb=$(find "$COLDSPOT_BUILD/packages" -name "coldspot_*_$arch.deb" -printf '%T@ %p\n' 2>/dev/null |
	sort -n | sed -n '$s/^[^ ]* //p')
if [ -z "$deb" ]; then
	echo '1..0 # SKIP there is no package: make deb'
	exit 0
fi

field() {
	dpkg-deb -f "$deb" "$1"
}

dpkg-deb -x "$deb" "$dir/root" && dpkg-deb -e "$deb" "$dir/control"
COLDSPOT=$dir/root/usr/bin/coldspot
prints 0 "^coldspot $(cat VERSION)" version
[ -z "$(find "$dir/root" -perm /6000)" ] && [ -z "$(getcap -r "$dir/root" 2>/dev/null)" ]
ok 'nothing is setuid or has capabilities'
for command in $("$COLDSPOT" help --format list); do
	man=$dir/root/usr/share/man/man1/coldspot-$command.1.gz
	[ -s "$man" ] || echo "$man"
done >"$dir/missing"
[ -s "$dir/root/usr/share/man/man1/coldspot.1.gz" ] && [ ! -s "$dir/missing" ]
ok 'every command has a man page' || sed 's/^/# /' "$dir/missing"
share=$dir/root/usr/share
[ -s "$share/bash-completion/completions/coldspot" ] &&
	[ -s "$share/zsh/vendor-completions/_coldspot" ]
ok 'completions are where Debian looks for them'

doc=$dir/root/usr/share/doc/coldspot
find "$doc" -name '*.md' | while read -r page; do
	grep -o ']([^)#]*' "$page" | cut -c 3- | grep -v '^[a-z]*:\|^$' |
		while read -r link; do
			echo "$page $link" >>"$dir/links"
			to=${page%/*}/$link
			[ -e "$to" ] || [ -h "$to" ] || echo "$page: $link"
		done
done >"$dir/missing"
[ "$(wc -l <"$dir/links")" -gt 50 ] && [ ! -s "$dir/missing" ]
ok 'links of the documentation lead to files of the package' || sed 's/^/# /' "$dir/missing"
for name in README.Debian copyright changelog.Debian.gz; do
	[ -s "$doc/$name" ] || echo "$name"
done >"$dir/missing"
[ ! -s "$dir/missing" ]
ok 'it has what Debian wants of a package' || sed 's/^/# /' "$dir/missing"

# It owns nothing outside of /usr, runs nothing when installed, and so has nothing to purge.
(cd "$dir" && printf '%s ' root/* control/*) >"$dir/has"
[ "$(cat "$dir/has")" = 'root/usr control/control control/md5sums ' ]
ok 'only /usr has files, and no script runs' || sed 's/^/# /' "$dir/has"
field Depends | grep -q libbpf1 && field Depends | grep -q libdw1
ok 'it depends on the libraries' || field Depends
field Recommends | grep -q "$(sed -n 's/.*DEBUGINFOD_SONAME "\([a-z]*\)\.so\.\([0-9]*\)".*/\1\2/p' \
	/usr/include/elfutils/debuginfod.h)"
ok 'and recommends the one that is loaded later' || field Recommends

# scripts/deps and debian/control say the same in their own words.
wanted=$(sed -n '/^build="/,/"$/p' scripts/deps | tr -d '"' | sed 's/^build=//' | tr ' ' '\n' |
	sed 's/|.*//' | grep -vxE 'make|gcc|libc6-dev|' | sort)
control=$(sed -n '/^Build-Depends:/,/^[A-Z]/p' packaging/debian/control |
	sed 's/^Build-Depends://; /^[A-Z]/d; /nocheck/d; /debhelper-compat/d; s/(.*//' |
	tr -d ' ,' | grep . | sort)
[ "$wanted" = "$control" ]
ok 'it is built with what scripts/deps installs' || printf '# %s\n' "$wanted" -- "$control"

agent=$(echo "$deb" | sed 's/coldspot_/coldspot-agent_/')
dpkg-deb -x "$agent" "$dir/agent" && dpkg-deb -e "$agent" "$dir/agent-control"
cmp -s "$dir/agent/lib/systemd/system/coldspot-agent.service" \
	packaging/systemd/coldspot-agent.service
ok 'the package of the agent has its unit'
[ -z "$(find "$dir/agent" -type f ! -path '*/share/doc/*' ! -path '*/share/lintian/*' \
	! -name '*.service')" ] &&
	dpkg-deb -f "$agent" Depends | grep -qF "coldspot (= $(field Version))"
ok 'and nothing else: the program is in the package that it depends on'
command=$(sed -n 's|^ExecStart=/usr/bin/coldspot \([^ ]*\).*|\1|p' \
	packaging/systemd/coldspot-agent.service)
"$COLDSPOT" help --format list | grep -qx "$command"
ok 'its unit starts a command that there is' || echo "# $command"
finish

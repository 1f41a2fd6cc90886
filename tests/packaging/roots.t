#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian package in a fresh Debian 12: installed with apt, run, removed, and nothing is left.
# The static program where there is another C library, and where there is none.
. tests/cli/tap.sh
packages=$COLDSPOT_BUILD/packages
mounted=
trap 'for root in $mounted; do tests/packaging/root -d "$root"; done; rm -rf "$dir"' EXIT

# fresh SUITE WHAT: a root in $root; without one, WHAT is skipped
fresh() {
	root=$dir/$1
	if tests/packaging/root "$1" "$root" 2>"$dir/why"; then
		mounted="$mounted $root"
		cp /etc/resolv.conf "$root/etc/resolv.conf"
		return
	fi
	skip "$2" "$(cat "$dir/why")"
	return 1
}

# inside COMMAND: by a shell in $root; leaves $status, $dir/out and $dir/err, as run()
inside() {
	timeout 300 chroot "$root" /bin/sh -c "$1" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}

# records PROGRAM WHERE: it records a command there, and reads what it wrote
records() {
	inside "cd /tmp && $1 record -q -o a.coldspot -o a.html -- sleep 0.3 &&
		$1 report a.coldspot && $1 check a.coldspot && rm a.coldspot a.html"
	[ "$status" -eq 0 ] && grep -q 'sleep.* clock_nanosleep' "$dir/out"
	ok "$2: it records, and reports what it recorded" || why
}

# All files and folders, except what apt and dpkg note down for themselves.
listing() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp \
		-o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
		-o -path ./var/log \) -prune -o -printf '%p %y %m\n' | LC_ALL=C sort)
}

if ! is_root || ! can_record; then
	echo '1..0 # SKIP it takes root, and a kernel that can record'
	exit 0
fi
arch=$(dpkg --print-architecture 2>/dev/null)
deb=$(find "$packages" -name "coldspot_*_$arch.deb" -printf '%T@ %p\n' | sort -n |
	sed -n '$s/^[^ ]* //p')
agent=$(echo "$deb" | sed 's/coldspot_/coldspot-agent_/')
static=$packages/coldspot-$(uname -m)

what='the package in a fresh Debian 12'
if [ -z "$deb" ]; then
	skip "$what" 'there is no package: make deb'
elif fresh bookworm "$what"; then
	cp "$deb" "$root/tmp/coldspot.deb"
	inside 'apt-get -q update'
	# What it needs may stay; the question is what it leaves itself.
	inside "apt-get -q -y --no-install-recommends satisfy '$(dpkg-deb -f "$deb" Depends)'"
	listing >"$dir/before"
	inside 'cd /tmp && apt-get -q -y --no-install-recommends install ./coldspot.deb'
	[ "$status" -eq 0 ]
	ok 'apt installs it' || why
	records coldspot 'installed'
	inside 'coldspot doctor'
	[ "$status" -eq 0 ] && grep -q 'Recording will work' "$dir/out"
	ok 'doctor finds nothing missing' || why
	inside 'dpkg --verify coldspot'
	[ "$status" -eq 0 ] && [ ! -s "$dir/out" ]
	ok 'running it changed none of its files' || why
	inside 'dpkg --purge coldspot && ! command -v coldspot'
	[ "$status" -eq 0 ]
	ok 'dpkg purges it' || why
	listing >"$dir/after"
	[ "$(wc -l <"$dir/before")" -gt 1000 ] && cmp -s "$dir/before" "$dir/after"
	ok 'a purge leaves nothing' || diff "$dir/before" "$dir/after" | sed 's/^/# /'

	cp "$agent" "$root/tmp/coldspot-agent.deb"
	install='apt-get -q -y --no-install-recommends --reinstall install \
		/tmp/coldspot.deb /tmp/coldspot-agent.deb'
	inside "$install"
	[ "$status" -eq 0 ] && [ -s "$root/lib/systemd/system/coldspot-agent.service" ] &&
		[ -h "$root/etc/systemd/system/multi-user.target.wants/coldspot-agent.service" ]
	ok 'apt installs the agent, and it starts with the system' || why
	mkdir -p "$root/etc/coldspot" "$root/var/lib/coldspot"
	echo 'window = "10s"' >"$root/etc/coldspot/agent.toml"
	echo day >"$root/var/lib/coldspot/day"
	inside "$install && apt-get -q -y remove coldspot-agent"
	[ "$status" -eq 0 ] && [ -s "$root/etc/coldspot/agent.toml" ] &&
		[ -s "$root/var/lib/coldspot/day" ]
	ok 'installed again, and removed: it keeps its settings and its store' || why
	inside 'dpkg --purge coldspot-agent coldspot'
	listing >"$dir/after"
	[ "$status" -eq 0 ] && ! grep coldspot "$dir/after" >"$dir/out"
	ok 'a purge of both leaves nothing' || why
fi

if [ ! -x "$static" ]; then
	skip 'the static program elsewhere' 'there is none: make static'
	finish
	exit
fi
! readelf -d "$static" | grep -q NEEDED && ! readelf -l "$static" | grep -q INTERP
ok 'the static program needs no library and no loader' || readelf -d "$static" | sed 's/^/# /'

if fresh bullseye 'the static program in Debian 11, with glibc 2.31'; then
	cp "$static" "$root/usr/bin/coldspot"
	records coldspot 'static, Debian 11'
	# The libraries of that system are not its own.
	inside 'DEBUGINFOD_URLS=http://127.0.0.1:1 coldspot record -- sleep 0.1'
	[ "$status" -eq 0 ] && ! grep -qi 'assert\|symbol' "$dir/err"
	ok 'it does not load the libraries of that system' || why
fi

# A root of a musl system has no file of glibc either: only busybox, and what the kernel provides.
root=$dir/busybox
mkdir -p "$root/bin" "$root/tmp" "$root/proc" "$root/sys" "$root/dev" "$root/usr/share"
if ! busybox=$(command -v busybox) || readelf -l "$busybox" | grep -q INTERP; then
	skip 'the static program without a C library' 'there is no static busybox'
else
	cp "$busybox" "$root/bin/busybox"
	for tool in sh sleep rm; do ln -s busybox "$root/bin/$tool"; done
	cp "$static" "$root/bin/coldspot"
	mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
		mount --make-rslave "$root/sys"
	mounted="$mounted $root"
	records coldspot 'static, nothing but busybox'
	inside 'coldspot record --debuginfod http://127.0.0.1:1 -- sleep 0.1'
	[ "$status" -eq 0 ] && grep -q 'the static coldspot cannot load it' "$dir/err"
	ok '--debuginfod says that it cannot be' || why
	inside 'coldspot push --store /tmp --state /tmp otlp+http://127.0.0.1:1'
	[ "$status" -eq 1 ] && grep -q 'the static coldspot cannot load it' "$dir/err"
	ok 'push, too' || why
	for part in sys proc; do umount -R "$root/$part"; done
fi
finish

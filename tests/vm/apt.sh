# SPDX-License-Identifier: Apache-2.0
#
# For `kernel` and `root`, which set `cache`, `arch` and `fail`: apt on a state of its own, so that
# it can know another architecture than this machine's, and so that it changes nothing here.
# shellcheck shell=sh disable=SC2154

apt_state=$cache/apt-$arch
log=$apt_state/log

# Nobody else fetches into this cache until we end.
apt_begin() {
	for directory in state/lists/partial cache/archives/partial; do
		mkdir -p "$apt_state/$directory" || fail "cannot write to $cache"
	done
	{ exec 9>"$cache/lock"; } || fail "cannot lock $cache"
	flock 9 || fail "cannot lock $cache"
	: >"$apt_state/status"
}

apt() {
	command=$1
	shift
	"$command" -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Dir::State="$apt_state/state" -o Dir::State::status="$apt_state/status" \
		-o Dir::Cache="$apt_state/cache" -o APT::Sandbox::User=root "$@" \
		</dev/null 2>>"$log"
}

# A source that has nothing to do with us may fail.
apt_update() {
	: >"$log"
	apt apt-get update >>"$log"
}

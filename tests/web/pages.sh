# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Sourced by tests of pages in a real browser, driven by Playwright. What the machine lacks for it
# skips them.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${COLDSPOT_BUILD:-build}

skip() {
	echo "1..0 # SKIP pages are not tried in a browser: $1"
	exit 77
}

reason=$(scripts/npm-ci "$build/web")
case $? in
0) ;;
77) skip "$reason" ;;
*)
	echo "$reason" | sed 's/^/# /'
	echo "1..1"
	echo "not ok 1 - npm ci of web/package-lock.json"
	exit 1
	;;
esac
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$CHROMIUM" ] || skip "there is no chromium"
export CHROMIUM
[ -e "$build/tests/web/pages/diff-nodes.html" ] ||
	COLDSPOT_BUILD=$build "$build/tests/web/test_pages" >&2

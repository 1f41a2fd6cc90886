#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page in the tree is what its sources make, byte for byte.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${COLDSPOT_BUILD:-build}

reason=$(scripts/npm-ci "$build/web")
case $? in
0) ;;
77)
	echo "1..0 # SKIP the page of the HTML report is not built anew: $reason"
	exit 77
	;;
*)
	echo "1..1"
	echo "not ok 1 - npm ci of web/package-lock.json: $reason"
	exit 1
	;;
esac
failed=0
echo "1..2"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -R web/src web/*.json web/*.mjs "$work/"
ln -s "$(cd "$build/web" && pwd)/node_modules" "$work/node_modules"
if (cd "$work" && node_modules/.bin/tsc --noEmit) >"$work/log" 2>&1; then
	echo "ok 1 - types of web/src"
else
	failed=1
	sed 's/^/# /' "$work/log"
	echo "not ok 1 - types of web/src"
fi
if (cd "$work" && node build.mjs "$work/page.html") >"$work/log" 2>&1 &&
	cmp "$work/page.html" web/dist/page.html >>"$work/log"; then
	echo "ok 2 - web/dist/page.html is what web/src makes"
else
	failed=1
	sed 's/^/# /' "$work/log"
	echo "# \`make web\` makes it anew"
	echo "not ok 2 - web/dist/page.html is what web/src makes"
fi
exit $failed

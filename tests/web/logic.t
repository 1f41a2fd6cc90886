#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the page computes, without a browser: tests/web/logic/*.test.ts in node's test runner.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${COLDSPOT_BUILD:-build}

reason=$(scripts/npm-ci "$build/web")
case $? in
0) ;;
77)
	echo "1..0 # SKIP the logic of the page is not tested: $reason"
	exit 77
	;;
*)
	echo "$reason" | sed 's/^/# /'
	echo "1..1"
	echo "not ok 1 - npm ci of web/package-lock.json"
	exit 1
	;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tests" && cp -R web/src web/tsconfig.json "$work/" &&
	cp tests/web/logic/*.ts "$work/tests/" || exit 1
sed -i 's|"\.\./\.\./\.\./web/src/|"../src/|' "$work"/tests/*.ts
for test in "$work"/tests/*.test.ts; do
	echo "import \"./${test##*/}\";"
done >"$work/tests/all.ts"
packages=$(realpath "$build/web/node_modules")
NODE_PATH=$packages "$packages/.bin/esbuild" "$work/tests/all.ts" --bundle --platform=node \
	--format=esm --log-level=warning --outfile="$work/all.mjs" || exit 1
# One process, one list. What a test says of itself is printed if it failed.
node --test-reporter=tap "$work/all.mjs" | awk '
/^TAP version|^# Subtest/ { next }
/^ok/ { failed = 0 }
/^not ok/ { failed = 1 }
/^ / { if (failed) print "# " $0; next }
{ print }'

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page of `coldspot serve` in a real browser, on a live PostgreSQL whose clients wait for a row.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
[ "$(id -u)" = 0 ] || skip "recording needs root"
command -v runuser >/dev/null || skip "there is no runuser"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || skip "there is no PostgreSQL"
exec node tests/web/serve.mjs "$build"

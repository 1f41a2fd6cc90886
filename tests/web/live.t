#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page of `coldspot serve` in a real browser, with a server that answers as a test wants it.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/live.mjs "$build"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The page of a diff in a real browser.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/diff.mjs "$build"

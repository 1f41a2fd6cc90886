#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the pages look like on screens of all sizes and on paper, in a real browser.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/screens.mjs "$build"

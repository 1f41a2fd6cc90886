#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The timeline of the page in a real browser: pages of known waits, one of a million, and a
# recording of a program that knows what it waited for.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/timeline.mjs "$build"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The requests of the page in a real browser, against what `report --requests` says of the same
# recording.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/requests.mjs "$build"

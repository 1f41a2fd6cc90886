#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The wait-for graph and the critical path of the page in a real browser, against what `graph` and
# `report --critical-path` say of the same recording.
# shellcheck source=tests/web/pages.sh
. "$(dirname "$0")/pages.sh"
exec node tests/web/graph.mjs "$build"

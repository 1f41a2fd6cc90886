#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every program once, in both modes, and the build farm; three minutes. In brief, one program of
# each way to find a stack. The figures are left in tests/stacks/figures.txt of the build directory.
exec python3 "$(dirname "$0")/run" ${COLDSPOT_BRIEF:+--only cpp,odd,python,redis,go,farm} \
	${COLDSPOT_BUILD:+--figures "$COLDSPOT_BUILD/tests/stacks/figures.txt"} "$@"

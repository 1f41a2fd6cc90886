#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: faults.sh THEME...
#
# What kernels, administrators and other programs do to a profiler: one file for each theme. The
# last one cannot be undone.
# shellcheck source=tests/vm/guest/cases.sh
. ./cases.sh
for theme in "$@"; do
	# shellcheck source=/dev/null
	. "./$theme.sh"
done

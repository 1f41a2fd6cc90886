#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: truth.sh NAME ARGUMENT...
#
# The truth tests, with these arguments, into NAME.out. What they run is in memory, for a page of a
# program that has to come from outside is a wait of its own; what they write is on a disk.
# shellcheck source=tests/vm/guest/cases.sh
. ./cases.sh
longest=1200
name=$1
shift
export TMPDIR=/run/disk
[ -d /tmp/programs ] || cp -r programs coldspot /tmp/
case_of "$name" python3 truth/run --coldspot /tmp/coldspot --programs /tmp/programs --loose "$@"

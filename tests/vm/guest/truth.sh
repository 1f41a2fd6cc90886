#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: truth.sh NAME ARGUMENT...
#
# The truth tests, with these arguments, into NAME.out. What they run and write is in memory: a page
# of a program that has to come from outside is a wait of its own.
# shellcheck source=tests/vm/guest/cases.sh
. ./cases.sh
longest=1200
name=$1
shift
export TMPDIR=/tmp
[ -d /tmp/programs ] || cp -r programs coldspot /tmp/
case_of "$name" python3 truth/run --coldspot /tmp/coldspot --programs /tmp/programs --loose "$@"

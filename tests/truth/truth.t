#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole list in the default mode, and what each case names in the others; about five minutes. In
# brief only the default mode.
exec python3 "$(dirname "$0")/run" ${COLDSPOT_BRIEF:+--mode default} "$@"

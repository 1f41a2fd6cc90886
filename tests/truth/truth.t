#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole list in the default mode, and what each case names in the others; about five minutes.
exec python3 "$(dirname "$0")/run" "$@"

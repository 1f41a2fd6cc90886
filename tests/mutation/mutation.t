#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults that a test must notice.
exec python3 "$(dirname "$0")/run" "$@"

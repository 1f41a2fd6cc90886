#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real servers, without work and held up.
exec python3 "$(dirname "$0")/run" "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: parts.sh SECONDS
#
# Runs what each line of the file `parts` says: NAME SECONDS SCRIPT ARGUMENT... Leaves when it began
# and ended in NAME.begun and NAME.ended, by the time since boot. What may take longer than is left
# of the SECONDS since boot does not begin, and leaves NAME.late.
set -f
while read -r part needs script arguments; do
	read -r up _ </proc/uptime
	if [ $((${up%.*} + needs)) -gt "$1" ]; then
		echo "$up" >"$part.late"
		continue
	fi
	echo "$up" >"$part.begun"
	# shellcheck disable=SC2086
	sh "$script" $arguments </dev/null
	read -r up _ </proc/uptime
	echo "$up" >"$part.ended"
done <parts

# SPDX-License-Identifier: Apache-2.0
#
# The kernel's own lock, which only ever closes: the last theme.
# shellcheck shell=sh
lockdown=/sys/kernel/security/lockdown
echo integrity >$lockdown
case_of integrity-doctor ./coldspot doctor
case_of integrity ./coldspot record -d "$longest" -q -o integrity.json -- sleep 0.3
echo confidentiality >$lockdown
case_of confidentiality-doctor ./coldspot doctor
case_of confidentiality ./coldspot record -d 1 -q -- true

# SPDX-License-Identifier: Apache-2.0
#
# A kernel that does not tell what it looks like: no BTF, no symbols.
# shellcheck shell=sh
mkdir -p /tmp/empty
without_btf='busybox mount --bind /tmp/empty /sys/kernel/btf && exec ./coldspot "$@"'
case_of nobtf unshare -m sh -c "$without_btf" sh record -d 1 -q -- true
case_of nobtf-doctor unshare -m sh -c "$without_btf" sh doctor

restrict=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
case_of kptr-doctor ./coldspot doctor
case_of kptr ./coldspot record -d "$longest" -o kptr.json -- sleep 0.3
echo "$restrict" >/proc/sys/kernel/kptr_restrict

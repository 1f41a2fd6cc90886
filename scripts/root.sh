# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# become_root VARIABLE...: begins the calling script again as root, by sudo, with these variables of
# the environment as they are. Returns if it is root already (a bare Debian has no sudo, and needs
# none then), if there is no sudo, or if sudo would ask for a password and nobody is there.
# COLDSPOT_SUDO=no keeps the user.
become_root() {
	[ "$(id -u)" -ne 0 ] && [ "${COLDSPOT_SUDO:-yes}" != no ] || return 0
	command -v sudo >/dev/null || return 0
	[ -t 0 ] || sudo -n true 2>/dev/null || return 0
	keep=$(IFS=,; echo "$*")
	exec sudo --preserve-env="$keep" -- "$0"
}

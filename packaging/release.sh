# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# For the scripts of packaging/: what is packaged, and from where. They run in the root of the tree.
#
# release_read: sets `version` (0.1.0, or 0.1.0~git20261125.1349.e5b90320abcd for what is not tagged
# v0.1.0, which packagers sort before 0.1.0), `commit` (empty for a release) and SOURCE_DATE_EPOCH,
# the time of the commit. In an unpacked archive, the file COMMIT says so.
release_read() {
	version=$(cat VERSION)
	if [ -e COMMIT ]; then
		read -r commit SOURCE_DATE_EPOCH <COMMIT
	else
		commit=$(release_git rev-parse --short=12 HEAD) || {
			echo "packaging: this is neither a git clone nor an unpacked archive" >&2
			exit 1
		}
		SOURCE_DATE_EPOCH=$(release_git log -1 --format=%ct)
		[ -z "$(release_git tag --points-at HEAD --list "v$version")" ] || commit=release
	fi
	export SOURCE_DATE_EPOCH
	[ "$commit" = release ] ||
		version=$version~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d.%H%M).$commit
}

# The tree may belong to somebody else: CI and sudo.
release_git() {
	GIT_OPTIONAL_LOCKS=0 git -c safe.directory='*' "$@"
}

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bash completion is loaded and asked, as readline does; zsh's is at least parsed.
# shellcheck source=tests/cli/tap.sh
. tests/cli/tap.sh

"$COLDSPOT" help --format bash >"$dir/coldspot.bash"
bash -n "$dir/coldspot.bash"
ok 'bash can read its completion'
if command -v shellcheck >/dev/null; then
	shellcheck -s bash "$dir/coldspot.bash" >"$dir/lint"
	ok 'shellcheck finds nothing in it' || sed 's/^/# /' "$dir/lint"
else
	skip 'shellcheck finds nothing in it' 'no shellcheck'
fi
# shellcheck disable=SC1091
. "$dir/coldspot.bash"

# WORDS...: the last one is being typed
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_coldspot
}

offers() { # WANTED WORDS...
	local wanted=$1
	shift
	complete_words "$@"
	printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -e "$wanted"
	ok "'$*' offers $wanted" || echo "# offered: ${COMPREPLY[*]}"
}

offers_not() {
	local wanted=$1
	shift
	complete_words "$@"
	! printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -e "$wanted"
	ok "'$*' does not offer $wanted" || echo "# offered: ${COMPREPLY[*]}"
}

offers record coldspot re
offers doctor coldspot ''
offers_not doctor coldspot re
offers --version coldspot --
offers --pid coldspot record --p
offers --no-demangle coldspot record --no
offers --help coldspot version --
offers_not --pid coldspot doctor --
offers waking coldspot record --split w
offers waking coldspot record --split = w
offers sched_info coldspot record --split =
offers_not ktime coldspot record --resume-hook k
offers zsh coldspot help --format ''
offers record coldspot help r
offers $$ coldspot record -p $$
offers $$ coldspot doctor $$
offers tests/cli/completions.t coldspot doctor tests/cli/compl
touch "$dir/a file.svg"
offers "$dir/a file.svg" coldspot record -o "$dir/a"
offers sleep coldspot record -- slee
offers "$dir/a file.svg" coldspot record -- cat "$dir/a"
offers_not --pid coldspot record -m --p
offers hist-json coldspot record -f h
offers folded coldspot report --format = f
offers speedscope coldspot export sp
offers_not "$dir/a file.svg" coldspot export "$dir/a"
offers "$dir/a file.svg" coldspot export json "$dir/a"

if command -v zsh >/dev/null; then
	"$COLDSPOT" help --format zsh >"$dir/_coldspot"
	zsh -n "$dir/_coldspot" 2>"$dir/err" &&
		head -n 1 "$dir/_coldspot" | grep -qx '#compdef coldspot'
	ok 'zsh can read its completion' || sed 's/^/# /' "$dir/err"
else
	skip 'zsh can read its completion' 'no zsh'
fi
finish

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# For the tests of the checks: a small tree that every check accepts, and TAP. Each test spoils one
# thing in a fresh tree and wants the check to name it.
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
tests=0

# A tree with two layers, a BPF program and a script.
new_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/src/base" "$tree/src/abi" "$tree/src/proc" "$tree/bpf/lib" "$tree/scripts"
	cat >"$tree/LAYERS" <<-'END'
		base:
		abi:
		proc: base
		uses libelf.h elfutils: proc
	END
	cat >"$tree/src/base/err.h" <<-'END'
		/* SPDX-License-Identifier: Apache-2.0 */
		#ifndef BASE_ERR_H
		#define BASE_ERR_H

		int err(int code);

		#endif
	END
	printf '%s\n#include "base/err.h"\n\nint err(int code)\n{\n\treturn code;\n}\n' \
		'/* SPDX-License-Identifier: Apache-2.0 */' >"$tree/src/proc/maps.c"
	cat >"$tree/bpf/lib/maps.bpf.h" <<-'END'
		/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
		#ifndef LIB_MAPS_BPF_H
		#define LIB_MAPS_BPF_H

		#endif
	END
	printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\necho hello\n' \
		>"$tree/scripts/hello"
}

# accepts CHECK NAME
accepts() {
	tests=$((tests + 1))
	if said=$("scripts/check-$1" "$tree" 2>&1); then
		echo "ok $tests - $1: $2"
	else
		echo "not ok $tests - $1: $2"
		echo "$said" | sed 's/^/# /'
	fi
}

# refuses CHECK WORDS NAME: fails, and says WORDS (a fixed string)
refuses() {
	tests=$((tests + 1))
	if said=$("scripts/check-$1" "$tree" 2>&1); then
		echo "not ok $tests - $1: $3"
		echo "# it was accepted"
	elif ! echo "$said" | grep -qF -- "$2"; then
		echo "not ok $tests - $1: $3"
		echo "# no \"$2\" in:"
		echo "$said" | sed 's/^/# /'
	else
		echo "ok $tests - $1: $3"
	fi
}

finish() {
	echo "1..$tests"
}

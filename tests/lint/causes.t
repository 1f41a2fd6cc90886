#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh disable=SC2016
. tests/lint/tree.sh

# with_causes: a small tree that has the table of causes, and what is made of it
with_causes() {
	new_tree
	mkdir -p "$tree/src/analysis/cause" "$tree/web/src" "$tree/docs"
	cp src/analysis/cause/causes.h "$tree/src/analysis/cause/"
	cp web/src/causes.ts "$tree/web/src/"
	cp docs/rules.md "$tree/docs/"
}

with_causes
accepts causes "the tables as they are"

with_causes
sed -i 's/"disk", DISK, BUSY, 0x[0-9a-f]*/"disk", DISK, BUSY, 0x123456/' \
	"$tree/src/analysis/cause/causes.h"
refuses causes "web/src/causes.ts: not what src/analysis/cause/causes.h makes" \
	"another colour in C"

with_causes
sed -i '/^| `disk` |/d' "$tree/docs/rules.md"
refuses causes 'docs/rules.md: no line' "a cause that the documentation lacks"

with_causes
sed -i 's/^| `disk` |.*/&\n| `disc` | a typo |/' "$tree/docs/rules.md"
refuses causes 'docs/rules.md: the table of causes has' "a cause that there is not"

finish

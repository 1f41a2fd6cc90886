#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh disable=SC2016
. tests/lint/tree.sh

# says LINE: a small tree whose README has this line, and a page below docs/
says() {
	new_tree
	mkdir -p "$tree/docs/adr"
	echo '[Code](../src/proc/maps.c), [more](../README.md#part).' >"$tree/docs/page.md"
	echo 'It was in `src/gone.c`.' >"$tree/docs/adr/0001-old.md"
	echo "$1" >"$tree/README.md"
}

new_tree
accepts docs "a tree without texts"

says 'In `src/proc/maps.c`, `maps.c`, `src/proc/`, `scripts/x-NAME`, `src/*/y.c` and `make all`.'
accepts docs "what is there, or stands for several"

says 'In `src/proc/map.c`.'
refuses docs 'README.md:1: there is no src/proc/map.c' "a path that is gone"

says 'In `map.c`.'
refuses docs 'README.md:1: there is no map.c' "a name that is gone"

says 'In [page](docs/pages.md), [other](https://example.org/x.md).'
refuses docs 'README.md:1: there is no docs/pages.md' "a link to nothing"

says 'fine'
echo '[up](../LAYER)' >>"$tree/docs/page.md"
refuses docs 'docs/page.md:2: there is no ../LAYER' "a link from a page"

says 'It takes 25 µs, `--min 10us` and 3 usual steps.'
accepts docs "microseconds with their sign"

says 'It takes 25 us.'
refuses docs 'README.md:1: "5 us" is written "µs"' "microseconds in ASCII"

says 'fine'
echo '30 us' >>"$tree/docs/adr/0001-old.md"
refuses docs 'docs/adr/0001-old.md:2: "0 us" is written "µs"' "microseconds in a decision"

finish

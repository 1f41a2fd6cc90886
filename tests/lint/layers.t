#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh
. tests/lint/tree.sh

new_tree
accepts layers "a tree that follows the law"

new_tree
echo '#include "proc/maps.h"' >>"$tree/src/base/err.h"
refuses layers 'src/base/err.h:8: base may not include proc' "a lower layer includes a higher one"

new_tree
echo 'int x;' >"$tree/src/base/stray.h"
sed -i 's|base/err.h|err.h|' "$tree/src/proc/maps.c"
refuses layers 'is not of the form "layer/file.h"' "an include without its layer"

new_tree
sed -i 's|base/err.h|base/gone.h|' "$tree/src/proc/maps.c"
refuses layers 'there is no src/base/gone.h' "a header that is not there"

new_tree
echo 'int x;' >"$tree/src/base/err_priv.h"
sed -i 's|base/err.h|base/err_priv.h|' "$tree/src/proc/maps.c"
refuses layers 'is private to base' "a private header of another layer"

new_tree
echo '#include <elfutils/libdw.h>' >>"$tree/src/base/err.h"
refuses layers 'only proc may include <elfutils/libdw.h>' "a library header in the wrong layer"

new_tree
echo '#include <elfutils/libdw.h>' >>"$tree/src/proc/maps.c"
accepts layers "a library header in its layer"

new_tree
echo '#include <sqlite3.h>' >>"$tree/src/base/err.h"
refuses layers 'LAYERS gives to no layer' "a library that LAYERS does not know"

new_tree
echo '#include <stdio.h>' >"$tree/src/abi/x.h"
refuses layers 'abi is shared with BPF' "the C library in abi"

new_tree
echo '#include "base/err.h"' >>"$tree/bpf/lib/maps.bpf.h"
refuses layers 'bpf/ may include' "bpf includes the user side"

new_tree
echo '#include "vmlinux.h"' >>"$tree/bpf/lib/maps.bpf.h"
refuses layers 'bpf/ may include' "bpf includes a generated vmlinux.h"

new_tree
printf 'base: proc\nabi:\nproc: base\n' >"$tree/LAYERS"
refuses layers 'does not stand above it' "a cycle in the law"

new_tree
echo 'base:' >>"$tree/LAYERS"
refuses layers 'is named twice' "a layer that is named twice"

# A layer `proc` with the rooms: low, the layer itself, high.
new_tree_with_rooms() {
	new_tree
	sed -i 's/^proc: base$/&\nrooms proc: low . high/' "$tree/LAYERS"
	mkdir "$tree/src/proc/low" "$tree/src/proc/high"
	echo '#include "proc/low/pid.h"' >>"$tree/src/proc/maps.c"
	echo 'int pid;' >"$tree/src/proc/low/pid.h"
	echo '#include "proc/low/pid.h"' >"$tree/src/proc/high/tree.c"
}

new_tree_with_rooms
accepts layers "rooms that include those before them"

new_tree_with_rooms
echo 'int tree;' >"$tree/src/proc/high/tree.h"
echo '#include "proc/high/tree.h"' >>"$tree/src/proc/low/pid.h"
refuses layers 'proc/low may not include proc/high' "a room that includes one after it"

new_tree_with_rooms
echo 'int tree;' >"$tree/src/proc/high/tree.h"
echo '#include "proc/high/tree.h"' >>"$tree/src/proc/maps.c"
refuses layers 'proc/. may not include proc/high' "a layer's own file that includes a later room"

new_tree_with_rooms
mkdir "$tree/src/proc/other"
echo 'int x;' >"$tree/src/proc/other/x.c"
refuses layers 'not in a room that LAYERS lists' "a folder that is no room"

new_tree_with_rooms
cp "$tree/src/proc/maps.c" "$tree/src/proc/low/maps.c"
refuses layers 'a second file of this name' "two files of one name in a layer"

new_tree_with_rooms
echo 'rooms proc: low' >>"$tree/LAYERS"
refuses layers 'are listed twice' "rooms that are listed twice"

new_tree
echo 'rooms elf: low' >>"$tree/LAYERS"
refuses layers 'which is not a layer' "rooms of no layer"

new_tree
mkdir "$tree/src/other"
echo 'int x;' >"$tree/src/other/x.c"
refuses layers 'not in the folder of a layer' "a folder that is no layer"

new_tree
echo 'int x;' >"$tree/src/x.c"
refuses layers 'not in the folder of a layer' "a file outside the layers"

new_tree
rm "$tree/LAYERS"
refuses layers 'no file LAYERS' "no law at all"

finish

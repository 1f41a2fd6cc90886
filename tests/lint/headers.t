#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/lint/tree.sh
. tests/lint/tree.sh

new_tree
accepts headers "headers that compile alone"

new_tree
sed -i 's/int err(int code)/int err(size_t code)/' "$tree/src/base/err.h"
refuses headers 'src/base/err.h: does not compile alone' "a type without its include"

new_tree
sed -i 's/BASE_ERR_H/ERR_H/' "$tree/src/base/err.h"
refuses headers 'the guard is not BASE_ERR_H' "a guard of another name"

new_tree
sed -i '/#define BASE_ERR_H/d' "$tree/src/base/err.h"
refuses headers 'the guard is not BASE_ERR_H' "a guard that guards nothing"

new_tree
echo 'int after;' >>"$tree/src/base/err.h"
refuses headers 'the guard is not BASE_ERR_H' "code below the guard"

new_tree
sed -i 's/LIB_MAPS_BPF_H/MAPS_H/' "$tree/bpf/lib/maps.bpf.h"
refuses headers 'the guard is not LIB_MAPS_BPF_H' "a guard of another name in bpf"

finish

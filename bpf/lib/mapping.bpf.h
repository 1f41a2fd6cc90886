/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MAPPING_BPF_H
#define LIB_MAPPING_BPF_H

#include "lib/maps.bpf.h"

/*
 * The place in a file of memory that is mapped from it, or is cleared memory right behind what is
 * mapped from it, as static variables without a value are: counted on from there. *ret_key: the
 * file; ino 0: there is none. `walker`: which of maple_nodes to use. Global functions give no more
 * than numbers.
 */
u64 map_file_place(u64 mm, u64 addr, u32 walker, struct cs_module_key *ret_key);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MAPPING_BPF_H
#define LIB_MAPPING_BPF_H

#include "lib/maps.bpf.h"

/*
 * The location in a file of memory mapped from it, or of cleared memory right after it, such as
 * uninitialised static variables: offsets continue there. *ret_key: the file; ino 0: none.
 * `walker`: which of maple_nodes to use. Global functions can only return numbers.
 */
u64 map_file_place(u64 mm, u64 addr, u32 walker, struct cs_module_key *ret_key);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_LARGE_MAPS_H
#define CAPTURE_PROGRAM_LARGE_MAPS_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Creates the large tables on another CPU while libbpf works on the object, which gets small ones
 * in their place. For one thread.
 */
struct large_maps;
struct bpf_map;

/*
 * Before the object is loaded: from now on `maps` (a NULL-terminated array) claim to have one
 * entry, or one page.
 */
int large_maps__new(struct bpf_map *const *maps, struct large_maps **ret, struct err *err);
/*
 * After it, and before its programs are loaded: replaces the descriptors that libbpf knows with the
 * large tables. A negative errno, the kernel's if it refused one.
 */
int large_maps__take(struct large_maps *m);
/* Waits for tables still being created. NULL is fine. */
void large_maps__free(struct large_maps *m);

#endif

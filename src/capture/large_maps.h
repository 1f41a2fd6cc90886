/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LARGE_MAPS_H
#define CAPTURE_LARGE_MAPS_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Makes the large tables on another CPU while libbpf is at work on the object, which is given small
 * ones in their place. For one thread.
 */
struct large_maps;
struct bpf_map;

/*
 * Before the object is loaded: from now on `maps` (an array that ends with NULL) say of themselves
 * that they have one entry, or one page.
 */
int large_maps__new(struct bpf_map *const *maps, struct large_maps **ret, struct err *err);
/*
 * After it, and before its programs are: the descriptors that libbpf knows become those of the
 * large ones. A negative errno, of the kernel's when it refused one.
 */
int large_maps__take(struct large_maps *m);
/* Waits for what is still being made. NULL is fine. */
void large_maps__free(struct large_maps *m);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_H
#define CAPTURE_OBJECT_H

#include "base/types.h"

struct coldspot;

/*
 * Our BPF object, opened but not loaded; to be freed by coldspot__destroy(). Without `kfuncs` it is
 * the one for kernels that lack the kernel functions which the other uses: the same maps, globals
 * and programs, so that nobody else sees a difference. NULL and errno.
 */
struct coldspot *object_open(bool kfuncs);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_H
#define CAPTURE_OBJECT_H

#include "base/err.h"
#include "capture/btf_excerpt.h"

struct coldspot;

/*
 * Our BPF object, opened but not loaded; to be freed by coldspot__destroy(). It is relocated for
 * the kernel of which `btf` has the types; *ret_btf_fd is to be closed after the object is loaded.
 */
int object_open(const struct btf_excerpt *btf, struct coldspot **ret, int *ret_btf_fd,
		struct err *err);

#endif

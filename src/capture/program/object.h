/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_OBJECT_H
#define CAPTURE_PROGRAM_OBJECT_H

#include "base/err.h"
#include "capture/feature/btf_excerpt.h"

struct coldspot;

/*
 * Our BPF object, opened but not loaded; free it with coldspot__destroy(). It is relocated for the
 * kernel whose types are in `btf`; close *ret_btf_fd after the object is loaded.
 */
int object_open(const struct btf_excerpt *btf, struct coldspot **ret, int *ret_btf_fd,
		struct err *err);

#endif

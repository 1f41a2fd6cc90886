/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_GO_ENDS_H
#define UNWIND_GO_ENDS_H

#include "base/types.h"
#include "elf/image.h"
#include "unwind/known_code.h"

/* A Go program has a dozen such functions; a damaged one may claim any number. */
#define GO_ENDS_MAX 64

/*
 * Adds the functions of Go's runtime at which its stacks end: CFI_CFA_END, or CFI_CFA_UNSUPPORTED
 * if they have a caller that no rule finds. Works in stripped files too. *ret_is_go: it is a Go
 * program for x86-64 or arm64. The image is borrowed for the call only. -ENOMEM or 0.
 */
int go_ends__add(struct known_code *k, const struct image *img, bool *ret_is_go);

#endif

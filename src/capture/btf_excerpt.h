/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_BTF_EXCERPT_H
#define CAPTURE_BTF_EXCERPT_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "base/view.h"

/*
 * The few types that are wanted of a kernel's BTF, as a BTF of its own: types with a wanted name,
 * and all that lies inside them. What a pointer points to is left out (void), unless it is a
 * function's prototype; so are the types of a prototype's arguments, but not their number.
 *
 * Format: Documentation/bpf/btf.rst of the kernel; this machine's byte order, little endian.
 */
struct btf_excerpt {
	struct vec types; /* bytes */
	struct vec strings; /* bytes */
	struct vec ids; /* u32 each: the number of a type in the whole; of 0 it is 0 */
	u32 types_cnt; /* of the whole, with void */
};

/*
 * `whole` is only read meanwhile; the names are NULL-terminated lists, and may repeat each other.
 * -EINVAL: this is no BTF that we know, -ENOMEM. On failure there is nothing to be freed.
 */
int btf_excerpt__init(struct btf_excerpt *x, struct view whole, const char *const *const *names,
		      struct err *err);
void btf_excerpt__done(struct btf_excerpt *x);

/* As a file would have it; appended to *ret_bytes. -ENOMEM or 0. */
int btf_excerpt__write(const struct btf_excerpt *x, struct vec *ret_bytes);
/* The number in the whole, of what has this number here; 0 for 0 and what is not there. */
u32 btf_excerpt__id(const struct btf_excerpt *x, u32 id);

#endif

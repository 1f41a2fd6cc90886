/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_BTF_EXCERPT_H
#define CAPTURE_FEATURE_BTF_EXCERPT_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "base/view.h"

/* Variables of which every CPU has its own. */
enum btf_percpu {
	BTF_PERCPU_RUNQUEUES,
	BTF_PERCPU_PREEMPT_COUNT, /* x86-64 from 6.15 on, and before 6.2 */
	BTF_PERCPU_PCPU_HOT, /* in between */
	BTF_PERCPU_CNT,
};

/*
 * The few types that are needed from a kernel's BTF, as a BTF of its own: types with a wanted name,
 * and all types inside them. Targets of pointers are omitted (void), except function prototypes; so
 * are the types of a prototype's arguments, but not their number.
 *
 * Format: Documentation/bpf/btf.rst of the kernel; this machine's byte order, little endian.
 */
struct btf_excerpt {
	struct vec types; /* bytes */
	struct vec strings; /* bytes */
	struct vec ids; /* u32 each: the id of a type in the full BTF; 0 for 0 */
	u32 types_cnt; /* of the full BTF, including void */
	/* Where these variables are in the section of a CPU; -1: not there. */
	s64 percpu_offs[BTF_PERCPU_CNT];
};

/*
 * `whole` is only read during the call; the names are NULL-terminated lists, and may overlap.
 * -EINVAL: not a BTF that we know, -ENOMEM. On failure nothing needs to be freed.
 */
int btf_excerpt__init(struct btf_excerpt *x, struct view whole, const char *const *const *names,
		      struct err *err);
void btf_excerpt__done(struct btf_excerpt *x);

/* In file format; appended to *ret_bytes. -ENOMEM or 0. */
int btf_excerpt__write(const struct btf_excerpt *x, struct vec *ret_bytes);
/* The id in the full BTF of the excerpt's type `id`; 0 for 0 and unknown ids. */
u32 btf_excerpt__id(const struct btf_excerpt *x, u32 id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_DEEP_H
#define BENCH_DEEP_H

#include <linux/bpf.h>

#include "abi/stack.h"
#include "base/types.h"

/*
 * A call chain of known return addresses, at whose lower end BPF programs run by a bare system
 * call, so that nothing lies between the program and the frames. deep.c is built twice, with frame
 * pointers and without. The functions compare nothing: they have the type that lfind() wants, so
 * that they can be called through the C library. `key` is a pointer to a pointer to struct deep.
 */
typedef int deep_fn(const void *key, const void *elem);

deep_fn deep_framed;
deep_fn deep_bare;

struct deep {
	deep_fn *step; /* deep_framed or deep_bare; a call by pointer stays a call */
	bool through_libc; /* every second frame is lfind()'s */
	u32 levels; /* calls of `step` */
	/* At the lower end: takes `result`, makes the next `attr`; false when it is enough. */
	bool (*turn)(struct deep *d);
	union bpf_attr attr; /* of BPF_PROG_TEST_RUN */
	long result; /* what the system call returned */
	u32 at; /* levels entered */
	u64 ra[CS_STACK_MAX]; /* return address of each level, the outermost first */
};

#endif

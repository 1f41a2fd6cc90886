/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_KERNEL_MEMORY_H
#define CAPTURE_KERNEL_MEMORY_H

#include "base/err.h"
#include "base/types.h"
#include "capture/options.h"

struct coldspot;

struct kernel_memory_wish {
	const struct capture_options *opt;
	u32 stack_sz; /* bytes of the longest stack */
	bool early; /* tables have to have their memory at load */
	bool tell_maps; /* user space tells the mappings of processes */
};

/* What unwind tables may take: as it was asked for, or a part of --max-memory. */
u64 kernel_memory_for_tables(const struct capture_options *opt);

/*
 * Sizes all tables of the object, before load, so that full ones stay below the limit of
 * `wish->opt`, or else the default for its target. -ENOSPC: see sizes__divide().
 */
int kernel_memory_divide(struct coldspot *skel, const struct kernel_memory_wish *wish,
			 struct err *err);

/*
 * What the tables take now, and the state of threads took when they were the most; unwind tables,
 * which are not in the object, not included.
 */
u64 kernel_memory_used(const struct coldspot *skel);

#endif

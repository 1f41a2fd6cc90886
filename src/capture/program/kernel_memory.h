/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_KERNEL_MEMORY_H
#define CAPTURE_PROGRAM_KERNEL_MEMORY_H

#include "base/err.h"
#include "base/types.h"
#include "capture/program/options.h"

struct coldspot;

struct kernel_memory_wish {
	const struct capture_options *opt;
	u32 stack_sz; /* bytes of the longest stack */
	bool early; /* tables must be allocated at load */
	bool tell_maps; /* user space provides the mappings of processes */
};

/* Memory limit of unwind tables: as requested, or a part of --max-memory. */
u64 kernel_memory_for_tables(const struct capture_options *opt);

/*
 * Sizes all tables of the object, before load, so that full ones stay below the limit of
 * `wish->opt`, or else the default for its target. -ENOSPC: see sizes__divide().
 */
int kernel_memory_divide(struct coldspot *skel, const struct kernel_memory_wish *wish,
			 struct err *err);

/*
 * Memory that the tables use now, plus the maximum that the state of threads used; without unwind
 * tables, which are not in the object.
 */
u64 kernel_memory_used(const struct coldspot *skel);

#endif

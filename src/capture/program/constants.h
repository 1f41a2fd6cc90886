/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_CONSTANTS_H
#define CAPTURE_PROGRAM_CONSTANTS_H

#include "base/err.h"
#include "base/types.h"
#include "capture/feature/features.h"
#include "capture/program/options.h"

/* Inode number of the initial PID namespace: PROC_PID_INIT_INO, include/linux/proc_ns.h. */
#define INITIAL_PIDNS_INUM 0xEFFFFFFCu

struct coldspot;

/*
 * Sets the constants of a trace, before load: what was requested, and what this kernel can do.
 * `split`: enum cs_split, `resume`: enum cs_resume. -EINVAL, -ENOENT or a file system error.
 */
int constants_fill(struct coldspot *skel, const struct capture_options *opt,
		   const struct features *f, u32 split, u32 resume, struct err *err);
/* Bytes of a stack in the table, which has room for the deeper of the two sides. */
u32 constants_stack_sz(const struct capture_options *opt);

#endif

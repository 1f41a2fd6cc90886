/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ROOTS_H
#define PROC_ROOTS_H

#include "base/types.h"
#include "base/vec.h"

/*
 * The root directories, other than our own, of the traced processes: of containers and chroots.
 * They are kept open by O_PATH from when they are first seen, so that debug files in them can be
 * reached after the processes exit. At most 64. Not thread-safe.
 */
struct roots {
	struct vec list; /* struct root */
};

void roots__init(struct roots *r);
/* NULL is fine. */
void roots__done(struct roots *r);
/* No error if the process has exited or access is denied. -ENOMEM or 0. */
int roots__see(struct roots *r, u32 tgid);
/* Passes each descriptor to `give`, which takes ownership, until `give` returns nonzero. */
int roots__give(struct roots *r, int (*give)(void *arg, int fd), void *arg);

#endif

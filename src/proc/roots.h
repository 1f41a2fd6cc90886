/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ROOTS_H
#define PROC_ROOTS_H

#include "base/types.h"
#include "base/vec.h"

/*
 * The root directories of the processes of a trace that are not our own: of containers and chroots.
 * Kept open by O_PATH from when they were first seen, so that debug files in them can be reached
 * when the processes are gone. At most 64. Not thread-safe.
 */
struct roots {
	struct vec list; /* struct root */
};

void roots__init(struct roots *r);
/* NULL is fine. */
void roots__done(struct roots *r);
/* A process that is gone, or may not be looked at, is no error. -ENOMEM or 0. */
int roots__see(struct roots *r, u32 tgid);
/* Gives every descriptor to `give`, which takes it, until that does not return 0. */
int roots__give(struct roots *r, int (*give)(void *arg, int fd), void *arg);

#endif

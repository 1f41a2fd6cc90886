/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_FAMILY_H
#define PROC_FAMILY_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Which processes exist, and which of them descend from others, by their parents in /proc. A
 * process whose parent has exited belongs to init or a subreaper, and to no family any more.
 * Processes come and go while /proc is read: one that is born meanwhile may be missing.
 */

/* Appends the PID of each process in our PID namespace (u32). -ENOMEM, or an error of opendir(). */
int processes_list(struct vec *ret_pids, struct err *err);
/*
 * Appends the PIDs of all descendants of the `len` processes, except those that are among them.
 * Errors as above.
 */
int family_find(const u32 *pids, size_t len, struct vec *ret_pids, struct err *err);

#endif

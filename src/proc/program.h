/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_PROGRAM_H
#define PROC_PROGRAM_H

#include "base/types.h"

/*
 * What a process runs. Both give "" for a kernel thread, a zombie, a process that has exited, and
 * one that we may not look at. A text that does not fit is cut.
 */

/* The name of its file, without directories, also if the file was deleted since. */
void program_file(u32 pid, char *buf, size_t sz);
/* Its argv[0], with directories; the process may have changed it. */
void program_arg0(u32 pid, char *buf, size_t sz);

#endif

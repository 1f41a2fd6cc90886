/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_SYSCALL_NAME_H
#define ANALYSIS_CAUSE_SYSCALL_NAME_H

#include "base/types.h"

/*
 * Names of the system calls of the architecture for which coldspot was built, from that machine's
 * <asm/unistd.h>. `arch` is as `uname -m` prints it; NULL or "" is that of the build.
 */

/* "futex"; NULL for an unknown number, for -1, and for another architecture. */
const char *syscall_name(const char *arch, s32 sysno);
/* The number, or -1. */
s32 syscall_number(const char *name);
/* The architecture of the table: "x86_64", "aarch64". */
const char *syscall_arch(void);

#endif

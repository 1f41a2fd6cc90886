/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_PROCESS_H
#define CLI_DOCTOR_PROCESS_H

#include "base/err.h"
#include "base/sink.h"

/*
 * What the stacks of one process will look like, and what would improve them: unwind tables and
 * symbols of its files, and the names of code that it makes at run time. -ESRCH when there is no
 * such process; that we may not look at it is no error but part of what is printed.
 */
int doctor_process(u32 pid, struct sink *out, struct err *err);

#endif

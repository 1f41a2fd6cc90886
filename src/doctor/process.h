/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_PROCESS_H
#define DOCTOR_PROCESS_H

#include "base/err.h"
#include "base/sink.h"

/*
 * What the stacks of one process will look like, and what would improve them: unwind tables and
 * symbols of its files, and names of JIT-compiled code. -ESRCH if there is no such process. Missing
 * permission to inspect it is no error, but part of the output.
 */
int doctor_process(u32 pid, struct sink *out, struct err *err);

#endif

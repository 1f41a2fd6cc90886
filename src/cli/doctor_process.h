/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_PROCESS_H
#define CLI_DOCTOR_PROCESS_H

#include "base/err.h"
#include "base/sink.h"

/*
 * What can be known of one process: whether its mappings may be read, and for each file with code
 * the build ID and where its symbols are. -ESRCH when there is no such process; that we may not
 * look at it is no error but part of what is printed.
 */
int doctor_process(u32 pid, struct sink *out, struct err *err);

#endif

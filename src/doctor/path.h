/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_PATH_H
#define DOCTOR_PATH_H

#include "base/err.h"
#include "base/sink.h"

/*
 * What stacks through the code of one file will look like, and what would give its functions names:
 * the packages of the dpkg of this machine, or debuginfod. The file need not be in use. If it
 * cannot be read, that is the error: the user named it.
 */
int doctor_path(const char *path, struct sink *out, struct err *err);

#endif

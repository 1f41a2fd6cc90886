/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_PYTHON_MODULE_H
#define CAPTURE_RUNTIME_PYTHON_MODULE_H

#include "abi/python.h"
#include "base/err.h"

/* The CPython versions whose frames we can read, for messages about others. */
#define PYTHON_MODULE_VERSIONS "3.8 to 3.13"

/*
 * Determines whether a file is a CPython (libpython3.x.so, or a python3.x or other program that
 * contains one), and if so, what is needed to read its frames. Borrows `fd`. `path` is for
 * messages.
 *
 * 0; -ENOENT: it is not; -ENOTSUP with a message for the user: it is, but its frames cannot be read
 * (another version, another layout); -ENOMEM; other errors with a message if the file cannot be
 * read.
 */
int python_module__read(int fd, const char *path, struct cs_python *ret, struct err *err);

#endif

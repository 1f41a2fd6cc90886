/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_PYTHON_MODULE_H
#define UNWIND_PYTHON_MODULE_H

#include "abi/python.h"
#include "base/err.h"

/* The versions of CPython whose frames are known, for what is said of others. */
#define PYTHON_MODULE_VERSIONS "3.8 to 3.13"

/*
 * Is a file a CPython (libpython3.x.so, or a python3.x or another program that holds one), and if
 * so, what must be known of it to read its frames? Borrows `fd`. `path` is for messages.
 *
 * 0; -ENOENT: it is none; -ENOTSUP with a sentence to show to people: it is one whose frames cannot
 * be read (another version, another layout); -ENOMEM; others with a sentence for a file that cannot
 * be read.
 */
int python_module__read(int fd, const char *path, struct cs_python *ret, struct err *err);

#endif

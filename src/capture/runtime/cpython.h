/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_CPYTHON_H
#define CAPTURE_RUNTIME_CPYTHON_H

#include "capture/runtime/runtime.h"

/* CPython, in its own program, its library, or built into another program. Known by its file. */
extern const struct runtime runtime_cpython;

#endif

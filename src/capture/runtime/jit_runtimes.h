/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_JIT_RUNTIMES_H
#define CAPTURE_RUNTIME_JIT_RUNTIMES_H

#include "capture/runtime/runtime.h"

/* Runtimes whose code is walked like native code and named by what they write for profilers. */
extern const struct runtime runtime_openj9, runtime_node, runtime_dotnet, runtime_php, runtime_ruby;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include "base/types.h"

/* Room for the readable form of a name; longer ones are cut and end in "...". */
#define DEMANGLE_SZ 4096

/*
 * The readable form of a C++ or Rust (legacy or v0) symbol: without parameters, return types, hash
 * and compiler suffixes. False for other names, and for those that cannot be demangled; then `buf`
 * is undefined. `sz` must be at least 8.
 */
bool demangle_name(const char *name, char *buf, size_t sz);

#endif

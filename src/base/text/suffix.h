/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_SUFFIX_H
#define BASE_TEXT_SUFFIX_H

#include "base/types.h"

/*
 * A name without what compilers append to separate functions that have the same name for people:
 * Rust's hash ("::h0123456789abcdef", also when mangled) and the marks of copies and parts
 * (".constprop.0", ".isra.0", ".part.0", ".cold", ".llvm.123", ".lto_priv.0", " [clone .x]").
 * Returns `name` itself, or a copy in `buf`, which may overlap `name`. If `sz` is too small, the
 * name is unchanged.
 */
const char *suffix_strip(const char *name, char *buf, size_t sz);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SUFFIX_H
#define BASE_SUFFIX_H

#include "base/types.h"

/*
 * A name without what compilers append to tell apart what a person calls the same: the hash of Rust
 * ("::h0123456789abcdef", also when mangled) and the marks of copies and parts (".constprop.0",
 * ".isra.0", ".part.0", ".cold", ".llvm.123", ".lto_priv.0", " [clone .x]"). `name` itself, or a
 * copy in `buf`, which may be where `name` lies; where `sz` is too small the name is left alone.
 */
const char *suffix_strip(const char *name, char *buf, size_t sz);

#endif

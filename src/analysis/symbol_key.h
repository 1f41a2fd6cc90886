/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SYMBOL_KEY_H
#define ANALYSIS_SYMBOL_KEY_H

#include "profile/profile.h"

/* What a frame is called in any build of a program: no addresses, no marks of a compiler. */

#define SYMBOL_KEY_SZ 1024

/*
 * The name without what base/suffix.h takes off; "[libfoo.so]" for a frame without a name, whose
 * offset would be another in the next build, and "[unknown]". A long name is cut off.
 */
void symbol_key_name(const struct profile *p, u32 frame, char *buf, size_t sz);
/* The last part of the path of its file, without a version: "libssl.so"; "kernel", "vdso", "". */
void symbol_key_module(const struct profile *p, u32 frame, char *buf, size_t sz);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_SYMBOL_KEY_H
#define ANALYSIS_DIFF_SYMBOL_KEY_H

#include "profile/profile.h"

/* The name of a frame in any build of a program: no addresses, no compiler suffixes. */

#define SYMBOL_KEY_SZ 1024

/*
 * The name without the suffixes in base/text/suffix.h; "[libfoo.so]" for an unnamed frame, whose
 * offset would differ in the next build, and "[unknown]". A long name is cut.
 */
void symbol_key_name(const struct profile *p, u32 frame, char *buf, size_t sz);
/* The last part of the path of its file, without a version: "libssl.so"; "kernel", "vdso", "". */
void symbol_key_module(const struct profile *p, u32 frame, char *buf, size_t sz);

#endif

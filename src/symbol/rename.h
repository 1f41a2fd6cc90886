/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RENAME_H
#define SYMBOL_RENAME_H

#include "symbol/resolver.h"

/*
 * Resolves the unnamed frames of a profile that was recorded elsewhere, or long ago: frames in
 * files, by build ID alone. For each file, looks for its debug file below opt->debug_dir
 * (.build-id/ab/cdef.debug), then for the file under its old path, then at opt->debuginfod;
 * whatever is found must have that build ID. Keeps existing names, and the reasons of frames that
 * stay unresolved. Does not look for lines and inlined functions. *ret_named is the number of
 * frames that got a name. -ENOMEM or 0.
 */
int rename_profile(struct profile *p, const struct resolver_options *opt, u32 *ret_named,
		   struct err *err);

#endif

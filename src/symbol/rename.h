/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RENAME_H
#define SYMBOL_RENAME_H

#include "symbol/resolver.h"

/*
 * Names frames without a name of a profile that was recorded elsewhere, or long ago: of files by
 * their build ID alone. For each, its debug file is looked for below opt->debug_dir
 * (.build-id/ab/cdef.debug), then the file under its old path, then at opt->debuginfod; whatever is
 * found must have that build ID. Names that are there stay, and so does the reason where none is
 * found. Lines and inlined functions are not looked for. *ret_named is how many frames got a name.
 * -ENOMEM or 0.
 */
int rename_profile(struct profile *p, const struct resolver_options *opt, u32 *ret_named,
		   struct err *err);

#endif

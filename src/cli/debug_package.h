/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DEBUG_PACKAGE_H
#define CLI_DEBUG_PACKAGE_H

#include "base/types.h"

#define DEBUG_PACKAGE_SZ 128

/* A file of a process, and the Debian package that brings its symbols. */
struct debug_package {
	const char *path; /* as the process sees it; borrowed */
	char name[DEBUG_PACKAGE_SZ]; /* "libc6-dbg"; "" when dpkg does not know the file */
};

/*
 * Looks `len` files up in the lists of the dpkg that is installed in the root of the process, all
 * at once. Where there is no dpkg nothing is found. Reads some 20 MiB.
 */
void debug_package_find(u32 tgid, struct debug_package *packages, size_t len);

#endif

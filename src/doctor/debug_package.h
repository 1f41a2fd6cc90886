/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_DEBUG_PACKAGE_H
#define DOCTOR_DEBUG_PACKAGE_H

#include "base/types.h"

#define DEBUG_PACKAGE_SZ 128
/* What to know before installing one. */
#define DEBUG_PACKAGE_NOTE                                                                         \
	"(packages -dbgsym come from the archive debian-debug; or record with --debuginfod)"

/* A file of a process, and the Debian package with its symbols. */
struct debug_package {
	const char *path; /* as the process sees it; borrowed */
	char name[DEBUG_PACKAGE_SZ]; /* "libc6-dbg"; "" if dpkg does not know the file */
};

/*
 * Looks up `len` files at once in the package lists of the dpkg in the root of the process. Finds
 * nothing if there is no dpkg. Reads some 20 MiB.
 */
void debug_package_find(u32 tgid, struct debug_package *packages, size_t len);

/*
 * The package with the symbols of a file on this machine; false if the file does not have this
 * build ID, or dpkg does not know it. The path in a recording may be one of another machine or of a
 * container, and lead to another file here.
 */
bool debug_package_of_build(const char *path, const char *build_id, struct debug_package *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include "base/err.h"
#include "base/types.h"

/* Time limit for all queries of one object together. */
#define DEBUGINFOD_LIMIT_NS (60 * NSEC_PER_SEC)

/*
 * Fetches separate debug files from debuginfod servers by build ID. This discloses the build IDs of
 * what runs here to the servers, so such an object is created only on request. The client library
 * is loaded at the first query; if it is missing, no file is found. The library caches downloads
 * below ~/.cache. Not thread-safe.
 */
struct debuginfod;

/*
 * `urls` as in DEBUGINFOD_URLS, separated by spaces. Sets that variable in this process, because
 * the library has no other interface. After `limit_ns` of waiting, no server is queried again.
 * -ENOMEM or 0.
 */
int debuginfod__new(const char *urls, u64 limit_ns, struct debuginfod **ret, struct err *err);
/* NULL is fine. */
void debuginfod__free(struct debuginfod *d);

/*
 * The debug file of a program with this build ID in lower-case hex, open for reading. The caller
 * closes it, and checks that it is the right one. -ENOENT if no server has it or can be reached:
 * that result is final for this ID. -ENOMEM.
 */
int debuginfod__find(struct debuginfod *d, const char *build_id, int *ret_fd);

/*
 * A sentence for the user if queries failed: the server refused, was unreachable or too slow, or
 * the client library is missing. NULL if none failed, and for a `d` of NULL. Lives as long as `d`.
 */
const char *debuginfod__trouble(const struct debuginfod *d);

#endif

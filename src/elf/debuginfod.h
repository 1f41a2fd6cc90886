/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DEBUGINFOD_H
#define ELF_DEBUGINFOD_H

#include "base/err.h"
#include "base/types.h"

/* All questions of one object together may take this long, however many servers are slow. */
#define DEBUGINFOD_LIMIT_NS (60 * NSEC_PER_SEC)

/*
 * Asks debuginfod servers for separate debug files by build ID. The build IDs of what runs here go
 * out to whoever has the servers, so such an object is made only when somebody asked for it. The
 * client library is loaded at the first question; where it is missing, there are no answers. It
 * keeps what it fetched below ~/.cache. Not thread-safe.
 */
struct debuginfod;

/*
 * `urls` as in DEBUGINFOD_URLS, separated by spaces; that variable of this process is set to them,
 * because the library knows no other way. After `limit_ns` of waiting no server is asked again.
 * -ENOMEM or 0.
 */
int debuginfod__new(const char *urls, u64 limit_ns, struct debuginfod **ret, struct err *err);
/* NULL is fine. */
void debuginfod__free(struct debuginfod *d);

/*
 * The debug file of a program with this build ID in lower-case hex, open for reading; the caller
 * closes it, and checks that it is what it should be. -ENOENT when there is none or nobody to ask:
 * then there never is for that ID. -ENOMEM.
 */
int debuginfod__find(struct debuginfod *d, const char *build_id, int *ret_fd);

/*
 * One sentence for a person when questions were given up: the server refused, was not there or too
 * slow, or the client library is missing. NULL: nothing of that kind, also for a `d` of NULL. Lives
 * as long as `d`.
 */
const char *debuginfod__trouble(const struct debuginfod *d);

#endif

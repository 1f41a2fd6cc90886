/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_CHECK_H
#define RECORDING_CHECK_H

#include "base/err.h"
#include "base/types.h"

/* Called for each fault: a sentence without a full stop that does not name the file. */
typedef void recording_fault_fn(void *ctx, const char *sentence);

/* What was checked. */
struct recording_checked {
	size_t windows;
	u64 threads; /* of all windows */
	u64 waits;
	u64 stacks;
	u64 faults;
};

/*
 * Verifies a file: every checksum, including those of tables and views; the trees of SQLite; the
 * invariants of each profile; and whether the query tables match the profiles. 0 if it could be
 * checked, with the number of faults in *ret. Otherwise as recording__open().
 */
int recording_check(const char *path, recording_fault_fn *fault, void *ctx,
		    struct recording_checked *ret, struct err *err);

#endif

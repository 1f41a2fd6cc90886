/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_CHECK_H
#define RECORDING_CHECK_H

#include "base/err.h"
#include "base/types.h"

/* Told of each fault: a sentence without a full stop, that does not name the file. */
typedef void recording_fault_fn(void *ctx, const char *sentence);

/* What was found to be sound, or not. */
struct recording_checked {
	size_t windows;
	u64 threads; /* of all windows */
	u64 waits;
	u64 stacks;
	u64 faults;
};

/*
 * Is the file what its writer wrote? Every checksum, that of tables and views included; the trees
 * of SQLite; the invariants of each profile; and whether the tables for people say what the
 * profiles do. 0 when it could be checked, with as many faults as *ret says. Else as
 * recording__open().
 */
int recording_check(const char *path, recording_fault_fn *fault, void *ctx,
		    struct recording_checked *ret, struct err *err);

#endif

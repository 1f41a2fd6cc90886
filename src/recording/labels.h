/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_LABELS_H
#define RECORDING_LABELS_H

#include "base/types.h"

/* What the caller of a recorder says of waits. */

/* A row of the table `causes`: the waits of one cause. The caller knows causes and fills it in. */
struct recording_cause {
	const char *name; /* stable, distinct within a window */
	u64 waits;
	u64 blocked_ns;
	u64 runq_ns;
	u64 max_ns; /* the longest wait */
};

/* The labels of a wait in the table `waits`: the cause is one of those rows. */
struct recording_label {
	const char *cause;
	const char *class; /* whether the wait mattered; stable */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_POSTPONED_H
#define CAPTURE_POSTPONED_H

#include "abi/postponed.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/mapping/mapped.h"
#include "capture/program/programs.h"
#include "capture/program/stacks.h"

/*
 * Walks of user stacks that met a file before its unwind table was there. Their records hold the
 * registers, the end of the stack, and the mappings that its words lead to. When a window is
 * closed, the tables are there, and the walks are repeated: docs/adr/0040. Not thread-safe.
 */
struct postponed {
	struct vec walks; /* struct postponed_entry */
	u64 bytes; /* of all that is kept */
};

/* What does not fit is not repeated, and its stack stays truncated. */
#define POSTPONED_BYTES (16ULL << 20)

void postponed__init(struct postponed *p);
/* NULL is fine. */
void postponed__done(struct postponed *p);
/* A record. One that has no room is dropped. -ENOMEM or 0. */
int postponed__take(struct postponed *p, const struct cs_postponed *rec);
/*
 * Repeats the walks whose stacks are in `stacks`, and replaces those that have more frames now. The
 * tables of the files in `m` must be built. Forgets the walks that no later window can need.
 * -ENOMEM or 0.
 */
int postponed__walk(struct postponed *p, struct stacks *stacks, const struct mapped *m,
		    const struct programs *programs);

#endif

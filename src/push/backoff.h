/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_BACKOFF_H
#define PUSH_BACKOFF_H

#include "base/types.h"

/* When to try again: later after each failure, at instants that differ between hosts. */
struct backoff {
	u32 failures; /* in a row */
	u64 next_ns; /* CLOCK_MONOTONIC; 0: at once */
};

/* `retry_after_s`: what the server asked for, 0: nothing; `random`: any number. */
void backoff__failed(struct backoff *b, u64 now_ns, u32 retry_after_s, u64 random);
void backoff__worked(struct backoff *b);

#endif

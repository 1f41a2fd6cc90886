/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_ROW_LOSSES_H
#define CAPTURE_ROW_LOSSES_H

#include "abi/wait.h"
#include "profile/builder.h"

/*
 * What listed waits lack, as recorded in their keys. Each is counted once for each thing it lacks,
 * with all of its events and time. Unlisted waits are a separate loss, and not included.
 */
struct row_losses {
	struct profile_loss stacks_full;
	struct profile_loss stack_unread;
	struct profile_loss objects_full;
	struct profile_loss owner_unknown;
	struct profile_loss owner_several;
	u64 samples_bare; /* samples on a CPU: stacks_full */
};

/*
 * A row of the programs' table that is in the profile, or will be. `kernel_stacks`: they were
 * requested. `bare`: one of its stacks is missing in our own memory.
 */
void row_losses__wait(struct row_losses *l, const struct cs_wait_key *k,
		      const struct cs_wait_sum *v, bool kernel_stacks, bool bare);
void row_losses__samples(struct row_losses *l, const struct cs_wait_key *k, u64 samples, bool bare);
/* A listed wait whose object did not fit into the table. */
void row_losses__object(struct row_losses *l, const struct cs_wait_sum *v);
/* Errors are sticky. */
void row_losses__give(const struct row_losses *l, struct builder *b);

#endif

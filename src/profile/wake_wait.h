/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WAKE_WAIT_H
#define PROFILE_WAKE_WAIT_H

#include "profile/profile.h"

/* The first nine members of a wake are the key of its wait, without the padding behind it. */
struct profile_wait wake_wait_key(const struct profile_wake *wake);

/*
 * The id of the wait of each wake, by the id of the wake; 0: there is no such wait. The caller
 * frees *ret_waits with mem_free(). The ids also hold in a view of the profile (analysis/view): it
 * keeps the ids of both, though waits may have equal keys there. -ENOMEM or 0.
 */
int wake_waits(const struct profile *p, u32 **ret_waits);
/* Whether the waker's own wait is listed: its did_ members say which. */
bool wake_has_own_wait(const struct profile_wake *wake);

#endif

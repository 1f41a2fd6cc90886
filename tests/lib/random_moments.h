/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_RANDOM_MOMENTS_H
#define TESTS_LIB_RANDOM_MOMENTS_H

#include "profile/profile.h"

/*
 * A profile of 1 to 8 threads with TIDs from 1 on, a window of 1,000 ns, and waits at random
 * instants that random threads, an interrupt, a thread without a record or nobody ended. The same
 * for the same seed. Free with profile__free().
 */
struct profile *random_moments(u64 seed, u32 threads);

#endif

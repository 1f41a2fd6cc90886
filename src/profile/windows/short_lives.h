/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_SHORT_LIVES_H
#define PROFILE_WINDOWS_SHORT_LIVES_H

#include "profile/profile.h"

/*
 * The threads of a profile that began and ended inside its window, with all of their records, and
 * for which no other thread is known to have waited.
 */
struct short_lives {
	u8 *is; /* by id of the task */
};

/* -ENOMEM or 0. Release with short_lives__done() in either case. */
int short_lives__find(struct short_lives *e, const struct profile *p);
void short_lives__done(struct short_lives *e);
bool short_lives__has(const struct short_lives *e, u32 task);

#endif

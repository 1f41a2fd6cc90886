/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_PUSHER_PRIV_H
#define PUSH_PUSHER_PRIV_H

#include "push/pusher.h"
#include "store/store.h"

/* What windows and days have in common. */

void pusher__say(const struct pusher *p, enum push_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* It was not taken, and is tried again. */
void pusher__note_later(struct pusher *p, u64 now_ns, u32 after_s, const char *why);
/* All up to this one are done with. An error of the cursor. */
int pusher__note_done(struct pusher *p, const struct push_place *place, struct err *err);

/*
 * Begins anew if the cursor is of another store that was at the same path: the window at which it
 * stands is another one, or is missing. PUSHER_WENT_ON if so, else 0; or an error of the store or
 * cursor.
 */
int pusher__check_store(struct pusher *p, struct store *s, struct err *err);

/* The parts of pusher__begin() and pusher__step() of targets for days. */
int pusher__begin_days(struct pusher *p, struct store *s, u64 since_wall_ns, struct err *err);
int pusher__step_day(struct pusher *p, struct store *s, u64 now_mono_ns, struct err *err);

#endif

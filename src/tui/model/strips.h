/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_STRIPS_H
#define TUI_MODEL_STRIPS_H

#include "analysis/cause/cause_memo.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/map64.h"
#include "profile/profile.h"

#define STRIP_LEN 60

/* What a thread did for most of a window: enum cause + 1, or one of these. */
enum strip_state {
	STRIP_NOTHING = 0, /* it did not exist, or nothing is known */
	STRIP_IDLE = 255, /* it waited for work */
};

/* A thread that was there in the last window. */
struct strip {
	u64 start_ns; /* with `tid`, the thread */
	u32 tid;
	u32 pad;
	u8 states[STRIP_LEN]; /* the newest last */
	u32 open; /* its wait at the end of the window, by id; 0: it was running */
	u64 since_ns; /* how long that wait was by then */
	bool longer; /* or longer: it began before the first window */
	bool exited;
};

struct strips {
	struct intern threads; /* struct strip */
	struct map64 by_tid;
	u8 *causes; /* of the waits of the last window, by id */
};

/*
 * What the window `p` adds to what was known before, which may be NULL. The caller frees it.
 * -ENOMEM or 0. `memo` is that of `p`.
 */
int strips__next(const struct strips *before, const struct profile *p, struct cause_memo *memo,
		 struct strips **ret, struct err *err);
void strips__free(struct strips *s);
/* NULL: there is none. */
const struct strip *strips__of(const struct strips *s, u32 tid);

#endif

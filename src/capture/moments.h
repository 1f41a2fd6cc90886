/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MOMENTS_H
#define CAPTURE_MOMENTS_H

#include "abi/moment.h"
#include "abi/wait.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/request/request_heads.h"
#include "capture/wakers.h"
#include "profile/builder.h"

/*
 * When the waits of one window happened, on the way from the ring to a builder: moments refer to
 * waits by the hash of their keys, and those have ids only when the table of waits is read.
 * Bounded by a number, and by our memory limit: what is left out is counted. Not thread-safe.
 */
struct moments {
	struct vec list; /* struct cs_moment */
	struct vec marks; /* struct cs_mark; bounded likewise */
	struct vec heads; /* struct request_head: cs_mark.head is 1 + an index */
	u64 most; /* 0: none are kept */
	u64 lost;
	u64 lost_ns;
	u64 marks_lost;
	u64 heads_cut;
};

void moments__init(struct moments *ms, u64 most);
/* All zero is fine. */
void moments__done(struct moments *ms);
/* Keeps one, or counts it as lost. */
void moments__take(struct moments *ms, const struct cs_moment *m);
/* Counts one as lost. */
void moments__lose(struct moments *ms, const struct cs_moment *m);

/* The same for the begin or end of a request; `head` may be NULL: it is not known. */
void moments__take_mark(struct moments *ms, const struct cs_mark *m,
			const struct request_head *head);
/* Where marks go. */
struct mark_window {
	u64 begin_ns; /* those before are left out */
	u64 end_ns;
	struct moments *next; /* of the next window: it gets those from end_ns on */
	const struct map64 *tasks; /* the builder's ids, in the lower half, by number of a record */
	/* fills in the class, whether it begins anew, and the trace; `head` may be NULL */
	int (*class_of)(void *arg, u32 probe, const struct request_head *head,
			struct profile_mark *to);
	void *arg;
};
/* The marks of a window to the builder. -ENOMEM or 0. */
int moments__give_marks(const struct moments *ms, const struct mark_window *w, struct builder *b);

/* While the tables of a window are read. */
struct moment_drain {
	struct map64 waits; /* the builder's ids by the hash of a key */
	struct vec open; /* struct profile_moment: of waits that are open at the end */
};

void moment_drain__init(struct moment_drain *d);
void moment_drain__done(struct moment_drain *d);
/* A listed wait, and its id in the builder. -ENOMEM or 0. */
int moment_drain__see(struct moment_drain *d, const struct cs_wait_key *key,
		      const struct profile_wait *w, u32 id);
/*
 * All of a window [begin_ns, begin_ns + window_ns) to the builder, with what was lost. `wakers` may
 * be NULL. -ENOMEM or 0.
 */
int moment_drain__give(struct moment_drain *d, const struct moments *ms, u64 begin_ns,
		       u64 window_ns, struct wakers *wakers, struct builder *b);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_BLAME_H
#define ANALYSIS_MODEL_BLAME_H

#include "analysis/cause/cause_memo.h"
#include "analysis/model/top.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

/* What let a wait last. Those before BLAME_WOKEN are what the thread that ended the wait did. */
enum blame_kind {
	BLAME_RUNNING,
	BLAME_RUNQ, /* that thread waited for a CPU */
	BLAME_BLOCKED, /* it was blocked itself */
	BLAME_UNBORN, /* it did not exist yet */
	BLAME_INTERRUPT, /* an interrupt ended the wait: no thread is to blame */
	BLAME_UNKNOWN, /* what the waker did is not known */
	BLAME_WOKEN, /* the sleeper waited for a CPU after the wakeup */
	/* Nobody woke it. */
	BLAME_PREEMPTED, /* runnable all the time */
	BLAME_NEW, /* a new thread that waited for a CPU */
	BLAME_OPEN, /* still waiting at the end */
	BLAME_UNSEEN, /* who woke it is not known */
	BLAME_KINDS,
};

/* "running", "preempted": stable words for formats. */
const char *blame_kind_name(enum blame_kind kind);

/* Names in a part: of the waker, and of those that it waited for in turn. */
#define BLAME_LINKS 4

struct blame_part {
	enum blame_kind kind;
	/*
	 * who[0]: "worker-4133", or of threads with one name that did the same "worker (3 threads)"
	 * or "postgres (4 processes)"; "" if nobody, or for BLAME_WOKEN anybody.
	 *
	 * If the waker waited for work or for another process, and a recorded thread ended that,
	 * who[1] is that thread, and so on; "" behind the last one. `kind` and what follows are of
	 * the last one, in the proportions of all waits of the one before it that it ended.
	 */
	const char *who[BLAME_LINKS];
	/* BLAME_BLOCKED: of its own wait. CAUSE_UNKNOWN, CLASS_NONE: that is not listed. */
	u32 cause; /* enum cause */
	u32 class; /* enum wait_class */
	const char *object; /* object_label_without_device(); "" if it says nothing */
	/*
	 * place.h. BLAME_RUNNING: where it most often was on a CPU, if that was `sampled`, else
	 * where it was at the wakeup. BLAME_BLOCKED: where it waited, unless there is an object or
	 * it waited for work. "" if unknown.
	 */
	const char *place;
	bool sampled;
	u64 ns;
};

/* The time of a set of waits by what let it last. */
struct blame {
	struct blame_part *parts; /* longest first; in the arena */
	u32 len;
	u64 ns; /* the sum of the parts: blocked + run queue of the waits */
	u64 by_waker_ns; /* of parts before BLAME_WOKEN */
};

/* No set. */
#define BLAME_NO_SET 0xffffffff

struct blame_sets {
	const u32 *of_wait; /* by wait id, at least p->waits_len of them; or BLAME_NO_SET */
	u32 len;
};

/*
 * The blame of several sets of waits; `ret` has room for all of them. Frames must be named. Strings
 * are in the arena. `memo`: of causes of `p`, or NULL. -ENOMEM or 0.
 */
int blame__build(const struct profile *p, struct blame_sets sets, struct cause_memo *memo,
		 struct arena *a, struct blame *ret, struct err *err);
/* All waits except those for work, as one set. */
int blame__build_all(const struct profile *p, struct cause_memo *memo, struct arena *a,
		     struct blame *ret, struct err *err);
/*
 * The waits of each row of a top, and behind the last row, at [top->len], those of
 * blame__build_all(). The array is in the arena too; NULL if wakers were not recorded.
 */
int blame__build_rows(const struct profile *p, const struct top *top, struct cause_memo *memo,
		      struct arena *a, struct blame **ret_sets, struct err *err);

#endif

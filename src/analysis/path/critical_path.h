/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_CRITICAL_PATH_H
#define ANALYSIS_PATH_CRITICAL_PATH_H

#include "analysis/path/lanes.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * What the time of a thread went to, also in threads that it waited for. While the thread is on a
 * CPU or waits for one, that is it. While it is blocked, it is what the thread that woke it did in
 * the same time, and so on. An interrupt ends that: then it is the wait itself.
 *
 * X(NAME, name, known, sentence): what a part of the path is; `name` is stable, for JSON. Append
 * only.
 */
#define PATH_KINDS(X)                                                                              \
	X(RUNNING, "on-cpu", true, "on a CPU")                                                     \
	X(RUNQ, "run-queue", true, "waiting for a CPU")                                            \
	X(INTERRUPT, "interrupt", true, "blocked until an interrupt")                              \
	X(IO, "io", true, "blocked in I/O")                                                        \
	X(SELF, "self", true, "blocked until it woke itself")                                      \
	X(OPEN, "open", false, "blocked, and not over at the end")                                 \
	X(UNSEEN, "waker-unknown", false, "blocked, and who ended it is not known")                \
	X(UNRECORDED, "waker-not-recorded", false, "blocked until a thread that is not recorded")  \
	X(UNBORN, "waker-unborn", false,                                                           \
	  "blocked, and the thread that ended it was not born or not recorded yet")                \
	X(LOOP, "loop", false, "blocked by threads that woke each other")                          \
	X(DEPTH, "too-deep", false, "blocked by more threads in turn than are followed")           \
	X(LOST, "not-known", false, "not known: instants are missing")                             \
	X(UNSPLIT, "not-split", false, "not split: which thread had the request is not known")

enum path_kind {
#define X(NAME, ...) PATH_##NAME,
	PATH_KINDS(X)
#undef X
		PATH_KINDS_CNT
};

/* So many threads in turn are followed. */
#define PATH_DEPTH_MAX 64

/* A wait that the path left for the thread that ended it. Link 0: the thread itself. */
struct path_link {
	u32 parent; /* link */
	u32 moment; /* the wait; its index */
	u32 task; /* of the thread that waited */
	u32 waker; /* who ended it */
	u32 depth; /* 0 at link 0 */
};

struct path_part {
	u64 begin_ns; /* since the begin of the window */
	u64 ns; /* not 0 */
	u32 task; /* who did that */
	u32 kind; /* enum path_kind */
	u32 link; /* how the path came there */
	u32 moment; /* 1 + index of its wait; 0: none */
	u32 waker; /* who ended the wait, if the path did not follow; 0: nobody known */
};

struct path_range {
	u32 lane; /* the thread */
	u64 begin_ns;
	u64 end_ns; /* after begin_ns */
};

struct critical_path {
	const struct lanes *lanes; /* borrowed */
	struct path_range range;
	struct vec parts; /* struct path_part: one behind the other, and all of the range */
	struct vec links; /* struct path_link, parents first */
	bool *busy; /* by lane: the path is in one of its waits */
};

const char *path_kind_name(enum path_kind kind);
const char *path_kind_sentence(enum path_kind kind);
/* Whether that is the end of the matter; otherwise something was not recorded. */
bool path_kind_is_known(enum path_kind kind);

/* As path_end_of_wait(), of a wait of which the waker is known, or 0. */
enum path_kind path_end(const struct lanes *l, u32 lane, const struct profile_wait *wait,
			u32 waker);
/*
 * What the blocked part of a step is, which is a wait; PATH_KINDS_CNT if a recorded thread ended
 * it, which is the one to follow. *ret_waker is who ended it; 0: nobody known.
 */
enum path_kind path_end_of_wait(const struct lanes *l, u32 lane, u32 step, u32 *ret_waker);

/*
 * -ENOMEM or 0; release with critical_path__done() in either case. The lanes must outlive it.
 */
int critical_path__init(struct critical_path *c, const struct lanes *lanes,
			struct path_range range);
void critical_path__done(struct critical_path *c);
/* The path of another range; the memory is used again. -ENOMEM or 0. */
int critical_path__again(struct critical_path *c, struct path_range range);

#endif

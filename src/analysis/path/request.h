/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_H
#define ANALYSIS_PATH_REQUEST_H

#include "base/vec.h"
#include "profile/profile.h"

/*
 * From a begin to the end of the same class in the same thread (profile/moment.h). On a connection:
 * from a read to the last write before the next read, whichever thread wrote it.
 */
struct profile_request {
	u64 begin_ns; /* since the begin of the window */
	u64 end_ns; /* not before */
	u32 task; /* which began it */
	u32 class; /* string */
	u32 connection; /* 0: of a probe */
	u32 trace; /* string: the id of its trace; 0: not known */
	/* Handed on: another thread than `task` wrote last; 0: it was not, or is of a probe. */
	u32 writer;
	/* Handed on: when the writer was done with other connections; not before the begin. */
	u64 taken_ns;
	bool overlaps; /* another one of a connection, in the same thread; none was handed on */
};

/* What is no whole request, or a part of another one, by class. */
struct request_rest {
	u32 class; /* string */
	u32 pad;
	u64 before; /* ended, and had begun before the recording */
	u64 open; /* had not ended at the end of the recording, or when the next one began anew */
	u64 nested; /* began and ended inside of one of the same class and thread: recursion */
	u64 handed; /* in the list: with a `writer` */
	u64 overlapping; /* in the list: `overlaps` */
};

struct requests {
	struct vec list; /* struct profile_request, by end */
	struct vec rests; /* struct request_rest: one for each class, in the order of their names */
};

/*
 * Pairs the marks of a profile (profile/request/mark_pair.h). -ENOMEM or 0; release with
 * requests__done() in either case.
 */
int requests__init(struct requests *rs, const struct profile *p);
void requests__done(struct requests *rs);

#endif

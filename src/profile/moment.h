/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_MOMENT_H
#define PROFILE_MOMENT_H

#include <stddef.h>

#include "base/types.h"

/*
 * When one wait happened: [end_ns - blocked_ns - runq_ns, end_ns) since the begin of the window,
 * first blocked, then waiting for a CPU. Of a wait that was cut by an end of the window, this is
 * the part inside. Between the moments of a thread it was on a CPU, unless a LOSS_MOMENTS says that
 * some are missing. The moments of a wait add up to its sums, to the ns, where none are missing.
 *
 * Only of recordings that asked for them (header.max_moments). Sorted by end, then by wait.
 */
struct profile_moment {
	u64 end_ns;
	u64 blocked_ns;
	u64 runq_ns;
	u32 wait; /* its index */
	u32 waker; /* who ended it; 0: nobody, or not known */
};

static inline u64 moment_begin_ns(const struct profile_moment *m)
{
	return m->end_ns - m->blocked_ns - m->runq_ns;
}

void moments_sort(struct profile_moment *moments, size_t len);

enum mark_kind {
	MARK_BEGIN,
	MARK_END,
	/* Like MARK_BEGIN of a probe; but what the thread began of this class before has no end. */
	MARK_BEGIN_ANEW,
	MARK_KINDS,
};

/*
 * A thread began or ended a request of a class, by a probe that the user named; or it had read
 * (MARK_BEGIN) or written (MARK_END) bytes of a connection. Sorted by time; marks of one instant
 * keep their order. profile/request/mark_pair.h pairs them.
 */
struct profile_mark {
	u64 at_ns; /* since the begin of the window */
	u32 task;
	u32 class; /* string, not empty */
	u32 kind; /* enum mark_kind */
	u32 connection; /* 0: of a probe */
	u32 trace; /* string: the id of its trace, 32 hex digits; 0: not known */
	u32 pad;
};

/* A trace id, as W3C Trace Context has it. */
#define MARK_TRACE_BYTES 16
/* From its 32 lower-case digits; false if it is anything else. */
bool mark_trace_bytes(const char *text, u8 ret[MARK_TRACE_BYTES]);
void mark_trace_text(const u8 bytes[MARK_TRACE_BYTES], char ret[2 * MARK_TRACE_BYTES + 1]);

/* -ENOMEM or 0. */
int marks_sort(struct profile_mark *marks, size_t len);

#endif

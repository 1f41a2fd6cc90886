/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_MISSING_UNKNOWN_H
#define PROFILE_MISSING_UNKNOWN_H

#include "base/types.h"

/*
 * What the source of an imported profile does not contain: X(NAME, name, words). Such numbers are 0
 * in the profile and mean nothing, so every output leaves them blank. `name` is stable. Append
 * only.
 *
 * RUNQ: time of waiting for a CPU after a wakeup is in blocked time. STATES: they are guessed from
 * the kernel stack. THREADS: a task is all threads of one name. COUNTS: a count of 0 is unknown.
 * PREEMPTION: that time is in the time after wakeups. NUMBERS: there were at least as many threads
 * and processes as their records differ. ERRORS: of sums of sampled waits.
 */
#define PROFILE_UNKNOWNS(X)                                                                        \
	X(BEGIN, "begin", "when it was recorded")                                                  \
	X(WINDOW, "window", "for how long it was recorded")                                        \
	X(MACHINE, "machine", "the machine")                                                       \
	X(ON_CPU, "on_cpu", "time on a CPU")                                                       \
	X(RUNQ, "run_queue", "waiting for a CPU after a wakeup, which is in blocked time")         \
	X(STATES, "states", "thread states, which are guessed from kernel stacks")                 \
	X(PROCESSES, "processes", "processes")                                                     \
	X(THREADS, "threads", "threads")                                                           \
	X(COUNTS, "counts", "numbers of waits")                                                    \
	X(LENGTHS, "lengths", "lengths of single waits")                                           \
	X(LOSSES, "losses", "what the source itself lost")                                         \
	X(MIXED, "mixed", "how much of it was time on a CPU, which is in blocked time")            \
	X(PREEMPTION, "preemption", "who was preempted, of those that waited for a CPU")           \
	X(NUMBERS, "numbers", "how many threads and processes there were")                         \
	X(ERRORS, "errors", "how far estimates are off")

enum profile_unknown_bit {
#define X(NAME, name, words) UNKNOWN_BIT_##NAME,
	PROFILE_UNKNOWNS(X)
#undef X
		UNKNOWN_BITS
};

/* The same as bits, for profile_header.unknown. */
enum profile_unknown {
#define X(NAME, name, words) UNKNOWN_##NAME = 1 << UNKNOWN_BIT_##NAME,
	PROFILE_UNKNOWNS(X)
#undef X
		UNKNOWN_ALL = (1 << UNKNOWN_BITS) - 1,
	/* of a folded profile, too, which is no import: see windows/fold.h */
	UNKNOWN_FOLDED = UNKNOWN_THREADS | UNKNOWN_PROCESSES,
};

const char *unknown_name(enum profile_unknown_bit bit);
const char *unknown_words(enum profile_unknown_bit bit);

#endif

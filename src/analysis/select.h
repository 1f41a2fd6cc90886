/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SELECT_H
#define ANALYSIS_SELECT_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * The part of a profile that a person asks for, as a profile.
 *
 * A filter of threads keeps threads with all of their time, or leaves them out with all of it. A
 * filter of waits chooses among the waits of these threads and touches no total: the budget still
 * says where all the time of the threads went, and the profile is `filtered`, that is, its list is
 * a part of its totals. Time on a CPU, where it was sampled, is chosen in the same way; its cause
 * and its class are "on-cpu", and it is in no state. Histograms of threads are of all of their
 * waits: they are left out where waits are chosen, and come along with their thread else. How long
 * the threads waited for work is in header.idle_ns then. header.whole_* say how much there was
 * before, header.selection which filters made it. Losses that are not counted from the list are
 * those of the whole.
 */
struct select_texts {
	const char *const *at;
	size_t len;
};

struct select_ids {
	const u32 *at;
	size_t len;
};

struct ruleset;

/* A time, or a part of what the other filters let through. */
struct select_bound {
	u64 ns;
	u64 ppm;
};

/* Borrowed for the call. All zero lets everything through. */
struct select_options {
	/* of threads; one of each list must fit */
	struct select_texts comms;
	struct select_ids tids;
	struct select_ids pids;
	struct select_texts cgroups; /* the path, its last part, or the id in digits */
	/* Of threads whose path is not known; one of these or of the texts. */
	const u64 *cgroup_ids;
	size_t cgroup_ids_len;
	bool user_threads;
	bool kernel_threads;
	/* of waits */
	u64 causes; /* bits by enum cause; 0: all */
	u32 classes; /* bits by enum wait_class; 0: all */
	const struct ruleset *rules; /* as of causes__init() */
	u32 states; /* bits by state, and SELECT_KILLABLE; 0: all. Lost waits have no known state */
	struct select_texts under; /* the stack has a frame for each of them */
	struct select_texts not_under; /* and for none of these, as far as it is known */
	struct select_texts modules; /* a frame in one of these files: its path or last part */
	struct select_texts objects; /* labels of what was waited for; one must fit */
	/* who held it: its thread's number, its name, or "name/number"; one must fit */
	struct select_texts owners;
	/* of waits by the sum over all waits with the same two stacks */
	struct select_bound min;
	struct select_bound max; /* none when zero */
	bool regex; /* all texts are regular expressions, else globs; see pattern.h */
	const char *words; /* the filters, for header.selection; not empty */
};

/* Bit of select_options.states for waits that a fatal signal ends. */
#define SELECT_KILLABLE (1U << PROFILE_STATES)
/* Texts under, not_under and modules, in all. */
#define SELECT_FRAMES_MAX 64

/* Is there any filter? */
bool select_options__any(const struct select_options *opt);

/*
 * Frames must be named before. -ENOENT with a sentence when a filter lets nothing through, -EINVAL
 * for a text that is no pattern or too many of them, -ENOMEM, or 0. The caller frees *ret.
 */
int select_profile(const struct profile *p, const struct select_options *opt, struct profile **ret,
		   struct err *err);

#endif

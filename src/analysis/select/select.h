/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SELECT_SELECT_H
#define ANALYSIS_SELECT_SELECT_H

#include "analysis/cause/cause.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * The selected part of a profile, as a profile.
 *
 * A thread filter keeps or drops threads with all of their time. A wait filter selects among the
 * waits of these threads and changes no total: the budget still shows all the time of the threads,
 * and the profile is `filtered`, which means that its list covers part of its totals. Sampled time
 * on a CPU is selected in the same way; its cause and its class are "on-cpu", and it has no state.
 * Thread histograms cover all waits of a thread: they are dropped if waits are filtered, and
 * otherwise kept with their thread. With a wait filter, header.idle_ns has the time that the
 * threads waited for work. header.whole_* have the original amounts, header.selection the filters.
 * Losses not counted from the list are those of the whole profile.
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

/* A time, or a fraction of what the other filters select. */
struct select_bound {
	u64 ns;
	u64 ppm;
};

/* Borrowed for the call. All zero selects everything. */
struct select_options {
	/* of threads; one of each list must match */
	struct select_texts comms;
	struct select_ids tids;
	struct select_ids pids;
	struct select_texts cgroups; /* the path, its last part, or the id in digits */
	/*
	 * What the path of the cgroup says (profile/label/cgroup_words.h); a container also by the
	 * beginning of its ID.
	 */
	struct select_texts units;
	struct select_texts containers;
	struct select_texts pods;
	/* For threads whose path is unknown; one of these or of the texts. */
	const u64 *cgroup_ids;
	size_t cgroup_ids_len;
	bool user_threads;
	bool kernel_threads;
	/* of waits */
	cause_set causes; /* 0: all */
	u32 classes; /* bits by enum wait_class; 0: all */
	const struct ruleset *rules; /* as of causes__init() */
	u32 states; /* bits by state, and SELECT_KILLABLE; 0: all. Lost waits have no known state */
	struct select_texts under; /* the stack has a matching frame for each of them */
	struct select_texts not_under; /* and for none of these, as far as it is known */
	struct select_texts modules; /* a frame in one of these files: its path or last part */
	struct select_texts objects; /* object labels; one must match */
	/* the owner: its TID, its name, or "name/TID"; one must match */
	struct select_texts owners;
	/* who ended a wait: its label, its name or its TID; one must match */
	struct select_texts wakers;
	/* for waits: by the sum over all waits with the same two stacks */
	struct select_bound min;
	struct select_bound max; /* none when zero */
	/*
	 * Threads and waits by id, chosen by the caller; NULL: all. Waits not together with
	 * `wakers`. Time on a CPU is not among them.
	 */
	const bool *only_tasks;
	const bool *only_waits;
	bool regex; /* all texts are regular expressions instead of globs; see pattern.h */
	const char *words; /* the filters as text, for header.selection; not empty */
};

/* Bit of select_options.states for waits that a fatal signal ends. */
#define SELECT_KILLABLE (1U << PROFILE_STATES)
/* Maximum number of texts under, not_under and modules, together. */
#define SELECT_FRAMES_MAX 64

/* Whether there is any filter. */
bool select_options__any(const struct select_options *opt);

/*
 * Frames must be named first. -ENOENT with a message if a filter selects nothing, -EINVAL for an
 * invalid pattern or too many of them, -ENOMEM, or 0. The caller frees *ret.
 */
int select_profile(const struct profile *p, const struct select_options *opt, struct profile **ret,
		   struct err *err);

#endif

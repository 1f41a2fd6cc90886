/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_SOURCE_H
#define PROFILE_WINDOWS_SOURCE_H

#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

/*
 * Where profiles come from: a trace that goes on, files of windows, a store. Whoever shows profiles
 * asks a source for them and knows nothing of these.
 *
 * `next` gives the next profile in the order of time, checked (profile__check()), which the caller
 * frees: PROFILE_NEXT or PROFILE_ANOTHER and *ret, or a negative errno with a sentence.
 */
enum profile_next {
	PROFILE_END = 0, /* there is no further one */
	PROFILE_NEXT,
	PROFILE_ANOTHER, /* the next one, of another recording than the one before */
};

struct profile_source {
	int (*next)(void *arg, struct profile **ret, struct err *err);
	void *arg;
};

/*
 * Profiles that become one, as profile_merge() makes it. Those of one boot that follow each other
 * are merged as soon as there are a few: memory grows with what they have in common, and not with
 * their number. Those of another boot wait, because a merged profile of several machines no longer
 * knows which thread was whose.
 */
struct profile_pile {
	struct vec profiles; /* struct profile *, owned */
	size_t run; /* index of the first of those that may become one */
};

void profile_pile__init(struct profile_pile *pile);
void profile_pile__done(struct profile_pile *pile);
/* Takes `p`, also on error. -ENOMEM, or an error of profile_merge(). */
int profile_pile__add(struct profile_pile *pile, struct profile *p, struct err *err);
/* What comes now is of another recording: it does not go on with what came before. */
void profile_pile__break(struct profile_pile *pile);
/* All in one, which the caller frees; the pile is empty then. *ret is NULL if nothing was added. */
int profile_pile__take(struct profile_pile *pile, struct profile **ret, struct err *err);

/* All that a source has, in one. -ENOENT, with a sentence, if it has nothing. */
int profile_source_merge(const struct profile_source *src, struct profile **ret, struct err *err);

#endif

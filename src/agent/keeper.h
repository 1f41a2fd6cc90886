/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_KEEPER_H
#define AGENT_KEEPER_H

#include "agent/settings.h"
#include "analysis/cause/ruleset.h"
#include "profile/profile.h"
#include "store/store_writer.h"

/* Puts windows into the store, and keeps it within its limits. */
struct keeper {
	struct store_writer *writer; /* NULL: none */
	u64 windows; /* written, to all stores */
	u64 dropped; /* could not be written */
	u64 missing; /* of these, since the last one that was */
	u64 removed; /* files, to stay within the limits */
	/*
	 * Where the last window that was written ends, in CLOCK_MONOTONIC: what begins later is a
	 * gap until the next one. 0: there is none; CONTINUED_BOOT: it is of another boot.
	 */
	u64 end_mono_ns;
	u64 bytes; /* of the store on disk, when that was last looked at */
	u32 files;
	/* to see that the wall clock was set */
	s64 offset_ns; /* of the wall clock from the monotonic one */
	u64 steady_since_ns; /* CLOCK_MONOTONIC; 0: no window yet */
};

/* Opens the store: the errors of store_writer__open(). */
int keeper__init(struct keeper *k, const char *store, struct err *err);
void keeper__done(struct keeper *k);
/* Goes on with another store, and counts on. On error it stays with the one it has. */
int keeper__move(struct keeper *k, const char *store, struct err *err);
/*
 * Adds a window, with the causes that `rules` give (NULL: the built-in ones). On error it is
 * dropped and counted, and the next one may be added again.
 */
int keeper__add(struct keeper *k, const struct agent_settings *s, const struct ruleset *rules,
		const struct profile *p, struct err *err);
/* Removes what is too old or too much. An error does not matter for windows. */
int keeper__retain(struct keeper *k, const struct agent_settings *s, struct store_removed *ret,
		   struct err *err);
/* Whether the clock was not set for a while: age means something. The times are of now. */
bool keeper__is_steady(struct keeper *k, u64 wall_ns, u64 mono_ns);

#endif

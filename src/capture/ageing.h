/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_AGEING_H
#define CAPTURE_AGEING_H

#include "base/err.h"
#include "base/types.h"
#include "capture/program/programs.h"

/*
 * Ages the tables of stacks, objects and wakers, which all windows of a trace share. Each id in
 * them has a side. When a table fills up, the trace turns to the other side: hooks then store
 * every stack and object under a new id, and their caches miss every id of the old side. After a
 * grace period no hook lists an old id. Two windows later, all rows with old ids are in profiles,
 * and the entries are removed. docs/adr/0039.
 *
 * Tables do not age where stacks are taken before the length of a wait is known: there, a thread
 * that sleeps for days holds the ids of its stacks. Such tables fill up and count what they lose.
 */
struct ageing {
	u64 turns;
	u64 turned_ns;
	u32 windows; /* read since the turn */
	bool removes; /* there are entries of the old side */
	bool due;
};

/* How much of the tables is in use, as of the last reading. */
struct ageing_use {
	u64 entries[PROGRAMS_STACKS]; /* in each table of stacks */
	u64 stacks; /* used by the window */
	u64 objects; /* in the table of objects */
	u64 wakers; /* in the table of wakers, and of those that are not traced */
	u64 outsiders;
};

/* Call it when a finished window has been read: removes old entries, decides whether to turn. */
int ageing__read(struct ageing *a, struct programs *p, const struct ageing_use *use,
		 struct err *err);
/* Turns if that is due. Call it at the end of a window, before the grace period begins. */
void ageing__turn(struct ageing *a, struct programs *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_PART_H
#define PROFILE_WINDOWS_PART_H

#include "profile/builder.h"

/*
 * A profile that goes into a builder, whole or in part: what is taken brings along the strings,
 * modules, frames and stacks that it needs, each once, and nothing else comes. Errors are those of
 * the builder. Borrows both.
 */
struct part {
	const struct profile *p;
	struct builder *b;
	/* ids in the builder by ids in the profile; 0: not taken yet */
	u32 *strings;
	u32 *modules;
	u32 *frames;
	u32 *stacks;
	u32 *waits;
	u32 *objects;
	u32 *wakers;
	bool folded; /* waits have no owners, objects only what all of a service share */
	bool uncounted; /* waits lose their count and lengths, as if found by visits */
	struct vec path; /* u32, and the next */
	struct vec chain;
};

/* -ENOMEM or 0. Release with part__done() in either case. */
int part__init(struct part *pt, const struct profile *p, struct builder *b);
void part__done(struct part *pt);

int part__str(struct part *pt, u32 str, u32 *ret_id);
/* The thread with its strings, for builder__task(). */
int part__task(struct part *pt, u32 task, struct profile_task *ret_task);
/* `task_ids`: those in the builder by those in the profile, 0 for a thread that is not there. */
int part__wait(struct part *pt, u32 wait, const u32 *task_ids);
/*
 * The intervals, `shift_ns` later, and the replicates of the waits that were taken; behind those
 * that the builder has.
 */
int part__replicates(struct part *pt, u64 shift_ns);
/* The moments of the waits that were taken, likewise; of a thread that is there. */
int part__moments(struct part *pt, u64 shift_ns, const u32 *task_ids);
/* Begins and ends of requests, likewise, of the threads that were taken. */
int part__marks(struct part *pt, u64 shift_ns, const u32 *task_ids);
/* The same of what a thread did on a CPU; the thread is there. */
int part__hot(struct part *pt, u32 hot, const u32 *task_ids);
/*
 * A part of a wait that was taken, with the chain of its wakers. A waker whose thread is not there
 * keeps its TID and names.
 */
int part__wake(struct part *pt, u32 wake, const u32 *task_ids);
/* Measured waits of a task that was taken. */
int part__measured(struct part *pt, u32 measured, const u32 *task_ids);
/* A count of the histograms of the thread `task`, an id in the builder. */
int part__bin(struct part *pt, u32 bin, u32 task);
int part__losses(struct part *pt);
/* All fields. */
int part__header(struct part *pt, struct profile_header *ret_header);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "profile/profile.h"

/*
 * The only way to make a profile. Records that are equal get the same id; waits with an equal key
 * (all before its sums) are added up. Errors are -ENOMEM (or -EINVAL for an id, kind
 * or state that does not exist and for a sum that leaves its type) and sticky: after the first one
 * every call returns it, so a caller may add freely and ask builder__freeze(). Not thread-safe.
 */
struct builder;

/* NULL when memory is short. */
struct builder *builder__new(void);
void builder__free(struct builder *b);

/* Each returns the id in *ret_id, which is 0 on error. */
int builder__str(struct builder *b, const char *s, u32 *ret_id);
int builder__module(struct builder *b, const struct profile_module *m, u32 *ret_id);
/* `reason` is FRAME_NOT_TRIED, or what is already known to be wrong with the address. */
int builder__frame(struct builder *b, u32 module, u64 addr, u32 flags, enum frame_reason reason,
		   u32 *ret_id);
/*
 * A frame of another profile, with its name and place, if it has them; module and strings are ids
 * of this builder. Frames that differ in these are not one.
 */
int builder__known_frame(struct builder *b, const struct profile_frame *f, u32 *ret_id);
/*
 * The FRAME_TRUNCATED that stands at the root of a user stack because of `end` (not
 * STACK_END_ROOT), named. `module` is the file in which the walk ended, or 0.
 */
int builder__truncated(struct builder *b, u32 module, enum stack_end end, u32 *ret_frame);
/*
 * A function that the compiler inlined at an address, named: a FRAME_INLINED. Of `at` count module,
 * address, FRAME_RETURN, name (not empty), file and line; equal ones are one frame.
 */
int builder__inlined(struct builder *b, const struct profile_frame *at, u32 *ret_frame);
/*
 * The stack that has `frame` below (towards the leaf of) the stack `parent`. -EINVAL also for a
 * FRAME_TRUNCATED with a parent.
 */
int builder__stack(struct builder *b, u32 parent, u32 frame, u32 *ret_id);
/* Marks the leaf node of a kernel stack whose root side is missing. */
int builder__stack_flags(struct builder *b, u32 stack, u32 flags);
/* Every call makes a new task. */
int builder__task(struct builder *b, const struct profile_task *t, u32 *ret_id);
/*
 * How many waits a task that is in had: as many as its totals are of, listed or not. What the list
 * lacks is the count of its rest; without this call that is 0.
 */
int builder__task_waits(struct builder *b, u32 task, u64 waits);
/* The path of the cgroup of a task that is in, and the name of its container. */
int builder__task_cgroup(struct builder *b, u32 task, u32 cgroup);
int builder__task_container(struct builder *b, u32 task, u32 container);
/* -EINVAL also for OBJECT_NONE. */
int builder__object(struct builder *b, const struct profile_object *o, u32 *ret_id);
/* Who is at the other end of an object, when all objects are in: they are not compared again. */
int builder__object_peer(struct builder *b, u32 object, u32 peer);
int builder__wait(struct builder *b, const struct profile_wait *w);
/* The id that the last builder__wait() found or made; 0 before the first. */
u32 builder__last_wait(const struct builder *b);
/*
 * The next interval (profile/replicate.h), and a part of a wait that is in one. Freezing puts
 * intervals together where there are too many.
 */
int builder__interval(struct builder *b, const struct profile_interval *iv);
/* How many there are. */
u32 builder__intervals(const struct builder *b);
int builder__replicate(struct builder *b, const struct profile_replicate *rep);
/* There are none, nor intervals, and there will be none. */
void builder__drop_replicates(struct builder *b);
/* When a wait that is in happened; in any order. -EINVAL also for one without time. */
int builder__moment(struct builder *b, const struct profile_moment *m);
/* Likewise a begin or end of a request. -EINVAL also for one without a class. */
int builder__mark(struct builder *b, const struct profile_mark *m);
/* Samples of a thread with the same stacks and system call; equal ones are added up. */
int builder__hot(struct builder *b, const struct profile_hot *h);
/*
 * A link of a chain; the next link comes first. -EINVAL also for one with a next link and an end,
 * or neither, and for an interrupt that is a thread.
 */
int builder__waker(struct builder *b, const struct profile_waker *w, u32 *ret_id);
/*
 * A part of a wait by its waker; equal ones are added up. The header says that wakers were
 * recorded. Whether the wait exists, and has that much time, is left to profile__check().
 */
int builder__wake(struct builder *b, const struct profile_wake *w);
/*
 * Shares out the time on a CPU of each task among its hots, by their samples (hot_share.h); what
 * they had before does not count. A task without samples gets a HOT_NOT_SAMPLED. For whoever has
 * samples and no times, when all have been added.
 */
int builder__share_on_cpu(struct builder *b);
/*
 * Of threads that are visited: blocked time of a task whose state is unknown, which is in state R,
 * goes to the states of its listed waits. For whoever has added all tasks and waits.
 */
int builder__share_blocked(struct builder *b);
/* Measured waits of tasks; equal ones are added up. The header says that they were measured. */
int builder__measured(struct builder *b, const struct profile_measured *m);
/* Adds to a count of a thread's histograms; what it adds must not be 0. */
int builder__bin(struct builder *b, const struct profile_bin *bin);
/* Time in gaps that a number cannot hold is the largest number; other time is refused. */
int builder__loss(struct builder *b, enum profile_loss_kind kind, u64 events, u64 ns);
/*
 * Bytes of memory that one more wait with new stacks of `depth` frames would take at once; 0 when
 * there is room for it.
 */
u64 builder__growth(const struct builder *b, u32 depth);
/* Takes that memory, so that the growth is 0 until the room is used. -ENOMEM or 0. */
int builder__reserve(struct builder *b, u32 depth);
/* The same of one more object, of `n` more replicates, and of one more waker with `n` wakes. */
u64 builder__object_growth(const struct builder *b);
u64 builder__replicate_growth(const struct builder *b, u32 n);
u64 builder__waker_growth(const struct builder *b, u32 n);
u64 builder__moment_growth(const struct builder *b, u32 n);
u64 builder__mark_growth(const struct builder *b, u32 n);
/* For the caller to fill in; strings by builder__str(). */
struct profile_header *builder__header(struct builder *b);

/*
 * Adds, for each task, one WAIT_LOST wait holding the blocked and run-queue time of its totals that
 * no listed wait has, and their number (when the header says `filtered`, nothing is added), so that
 * the list adds up to the totals; where the header says that it is sampled, only if more is missing
 * than chance can explain, so its periods are filled in before. Likewise one HOT_NOT_SAMPLED hot,
 * where it says that threads on a CPU were sampled. Then freezes: *ret takes everything, the
 * builder is empty and must be freed. Sets LOSS_STACK_TRUNCATED.
 */
int builder__freeze(struct builder *b, struct profile **ret, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_ROSTER_H
#define VISIT_ROSTER_H

#include "base/map64.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/ended.h"
#include "proc/task.h"
#include "proc/thread.h"
#include "visit/look.h"
#include "visit/tally.h"
#include "visit/whom.h"

/* A thread that is visited. */
struct visited {
	struct looked_at at;
	u64 start_boottime_ns;
	char comm[PROC_COMM_SZ];
	char group_comm[PROC_COMM_SZ];
	u32 flags; /* enum profile_task_flag */
	u32 visits; /* in all windows */
	bool gone;
	bool begun; /* its tally is of the current window */
	struct thread_switches first; /* when the window began */
	struct thread_switches last;
	bool has_switches; /* both are known */
	struct visit_tally tally;
};

/*
 * The threads that are visited, and their processes. Threads that are gone stay until
 * roster__sweep(). Not thread-safe.
 */
struct roster {
	struct vec threads; /* struct visited * */
	struct vec processes; /* struct process * */
	struct map64 by_tid; /* to an index of the threads + 1; 0: none */
	struct map64 by_tgid; /* to an index of the processes + 1 */
	u32 gone; /* threads that are */
	u32 fds; /* open ones */
	u32 fds_max;
};

void roster__init(struct roster *r, u32 fds_max);
/* NULL is fine. */
void roster__done(struct roster *r);
struct visited *roster__at(const struct roster *r, size_t idx);
/* Whether a thread is in, and not gone. */
bool roster__has(const struct roster *r, u32 tid);
/*
 * Takes in a thread that `whom` wants; *ret is NULL if it does not, or if it is gone already. Its
 * tally has not begun. -ENOMEM or 0.
 */
int roster__add(struct roster *r, struct looker *l, const struct whom *whom, u32 tgid, u32 tid,
		struct visited **ret);
/* It was found to be gone: its number may soon be another's. */
void roster__gone(struct roster *r, struct visited *v);
/*
 * Forgets threads that are gone, and processes without threads, whose images are added to `ended`.
 * -ENOMEM or 0.
 */
int roster__sweep(struct roster *r, struct ended *ended);
/* Reads names again: a program may have been started, or have renamed its threads. */
void roster__rename(struct looker *l, struct visited *v);
/* Reads how often it was switched out; false: not known. */
bool roster__switches(struct looker *l, const struct visited *v, struct thread_switches *ret);

#endif

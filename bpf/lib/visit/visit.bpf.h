/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VISIT_VISIT_BPF_H
#define LIB_VISIT_VISIT_BPF_H

/*
 * Threads that are visited at random instants instead of being followed by hooks: record --sample.
 * Only if cfg.visits is set; otherwise it is dead code and uses no memory. docs/adr/0049.
 *
 * Two things are kept apart. The totals of a thread come from the scheduler's counters, read at
 * both ends of a window, at birth, exec and exit, and at visits of a thread that has switched. The
 * sums of waits come from the visits: each one is a point, and the time between two of them belongs
 * half to the state at either.
 */
#include "lib/maps.bpf.h"
#include "lib/untrusted.bpf.h"

/* What the scheduler has counted for a thread so far, at one instant. */
struct visit_counters {
	u64 exec_ns; /* on a CPU */
	u64 delay_ns; /* on a run queue, waiting */
	u64 voluntary; /* switches away from a CPU, to wait */
	u64 involuntary; /* the others */
	u64 moves; /* from one CPU to another */
	u32 raw_state; /* 0: runnable */
	u32 on_cpu;
};

/* What the last visit found. */
enum visit_point {
	VISIT_NONE = 0, /* there was none */
	VISIT_ON, /* on a CPU, or in a wait that is not listed */
	VISIT_BLOCKED,
	VISIT_RUNQ,
};

/* What visits add to the sum of a key. */
struct visit_sum {
	u64 blocked_ns;
	u64 runq_ns;
	u64 var_us2;
	u64 max_ns;
	u64 samples; /* waits that were seen */
};

struct task_visit {
	u32 busy; /* somebody is at work on this; see visit_lock() */
	u32 point; /* enum visit_point */
	u32 edge; /* point_ns is the start of the window; the time since is of the next point */
	u32 pad;
	u64 point_ns; /* time until then is in a sum, or was on a CPU */
	u64 first_ns; /* when the present wait was first seen in this window */
	u64 switches; /* of the thread at the last point */
	u64 exec_ns; /* its sum_exec_runtime when `key` was made */
	struct cs_wait_key key; /* VISIT_BLOCKED, VISIT_RUNQ: of the wait */
	struct visit_sum sum; /* of the key, not yet in the table */
	struct visit_counters was; /* at slot->since_ns */
	struct visit_counters now; /* what whoever holds the lock has read */
	struct cs_totals after; /* behind the end of the window that is being closed */
};

struct task_visits_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_visit);
};

extern struct task_visits_map task_visits SEC(".maps");

static __always_inline struct task_visit *visit_of(struct task_struct *task)
{
	if (!cfg.visits || !untrusted(task)->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&task_visits, task, 0, 0);
}

static __always_inline u64 visit_switches(const struct visit_counters *c)
{
	return c->voluntary + c->involuntary;
}

/*
 * The iterator and the hooks of exec and exit may meet on one thread, whose records they end. The
 * work under this lock is short. 0: the other one did not finish, because it was preempted. The
 * functions from here on are in visit.bpf.c, global, so that the verifier reads each once.
 */
int visit_lock(struct task_visit *v);

static __always_inline void visit_unlock(struct task_visit *v)
{
	__sync_lock_test_and_set(&v->busy, 0);
}

/*
 * Accounts for the thread's time until `now`, when v->now was read, in the totals of its slot. What
 * is behind the end of the window goes to v->after: returns 1, and the caller sends the record and
 * calls visit_opens().
 */
int visit_account(struct task_slot *slot, struct task_visit *v, u64 now);
/* Begins the totals of the window that begins at `window`. */
int visit_opens(struct task_slot *slot, struct task_visit *v, u64 window);

/*
 * The visit at `at` has found the thread in `point`, after so many switches of its life. NULL: in
 * the same wait as the one before. Otherwise `key` is of the wait, and ignored for VISIT_ON.
 */
int visit_found(struct task_visit *v, u32 point, const struct cs_wait_key *key, u64 at,
		u64 switches);
/* The thread's record ends: nobody will visit it. */
int visit_ends(struct task_visit *v, u64 now);
/* Its window ends: the rest of it belongs to the last point. `stays`: that wait goes on. */
int visit_closes(struct task_visit *v, u64 begin, u64 end, u32 stays);

/* In wait.bpf.c: adds to the table of the window that begins at `window`. 1: it is full. */
int visit_add(const struct cs_wait_key *at, u64 window, const struct visit_sum *v);

#endif

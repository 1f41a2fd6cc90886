/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAKE_WAKE_MAPS_BPF_H
#define LIB_WAKE_WAKE_MAPS_BPF_H

/* The maps of wakers and what is in them; they are defined in maps.bpf.c. */
#include "lib/maps.bpf.h"
#include "lib/scratch.bpf.h"
#include "lib/walk_maps.bpf.h"

#include "abi/sample.h"
#include "abi/waker.h"

/* Distinct waits of a waker that are kept apart within one wait. The rest counts as not listed. */
#define WAKE_DIDS 6

struct did {
	u64 wait; /* cs_wait_hash() */
	u64 ns;
};

/* The wakeup that ended the present wait, or the last one. */
struct wakeup {
	u64 at_ns; /* 0: none was seen */
	u64 waker; /* its id; 0: what follows is all that is known */
	u64 start_boottime_ns;
	u32 thread;
	u8 context; /* these as in struct cs_waker */
	u8 flags;
	u8 early : 1; /* the sleeper had not left the CPU yet */
	u8 first : 1; /* of a burst of its waker */
	u8 crowd : 1; /* number CS_CROWD in it, or a later one */
	u8 dids;
	u64 ns[CS_DOING_CNT]; /* what the waker did since the wait began; without `did` */
	struct did did[WAKE_DIDS];
};

/*
 * One wait, or several that follow each other. Between them, the thread was on a CPU. Of several,
 * `wait` is the one with the longest time.
 */
struct past {
	u64 begin_ns;
	u64 end_ns; /* 0: none */
	u64 runq_ns;
	u64 blocked_ns;
	u64 wait; /* cs_wait_hash(); 0: not listed */
	u64 wait_ns; /* blocked in it */
};

/*
 * The history of a thread's waits in rings: in the first one each wait by itself, in the following
 * ones groups that grow by a factor of two with each ring. It reaches back 500 waits at least. What
 * a waker did is exact while 32 of its waits lie inside the one that it ended; beyond that, the
 * group in which that one began is divided in proportion.
 */
#define PAST_LEVELS 6
#define PAST_SINGLES 32
#define PAST_EACH 8
#define PAST_LEN (PAST_SINGLES + (PAST_LEVELS - 1) * PAST_EACH)

struct past_ring {
	u32 pushed; /* so many went in, the last one at this number minus 1, modulo its size */
	u32 len;
};

/* Wakeups that follow each other without a wait of the waker. */
struct burst {
	u64 last_ns; /* its last wakeup */
	u64 who; /* a thread: when its last wait began; an interrupt or untraced: who it is */
	u64 len;
};

/* A wakeup in the sums: what the sleeper does next is added to it. */
struct listed_wake {
	u64 wait;
	u64 waker;
	u64 window;
	u64 count; /* so many wakeups; 0: none */
};

struct task_wakes {
	struct wakeup last;
	struct listed_wake listed; /* the one that ended the last wait */
	u64 ran_ns; /* on a CPU since then */
	u64 place; /* of that wait, as wakes_leave() has it */
	struct burst burst; /* of what the thread wakes */
	struct past newest;
	u64 block_wake_ns; /* woken from the last wait in which it was blocked; 0: none */
	u64 block_waker; /* id of who ended that; 0: unknown */
	struct past_ring ring[PAST_LEVELS];
	struct past past[PAST_LEN]; /* of one ring after the other */
};

struct task_wakes_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_wakes);
};

/* Full: CS_WAKER_ID_OTHER. */
struct wakers_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct cs_waker);
};

/* Full: such wakers have no name. */
struct outsiders_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cs_outsider_key);
	__type(value, struct cs_outsider);
};

/* As waits_map, of windows with an even begin and with an odd one. Full: wake_lost. */
struct wakes_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct cs_wake_key);
	__type(value, struct cs_wake_sum);
};

/* Per-CPU memory, apart from struct scratch: a wakeup may come while that is in use. */
struct wake_scratch {
	struct wakeup ended; /* of the wait that ended on this CPU and is about to be listed */
	u32 ended_task; /* id of its record; 0: no waker is known */
	u32 pad;
	u64 listed; /* cs_wait_hash() of the wait that was listed last on this CPU */
	struct listed_wake added; /* its wakeup */
	struct burst burst; /* of interrupts and threads that are not traced */
	struct cs_waker waker; /* of the wakeup under way */
	struct cs_waker named; /* of `ended`, if it has no stacks; a wakeup may come meanwhile */
	struct cs_outsider outsider;
	struct walk_owner owner; /* of the waker's stacks */
	u64 args; /* address of the hook's arguments */
	u32 unaudited; /* stacks found by a fingerprint until one is verified */
	u32 pad2;
	struct orc_walk orc;
	struct print_memo print;
	struct cs_stack kstack;
	struct user_walk walk;
};

struct wake_scratch_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wake_scratch);
};

extern struct task_wakes_map task_wakes SEC(".maps");
extern struct wakers_map wakers SEC(".maps");
extern struct outsiders_map outsiders SEC(".maps");
extern struct wakes_map wakes SEC(".maps");
extern struct wakes_map wakes_odd SEC(".maps");
extern struct wake_scratch_map wake_scratch SEC(".maps");

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_PROFILE_WAKERS_SAMPLE_H
#define UNIT_PROFILE_WAKERS_SAMPLE_H

#include "profile/builder.h"

/*
 * Thread 1 waits for thread 2, which waited for a hard interrupt (wait 2) meanwhile. Stacks 1 to 3
 * are of the user, 4 of the kernel. Waker 1 is the interrupt, 2 is thread 2 (its chain goes on with
 * waker 1), 3 is a thread that is not recorded. Wait 1: 900 ns blocked, 100 ns for a CPU, 3 times.
 */
enum wakers_sample_id {
	WAKERS_SLEEPER = 1,
	WAKERS_WORKER = 2,
	WAKERS_IRQ = 1,
	WAKERS_THREAD = 2,
	WAKERS_STRANGER = 3,
};

static inline struct profile_wait wakers_wait(u32 task)
{
	struct profile_wait w = { .task = task, .sysno = 202, .state = 1, .kstack = 4 };

	w.ustack = task;
	w.blocked_ns = 900;
	w.runq_ns = 100;
	w.count = w.samples = w.hist[0] = 3;
	w.max_ns = 400;
	return w;
}

/* A part of wait 1. */
static inline struct profile_wake wakers_part(u32 waker, u32 doing, u64 ns)
{
	struct profile_wake w = { .task = WAKERS_SLEEPER, .sysno = 202, .state = 1, .kstack = 4 };

	w.ustack = WAKERS_SLEEPER;
	w.waker = waker;
	w.doing = doing;
	w.did_sysno = -1;
	w.ns = ns;
	return w;
}

static inline void wakers_add_threads(struct builder *b)
{
	struct profile_task t = { .wall_ns = 1500, .on_ns = 500, .runq_ns = 100 };
	struct profile_wait w;
	u32 i, id;

	t.blocked_ns[1] = 900;
	for (i = 1; i <= 2; i++) {
		t.tid = t.tgid = 10 + i;
		t.start_boottime_ns = i;
		builder__str(b, i == 1 ? "sleeper" : "worker", &t.comm);
		builder__task(b, &t, &id);
	}
	for (i = 1; i <= 4; i++) {
		builder__frame(b, 0, i, i == 4 ? FRAME_KERNEL : 0, FRAME_NO_SYMBOL, &id);
		builder__stack(b, 0, id, &id);
	}
	for (i = 1; i <= 2; i++) {
		w = wakers_wait(i);
		builder__wait(b, &w);
	}
}

static inline struct profile_waker wakers_thread(struct builder *b)
{
	struct profile_waker w = { .task = WAKERS_WORKER, .tid = 12, .tgid = 12, .ustack = 3 };

	builder__str(b, "worker", &w.comm);
	builder__str(b, "pool", &w.group_comm);
	w.kstack = 4;
	w.next = WAKERS_IRQ;
	w.flags = WAKER_EXITING;
	return w;
}

static inline void wakers_add_wakers(struct builder *b)
{
	struct profile_waker w = { .context = WAKER_HARDIRQ, .end = CHAIN_INTERRUPT, .kstack = 4 };
	u32 id;

	builder__waker(b, &w, &id);
	w = wakers_thread(b);
	builder__waker(b, &w, &id);
	w = (struct profile_waker){ .tid = 77, .tgid = 70, .end = CHAIN_UNRECORDED };
	builder__waker(b, &w, &id);
}

static inline void wakers_add_wakes(struct builder *b)
{
	struct profile_wake w = wakers_part(WAKERS_THREAD, DOING_BLOCKED, 500);

	w.did_ustack = 2;
	w.did_kstack = 4;
	w.did_sysno = 202;
	w.did_state = 1;
	builder__wake(b, &w);
	w = wakers_part(WAKERS_THREAD, DOING_RUNNING, 200);
	builder__wake(b, &w);
	w = wakers_part(WAKERS_THREAD, DOING_WOKEN, 60);
	w.count = 2;
	builder__wake(b, &w);
	w = wakers_part(WAKERS_STRANGER, DOING_UNKNOWN, 200);
	builder__wake(b, &w);
	w = wakers_part(WAKERS_STRANGER, DOING_WOKEN, 40);
	w.count = 1;
	builder__wake(b, &w);
}

static inline struct builder *wakers_builder(void)
{
	struct builder *b = builder__new();

	if (!b)
		return NULL;
	wakers_add_threads(b);
	wakers_add_wakers(b);
	builder__header(b)->wakers = 1;
	builder__header(b)->window_ns = 1500;
	builder__header(b)->max_ns = ~0ULL;
	return b;
}

/* The frozen sample, or NULL; frees the builder. */
static inline struct profile *wakers_freeze(struct builder *b)
{
	struct profile *p = NULL;

	if (b && builder__freeze(b, &p, NULL))
		p = NULL;
	builder__free(b);
	return p;
}

static inline struct profile *wakers_profile(void)
{
	struct builder *b = wakers_builder();

	if (b)
		wakers_add_wakes(b);
	return wakers_freeze(b);
}

#endif

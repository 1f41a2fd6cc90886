/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel counts time on a CPU up to the last tick, and a wait for one when it is over. So a
 * thread whose counters have not changed since the last look waits, if that is a tick ago. When the
 * wait is counted, the part of it that was known already is left out.
 */
#include "async/task/thread_share.h"

#include <errno.h>

typedef unsigned __int128 wide;

/* Threads come and go; those of old are forgotten all at once. */
#define THREADS_MAX 1024
/* The longest tick: of CONFIG_HZ=100. */
#define TICK_NS (10 * NSEC_PER_MSEC)

struct thread_count {
	u32 tid;
	bool waits; /* as decided last */
	struct tally_reading at; /* its counters then */
	u64 known_ns; /* of a wait that is not counted yet */
};

void thread_shares__init(struct thread_shares *s, bool lacks_ticks)
{
	s->lacks_ticks = lacks_ticks;
	vec__init(&s->threads, sizeof(struct thread_count));
}

void thread_shares__done(struct thread_shares *s)
{
	if (s && s->threads.elem_sz)
		vec__done(&s->threads);
}

/* *ret_new: it was not there. NULL when out of memory. */
static struct thread_count *find(struct thread_shares *s, u32 tid, bool *ret_new)
{
	struct thread_count *c;

	*ret_new = false;
	for (size_t i = 0; i < s->threads.len; i++) {
		c = vec__at(&s->threads, i);
		if (c->tid == tid)
			return c;
	}
	*ret_new = true;
	if (s->threads.len == THREADS_MAX)
		vec__reset(&s->threads);
	c = vec__push(&s->threads);
	if (c)
		*c = (struct thread_count){ .tid = tid };
	return c;
}

/* Both counters have grown since the last look, or at least one. */
static bool draw(struct thread_count *c, u64 on_ns, u64 runq_ns, u64 random)
{
	u64 new_ns = runq_ns > c->known_ns ? runq_ns - c->known_ns : 0;

	c->known_ns = 0;
	return (u64)((wide)random * (on_ns + new_ns) >> 64) < new_ns;
}

int thread_shares__look(struct thread_shares *s, u32 tid, const struct tally_reading *now,
			u64 random, bool *ret_waits)
{
	bool is_new;
	struct thread_count *c = find(s, tid, &is_new);

	if (!c)
		return -ENOMEM;
	/* counters that shrank are of another thread with that number */
	if (is_new || now->on_ns < c->at.on_ns || now->runq_ns < c->at.runq_ns) {
		*c = (struct thread_count){ .tid = tid };
	} else if (now->on_ns > c->at.on_ns || now->runq_ns > c->at.runq_ns) {
		c->waits = draw(c, now->on_ns - c->at.on_ns, now->runq_ns - c->at.runq_ns, random);
	} else if (now->at_ns - c->at.at_ns >= TICK_NS && !s->lacks_ticks) {
		c->waits = true;
		c->known_ns += now->at_ns - c->at.at_ns;
	} else {
		*ret_waits = c->waits;
		return 0;
	}
	c->at = *now;
	*ret_waits = c->waits;
	return 0;
}

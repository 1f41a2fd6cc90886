/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made anew for each window from the one before, so it has exactly the threads of the last window
 * and needs no limit. While the picture is frozen, the viewer keeps the old one.
 */
#include "tui/model/strips.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* Time of a task in one state. */
static u64 key_of(u32 task, u8 state)
{
	return (u64)task << 8 | state;
}

static u8 state_of(const struct causes *causes, u32 wait)
{
	return causes__class(causes, wait) == CLASS_IDLE ? STRIP_IDLE :
							   (u8)(causes__of(causes, wait) + 1);
}

struct longest {
	u64 ns;
	u8 state;
};

static void take_longer(struct longest *l, u64 ns, u8 state)
{
	if (ns > l->ns)
		*l = (struct longest){ ns, state };
}

/* The state of most of each task's time; `ret` has room for all of them. */
static int find_longest(const struct profile *p, const struct causes *causes, struct longest *ret)
{
	struct map64 sums;
	u32 i;
	int r = 0;

	map64__init(&sums);
	for (i = 1; i < p->tasks_len; i++)
		take_longer(&ret[i], p->tasks[i].on_ns, CAUSE_ON_CPU + 1);
	for (i = 1; i < p->waits_len && !r; i++) {
		const struct profile_wait *w = &p->waits[i];
		u64 key = key_of(w->task, state_of(causes, i)), ns = 0;

		map64__get(&sums, key, &ns);
		ns += w->blocked_ns + w->runq_ns;
		r = map64__set(&sums, key, ns);
		take_longer(&ret[w->task], ns, (u8)key);
	}
	map64__done(&sums);
	return r;
}

static int add_task(struct strips *s, const struct strips *before, const struct profile_task *t,
		    const struct longest *longest)
{
	struct strip fresh = { .start_ns = t->start_boottime_ns, .tid = t->tid }, *strip;
	u32 old = before ? intern__find(&before->threads, &fresh) : 0, id;

	if (intern__add(&s->threads, &fresh, &id))
		return -ENOMEM;
	strip = intern__at(&s->threads, id);
	/* after an exec it has two records: the later one counts */
	if (old) {
		const struct strip *was = intern__at(&before->threads, old);

		memcpy(strip->states, was->states + 1, STRIP_LEN - 1);
		strip->since_ns = was->open ? was->since_ns : 0;
		strip->longer = was->longer;
	}
	strip->states[STRIP_LEN - 1] = longest->state;
	strip->exited = t->flags & TASK_EXITED;
	return map64__set(&s->by_tid, t->tid, id);
}

static void set_open(struct strips *s, const struct profile *p, u32 wait, bool first)
{
	const struct profile_wait *w = &p->waits[wait];
	const struct profile_task *t = &p->tasks[w->task];
	const struct strip key = { .start_ns = t->start_boottime_ns, .tid = t->tid };
	u32 id = intern__find(&s->threads, &key);
	struct strip *strip = id ? intern__at(&s->threads, id) : NULL;
	u64 here_ns = w->blocked_ns + w->runq_ns;

	if (!strip)
		return;
	strip->open = wait;
	if (w->flags & WAIT_PRE && strip->since_ns) {
		strip->since_ns += here_ns;
		return;
	}
	strip->since_ns = here_ns;
	strip->longer = w->flags & WAIT_PRE && first;
}

static int fill(struct strips *s, const struct strips *before, const struct profile *p,
		const struct causes *causes)
{
	struct longest *longest = mem_array(p->tasks_len, sizeof(*longest));
	u32 i;
	int r = longest ? find_longest(p, causes, longest) : -ENOMEM;

	for (i = 1; i < p->tasks_len && !r; i++)
		r = add_task(s, before, &p->tasks[i], &longest[i]);
	for (i = 1; i < p->waits_len && !r; i++) {
		if (p->waits[i].flags & WAIT_OPEN)
			set_open(s, p, i, !before);
	}
	mem_free(longest);
	s->causes = mem_array(p->waits_len, sizeof(*s->causes));
	if (!s->causes)
		return -ENOMEM;
	for (i = 1; i < p->waits_len; i++)
		s->causes[i] = (u8)causes__of(causes, i);
	return r;
}

int strips__next(const struct strips *before, const struct profile *p, struct cause_memo *memo,
		 struct strips **ret, struct err *err)
{
	struct strips *s = mem_alloc(sizeof(*s));
	struct causes causes;
	int r;

	*ret = NULL;
	if (!s)
		return err__nomem(err);
	map64__init(&s->by_tid);
	r = intern__init(&s->threads, sizeof(struct strip), offsetof(struct strip, states));
	if (!r) {
		r = causes__recall(&causes, p, memo, NULL);
		if (!r)
			r = fill(s, before, p, &causes);
		causes__done(&causes);
	}
	if (r) {
		strips__free(s);
		return err__nomem(err);
	}
	*ret = s;
	return 0;
}

void strips__free(struct strips *s)
{
	if (!s)
		return;
	intern__done(&s->threads);
	map64__done(&s->by_tid);
	mem_free(s->causes);
	mem_free(s);
}

const struct strip *strips__of(const struct strips *s, u32 tid)
{
	u64 id;

	return s && map64__get(&s->by_tid, tid, &id) ? intern__at(&s->threads, (u32)id) : NULL;
}

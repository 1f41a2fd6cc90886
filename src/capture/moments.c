/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/moments.h"

#include <errno.h>

#include "abi/waker.h"
#include "base/self_memory.h"

void moments__init(struct moments *ms, u64 most)
{
	*ms = (struct moments){ .most = most };
	vec__init(&ms->list, sizeof(struct cs_moment));
	vec__init(&ms->marks, sizeof(struct cs_mark));
	vec__init(&ms->heads, sizeof(struct request_head));
}

void moments__done(struct moments *ms)
{
	vec__done(&ms->list);
	vec__done(&ms->marks);
	vec__done(&ms->heads);
}

void moments__lose(struct moments *ms, const struct cs_moment *m)
{
	ms->lost++;
	ms->lost_ns += m->blocked_ns + m->runq_ns;
}

void moments__take(struct moments *ms, const struct cs_moment *m)
{
	struct cs_moment *copy = NULL;

	if (ms->list.len < ms->most && self_memory_allows(vec__growth(&ms->list, 1)))
		copy = vec__push(&ms->list);
	if (copy)
		*copy = *m;
	else
		moments__lose(ms, m);
}

/* 1 + its index; 0 if there is none, or no room for it. */
static u32 take_head(struct moments *ms, const struct request_head *head)
{
	struct request_head *copy = NULL;

	if (!head || (!head->name && !*head->trace))
		return 0;
	ms->heads_cut += head->is_cut;
	if (self_memory_allows(vec__growth(&ms->heads, 1)))
		copy = vec__push(&ms->heads);
	if (!copy) {
		ms->heads_cut += !head->is_cut;
		return 0;
	}
	*copy = *head;
	return (u32)ms->heads.len;
}

void moments__take_mark(struct moments *ms, const struct cs_mark *m,
			const struct request_head *head)
{
	struct cs_mark *copy = NULL;

	if (ms->marks.len < ms->most && self_memory_allows(vec__growth(&ms->marks, 1)))
		copy = vec__push(&ms->marks);
	if (!copy) {
		ms->marks_lost++;
		return;
	}
	*copy = *m;
	copy->head = take_head(ms, head);
}

static const struct request_head *head_of(const struct moments *ms, const struct cs_mark *m)
{
	return m->head ? vec__at(&ms->heads, m->head - 1) : NULL;
}

/* Threads that are not in the window are counted there, so their marks are left out. */
static int give_mark(const struct cs_mark *m, const struct request_head *head,
		     const struct mark_window *w, struct builder *b)
{
	struct profile_mark to = { .at_ns = m->at_ns - w->begin_ns,
				   .kind = m->probe & 1 ? MARK_END : MARK_BEGIN };
	u64 task;
	int r;

	if (!map64__get(w->tasks, m->task, &task))
		return 0;
	to.task = (u32)task;
	to.connection = m->connection;
	r = w->class_of(w->arg, m->probe >> 1, head, &to);
	return r ? r : builder__mark(b, &to);
}

int moments__give_marks(const struct moments *ms, const struct mark_window *w, struct builder *b)
{
	u64 lost = ms->marks_lost, heads_cut = ms->heads_cut;
	int r = 0;

	for (size_t i = 0; !r && i < ms->marks.len; i++) {
		const struct cs_mark *m = vec__at(&ms->marks, i);

		if (m->at_ns < w->begin_ns)
			continue;
		if (m->at_ns >= w->end_ns) {
			const struct request_head *head = head_of(ms, m);

			heads_cut -= head && head->is_cut;
			moments__take_mark(w->next, m, head);
		} else if (self_memory_allows(builder__mark_growth(b, 1)))
			r = give_mark(m, head_of(ms, m), w, b);
		else
			lost++;
	}
	if (!r)
		r = builder__loss(b, LOSS_HEADS_CUT, heads_cut, 0);
	return r ? r : builder__loss(b, LOSS_MARKS, lost, 0);
}

void moment_drain__init(struct moment_drain *d)
{
	map64__init(&d->waits);
	vec__init(&d->open, sizeof(struct profile_moment));
}

void moment_drain__done(struct moment_drain *d)
{
	map64__done(&d->waits);
	vec__done(&d->open);
}

int moment_drain__see(struct moment_drain *d, const struct cs_wait_key *key,
		      const struct profile_wait *w, u32 id)
{
	struct profile_moment *m;

	if (!(key->flags & CS_WAIT_OPEN))
		return map64__set(&d->waits, cs_wait_hash(key), id);
	/* The programs send none of these: it lasts to the end of the window. */
	m = vec__push(&d->open);
	if (!m)
		return -ENOMEM;
	*m = (struct profile_moment){ .blocked_ns = w->blocked_ns,
				      .runq_ns = w->runq_ns,
				      .wait = id };
	return 0;
}

static int give(struct moment_drain *d, const struct cs_moment *m, u64 begin_ns,
		struct wakers *wakers, struct builder *b, struct profile_loss *ret_lost)
{
	struct profile_moment to = { .end_ns = m->end_ns - begin_ns,
				     .blocked_ns = m->blocked_ns,
				     .runq_ns = m->runq_ns };
	u64 id = 0;
	int r = 0;

	/* Its wait found no room, or is of a thread that is not in the window: counted there. */
	if (!map64__get(&d->waits, m->wait, &id) || !id)
		return 0;
	if (!self_memory_allows(builder__moment_growth(b, 1))) {
		ret_lost->events++;
		ret_lost->ns += m->blocked_ns + m->runq_ns;
		return 0;
	}
	to.wait = (u32)id;
	if (wakers && m->waker)
		r = wakers__id(wakers, m->waker, &to.waker);
	return r ? r : builder__moment(b, &to);
}

int moment_drain__give(struct moment_drain *d, const struct moments *ms, u64 begin_ns,
		       u64 window_ns, struct wakers *wakers, struct builder *b)
{
	struct profile_loss lost = { ms->lost, ms->lost_ns };
	int r = 0;

	for (size_t i = 0; !r && i < ms->list.len; i++)
		r = give(d, vec__at(&ms->list, i), begin_ns, wakers, b, &lost);
	for (size_t i = 0; !r && i < d->open.len; i++) {
		struct profile_moment *m = vec__at(&d->open, i);

		m->end_ns = window_ns;
		r = builder__moment(b, m);
	}
	builder__header(b)->max_moments = ms->most;
	return r ? r : builder__loss(b, LOSS_MOMENTS, lost.events, lost.ns);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/request_span.h"

#include <errno.h>
#include <string.h>

#include "analysis/cause/syscall_name.h"
#include "analysis/path/critical_path.h"

/* So many steps are looked at for a request: threads may wake each other a million times. */
#define STEPS_MAX 100000

struct search {
	const struct lanes *l;
	const struct profile_request *req;
	struct vec *spans;
	u32 reader; /* lanes */
	u32 writer;
	u32 hands[REQUEST_HANDS_MAX]; /* lanes that the search is in */
	u32 hands_len;
	u32 looked; /* steps */
	bool is_found;
};

static int put(struct search *s, u32 lane, u64 begin_ns, u64 end_ns, bool is_split)
{
	struct request_span *span;

	if (begin_ns >= end_ns)
		return 0;
	span = vec__push(s->spans);
	if (!span)
		return -ENOMEM;
	*span = (struct request_span){ begin_ns, end_ns, lane, is_split };
	return 0;
}

static u64 woken_ns(const struct lanes *l, u32 step)
{
	return l->steps[step].begin_ns + l->p->moments[l->steps[step].moment].blocked_ns;
}

static u32 end_of(const struct lanes *l, u32 lane)
{
	return l->lanes[lane].first + l->lanes[lane].len;
}

/* Whether a recorded thread ended the wait of this step: which one. */
static bool find_waker(const struct lanes *l, u32 lane, u32 step, u32 *ret_lane)
{
	u32 waker;

	if (l->steps[step].kind != TIMELINE_WAIT || lanes__last_of_wait(l, lane, step) != step)
		return false;
	if (path_end_of_wait(l, lane, step, &waker) != PATH_KINDS_CNT)
		return false;
	*ret_lane = l->of_task[l->p->wakers[waker].task];
	return true;
}

static bool is_in(const struct search *s, u32 lane)
{
	for (u32 i = 0; i < s->hands_len; i++)
		if (s->hands[i] == lane)
			return true;
	return false;
}

static int lead(struct search *s, u32 lane, u64 begin_ns, u64 end_ns, u32 hands);

/* The thread had the request since a wakeup, if whoever woke it had it before. */
static int try_waker(struct search *s, u32 lane, u32 waker, u64 at_ns, u32 hands)
{
	int r = 0;

	if (hands == 1 && waker == s->reader) {
		s->is_found = true;
		return put(s, waker, s->req->begin_ns, at_ns, true);
	}
	if (hands == 1 || waker == s->reader || is_in(s, waker))
		return 0;
	s->hands[s->hands_len++] = lane;
	r = lead(s, waker, s->req->begin_ns, at_ns, hands - 1);
	s->hands_len--;
	return r;
}

/* The first wakeup of the thread in a span that the reader leads to by so many wakeups. */
static int lead(struct search *s, u32 lane, u64 begin_ns, u64 end_ns, u32 hands)
{
	u32 i = lanes__find(s->l, lane, begin_ns), waker;
	u64 at_ns;
	int r = 0;

	for (; i < end_of(s->l, lane) && s->l->steps[i].begin_ns < end_ns; i++) {
		if (++s->looked > STEPS_MAX)
			return 0;
		if (!find_waker(s->l, lane, i, &waker))
			continue;
		at_ns = woken_ns(s->l, i);
		if (at_ns < begin_ns || at_ns >= end_ns)
			continue;
		r = try_waker(s, lane, waker, at_ns, hands);
		if (r || s->is_found)
			return r ? r : put(s, lane, at_ns, end_ns, true);
	}
	return 0;
}

/* Where a scheduler of the program waits for whatever comes first. */
static bool is_of_many(const struct profile *p, s32 sysno)
{
	static const char *const names[] = { "epoll_wait",   "epoll_pwait",   "epoll_pwait2",
					     "poll",	     "ppoll",	      "select",
					     "pselect6",     "accept",	      "accept4",
					     "io_getevents", "io_uring_enter" };
	const char *name = syscall_name(profile__str(p, p->hdr.arch), sysno);

	for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/*
 * Whether the writer may have waited within its work: what it works on came from a thread, and a
 * timer or a device ended this wait.
 */
static bool is_within_work(const struct search *s, u32 step)
{
	const struct profile *p = s->l->p;
	u32 waker, wait = p->moments[s->l->steps[step].moment].wait;
	enum path_kind kind = path_end_of_wait(s->l, s->writer, step, &waker);

	return (kind == PATH_INTERRUPT || kind == PATH_IO || kind == PATH_SELF) &&
	       !is_of_many(p, p->waits[wait].sysno);
}

/*
 * Without a chain: since when the writer surely had it. Back from its write, that is the end of the
 * last wait that is not within its work, or when it was done with other connections. If neither is
 * within the request, nothing says when it took the request up: then it is its last wait.
 */
static u64 had_since_ns(const struct search *s)
{
	const struct lanes *l = s->l;
	u64 since_ns = s->req->taken_ns, last_ns = since_ns;
	bool is_sure = since_ns > s->req->begin_ns;

	for (u32 i = lanes__find(l, s->writer, since_ns); i < end_of(l, s->writer); i++) {
		const struct timeline_step *step = &l->steps[i];
		bool is_wait = step->kind == TIMELINE_WAIT;

		if (step->begin_ns >= s->req->end_ns)
			break;
		if (step->kind == TIMELINE_ON_CPU)
			continue;
		last_ns = is_wait ? woken_ns(l, i) : step->begin_ns + step->ns;
		if (is_wait && is_within_work(s, i))
			continue;
		since_ns = last_ns;
		is_sure = true;
	}
	if (!is_sure)
		since_ns = last_ns;
	if (since_ns < s->req->begin_ns)
		return s->req->begin_ns;
	return since_ns < s->req->end_ns ? since_ns : s->req->end_ns;
}

static int put_handed(struct search *s)
{
	const struct profile_request *req = s->req;
	u64 since_ns;
	int r = 0;

	for (u32 hands = 1; hands < REQUEST_HANDS_MAX && !r && !s->is_found; hands++)
		r = lead(s, s->writer, req->taken_ns, req->end_ns, hands);
	if (r || s->is_found)
		return r;
	since_ns = had_since_ns(s);
	r = put(s, s->reader, req->begin_ns, since_ns, false);
	return r ? r : put(s, s->writer, since_ns, req->end_ns, true);
}

int request_spans(const struct lanes *l, const struct profile_request *req, struct vec *spans)
{
	struct search s = { .l = l, .req = req, .spans = spans };

	vec__reset(spans);
	s.reader = l->of_task[req->task];
	s.writer = req->writer ? l->of_task[req->writer] : s.reader;
	if (s.writer == s.reader)
		return put(&s, s.reader, req->begin_ns, req->end_ns, true);
	return put_handed(&s);
}

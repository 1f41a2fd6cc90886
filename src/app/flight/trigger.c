/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows are shorter than the waits that people look for, so a wait is added up over the windows
 * that cut it, by thread. What crosses a length in this window fires in this window: a wait is
 * noticed while it lasts, and fires once.
 */
#include "app/flight/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/name/object_label.h"
#include "analysis/name/pattern.h"
#include "app/flight/request_firing.h"
#include "base/clock.h"
#include "base/text/units.h"
#include "base/text/utf8.h"

/* A wait that is not over, and how long it has been so far. */
struct open_wait {
	u64 start_boottime_ns;
	u32 tid;
	u64 ns;
};

/* An instant at which the number of threads in a state changes. */
struct edge {
	u64 at_ns;
	s32 threads;
	s32 blocked; /* all of them */
	s32 held_up; /* those of them that do not wait for work */
};

u64 triggers_request_ns(const struct trigger_spec *specs, size_t specs_len)
{
	u64 ns = ~0ULL;

	for (size_t i = 0; i < specs_len; i++)
		if (specs[i].kind == TRIGGER_REQUEST && specs[i].ns < ns)
			ns = specs[i].ns;
	return ns;
}

int triggers__init(struct triggers *t, const struct trigger_spec *specs, size_t specs_len)
{
	*t = (struct triggers){ .specs = specs,
				.specs_len = specs_len,
				.request_ns = triggers_request_ns(specs, specs_len) };
	vec__init(&t->open, sizeof(struct open_wait));
	return slow_requests__init(&t->requests);
}

void triggers__done(struct triggers *t)
{
	vec__done(&t->open);
	slow_requests__done(&t->requests);
}

static int by_thread(const void *pa, const void *pb)
{
	const struct open_wait *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->start_boottime_ns != b->start_boottime_ns)
		return a->start_boottime_ns < b->start_boottime_ns ? -1 : 1;
	return 0;
}

/* How long the wait of a moment had been when the window began. */
static u64 before_ns(const struct triggers *t, const struct profile *p,
		     const struct profile_moment *m)
{
	const struct profile_wait *w = &p->waits[m->wait];
	const struct profile_task *task = &p->tasks[w->task];
	const struct open_wait key = { .start_boottime_ns = task->start_boottime_ns,
				       .tid = task->tid },
			       *found;

	if (!(w->flags & WAIT_PRE) || !t->open.len)
		return 0;
	found = bsearch(&key, t->open.data, t->open.len, sizeof(key), by_thread);
	return found ? found->ns : 0;
}

static u64 moment_ns(const struct profile_moment *m)
{
	return m->blocked_ns + m->runq_ns;
}

/* The waits that the next window goes on with. */
static int keep_open(struct triggers *t, const struct profile *p)
{
	struct vec open;
	u32 i;

	vec__init(&open, sizeof(struct open_wait));
	for (i = 0; i < p->moments_len; i++) {
		const struct profile_moment *m = &p->moments[i];
		const struct profile_wait *w = &p->waits[m->wait];
		struct open_wait *o;

		if (!(w->flags & WAIT_OPEN))
			continue;
		o = vec__push(&open);
		if (!o) {
			vec__done(&open);
			return -ENOMEM;
		}
		*o = (struct open_wait){ p->tasks[w->task].start_boottime_ns, p->tasks[w->task].tid,
					 before_ns(t, p, m) + moment_ns(m) };
	}
	vec__done(&t->open);
	t->open = open;
	if (open.len)
		qsort(open.data, open.len, sizeof(struct open_wait), by_thread);
	return 0;
}

static bool fits(const struct trigger_spec *spec, const struct profile *p,
		 const struct causes *causes, u32 wait)
{
	const char *comm = profile__str(p, p->tasks[p->waits[wait].task].comm);

	if (spec->comm && !pattern_fits(spec->comm, spec->comm_len, comm, strlen(comm)))
		return false;
	if (spec->causes)
		return spec->causes & CAUSE_SET(causes__of(causes, wait));
	return causes__class(causes, wait) != CLASS_IDLE &&
	       causes__class(causes, wait) != CLASS_EXPECTED;
}

/* "wait>200ms at 2026-11-21T10:03:00.123Z: "; its length. */
static size_t begin_text(struct firing *f, const struct profile *p)
{
	char at[32];

	clock_format_wall(p->hdr.begin_wall_ns + f->at_ns, at, sizeof(at));
	return (size_t)snprintf(f->why, sizeof(f->why), "%.128s at %s: ", f->spec->text, at);
}

static void tell_wait(struct firing *f, const struct profile *p, const struct causes *causes,
		      const struct profile_moment *m, u64 ns)
{
	const struct profile_wait *w = &p->waits[m->wait];
	char object[OBJECT_LABEL_SZ] = "", comm[64], length[32];
	size_t len;

	f->at_ns = m->end_ns;
	len = begin_text(f, p);
	units_format_ns(ns, length, sizeof(length));
	if (object_says_something(p, w->object))
		object_label_without_device(p, w->object, object, sizeof(object));
	snprintf(f->why + len, sizeof(f->why) - len, "%s (%u) %s %s in %s%s%.200s",
		 utf8_copy_harmless(profile__str(p, p->tasks[w->task].comm), comm, sizeof(comm)),
		 p->tasks[w->task].tid, w->flags & WAIT_OPEN ? "has waited" : "waited", length,
		 cause_name(causes__of(causes, m->wait)), *object ? " for " : "", object);
}

static bool find_wait(const struct triggers *t, const struct profile *p,
		      const struct causes *causes, struct firing *f)
{
	const struct profile_moment *longest = NULL;
	u64 longest_ns = 0;
	u32 i;

	for (i = 0; i < p->moments_len; i++) {
		const struct profile_moment *m = &p->moments[i];
		u64 before = before_ns(t, p, m), ns = before + moment_ns(m);

		if (before > f->spec->ns || ns <= f->spec->ns || ns <= longest_ns ||
		    !fits(f->spec, p, causes, m->wait))
			continue;
		longest = m;
		longest_ns = ns;
	}
	if (longest)
		tell_wait(f, p, causes, longest, longest_ns);
	return longest;
}

static int add_edges(struct vec *edges, u64 begin_ns, u64 end_ns, struct edge by)
{
	struct edge *e = vec__push_n(edges, 2);

	if (!e)
		return -ENOMEM;
	e[0] = by;
	e[0].at_ns = begin_ns;
	e[1] = (struct edge){ end_ns, -by.threads, -by.blocked, -by.held_up };
	return 0;
}

static int by_instant(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static int find_edges(const struct profile *p, const struct causes *causes, struct vec *edges)
{
	int r = 0;
	u32 i;

	for (i = 1; i < p->tasks_len && !r; i++)
		r = add_edges(edges, p->tasks[i].begin_ns,
			      p->tasks[i].begin_ns + p->tasks[i].wall_ns,
			      (struct edge){ .threads = 1 });
	for (i = 0; i < p->moments_len && !r; i++) {
		const struct profile_moment *m = &p->moments[i];
		bool idle = causes__class(causes, m->wait) == CLASS_IDLE;
		u64 begin_ns = moment_begin_ns(m);

		if (m->blocked_ns)
			r = add_edges(edges, begin_ns, begin_ns + m->blocked_ns,
				      (struct edge){ .blocked = 1, .held_up = !idle });
	}
	if (edges->len)
		qsort(edges->data, edges->len, sizeof(struct edge), by_instant);
	return r;
}

/* The stretches of a window in which all threads were blocked, and not all for want of work. */
struct stretches {
	u64 longest_ns; /* with what it was long before the window */
	u64 longest_before_ns;
	u64 longest_end_ns;
	u64 last_ns; /* one that is not over; 0: none */
	s32 threads; /* during the longest */
};

static void sum_up(const struct vec *edges, u64 before, u64 window_ns, struct stretches *s)
{
	struct edge now = { 0 };
	u64 begin_ns = 0;
	bool in = false;
	size_t i = 0;

	while (i < edges->len) {
		u64 at = ((const struct edge *)vec__at(edges, i))->at_ns, ns;

		/* a stretch ends where anything changes, and goes on if it still is one */
		ns = in ? at - begin_ns + before : 0;
		if (ns > s->longest_ns)
			*s = (struct stretches){ ns, before, at, 0, now.threads };
		s->last_ns = at >= window_ns ? ns : 0;
		for (; i < edges->len; i++) {
			const struct edge *e = vec__at(edges, i);

			if (e->at_ns != at)
				break;
			now.threads += e->threads;
			now.blocked += e->blocked;
			now.held_up += e->held_up;
		}
		if (!in)
			begin_ns = at;
		/* only one that began with the window goes on from the one before */
		if (!in && at)
			before = 0;
		in = now.held_up > 0 && now.blocked == now.threads;
		if (!in)
			before = 0;
	}
}

/* CPUs had room: half a CPU at least had nothing to run, so threads were not short of one. */
static bool find_blocked(struct triggers *t, const struct profile *p, const struct vec *edges,
			 u64 idle_ns, struct firing *f)
{
	struct stretches s = { 0 };
	char length[32];
	size_t len;

	sum_up(edges, t->blocked_ns, p->hdr.window_ns, &s);
	if (s.longest_before_ns > f->spec->ns || s.longest_ns <= f->spec->ns)
		return false;
	f->at_ns = s.longest_end_ns;
	len = begin_text(f, p);
	units_format_ns(s.longest_ns, length, sizeof(length));
	snprintf(f->why + len, sizeof(f->why) - len,
		 "all %d thread%s blocked for %s, while %.1f of %u CPUs were idle", s.threads,
		 units_plural((u64)s.threads), length, (double)idle_ns / (double)p->hdr.window_ns,
		 p->hdr.ncpu);
	return true;
}

static int push(struct vec *firings, const struct firing *f)
{
	struct firing *to = vec__push(firings);

	if (!to)
		return -ENOMEM;
	*to = *f;
	return 0;
}

static int find_request(const struct triggers *t, const struct vec *slow,
			struct slow_windows *windows, struct vec *firings, struct firing *f)
{
	const struct slow_request *req;
	struct slow_parts parts;
	int r = request_firing_find(f->spec, &t->requests, slow, windows, &req, &parts);
	const struct profile *p = windows->windows[windows->len - 1];
	size_t len;

	if (r || !req)
		return r;
	f->at_ns = req->end_ns - (windows->end_ns - p->hdr.window_ns);
	len = begin_text(f, p);
	request_firing_text(&t->requests, req, &parts, f->why + len, sizeof(f->why) - len);
	return push(firings, f);
}

static int look_at_requests(struct triggers *t, const struct trigger_look *look,
			    struct vec *firings)
{
	struct slow_windows windows;
	struct vec slow;
	int r;

	if (t->request_ns == ~0ULL)
		return 0;
	vec__init(&slow, sizeof(struct slow_request));
	r = slow_requests__look(&t->requests, look->windows[look->len - 1], t->request_ns, &slow);
	slow_windows__init(&windows, look->windows, look->len, t->requests.passed_ns, look->rules);
	for (size_t i = 0; i < t->specs_len && !r && slow.len; i++) {
		struct firing f = { .spec = &t->specs[i] };

		if (f.spec->kind == TRIGGER_REQUEST)
			r = find_request(t, &slow, &windows, firings, &f);
	}
	slow_windows__done(&windows);
	vec__done(&slow);
	return r;
}

static bool fires(struct triggers *t, const struct trigger_look *look, const struct vec *edges,
		  struct firing *f)
{
	const struct profile *p = look->windows[look->len - 1];

	if (f->spec->kind == TRIGGER_WAIT)
		return find_wait(t, p, look->causes, f);
	return f->spec->kind == TRIGGER_BLOCKED && look->idle_ns >= p->hdr.window_ns / 2 &&
	       find_blocked(t, p, edges, look->idle_ns, f);
}

int triggers__look(struct triggers *t, const struct trigger_look *look, struct vec *firings)
{
	const struct profile *p = look->windows[look->len - 1];
	struct stretches last = { 0 };
	struct vec edges;
	size_t i;
	int r;

	vec__init(&edges, sizeof(struct edge));
	r = find_edges(p, look->causes, &edges);
	for (i = 0; i < t->specs_len && !r; i++) {
		struct firing f = { .spec = &t->specs[i] };

		if (fires(t, look, &edges, &f))
			r = push(firings, &f);
	}
	if (!r)
		r = look_at_requests(t, look, firings);
	if (!r && look->idle_ns >= p->hdr.window_ns / 2)
		sum_up(&edges, t->blocked_ns, p->hdr.window_ns, &last);
	t->blocked_ns = last.last_ns;
	vec__done(&edges);
	return r ? r : keep_open(t, p);
}

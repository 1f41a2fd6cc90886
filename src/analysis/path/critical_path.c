/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules are those of Perfetto's critical path. They are often written as a walk backwards; but
 * what a thread did in a given span does not depend on the direction, so this goes forwards and
 * gives the parts in their order.
 *
 * Threads that wake each other in a circle cannot both be blocked all of the time, except where
 * clocks or wakers are wrong. A thread whose wait the path is in is therefore not entered again.
 *
 * Perfetto does not follow a waker out of an uninterruptible sleep. We do unless it is I/O: an
 * owner of a kernel lock, or a child after vfork(), is the answer to the question.
 */
#include "analysis/path/critical_path.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

struct span {
	u64 begin_ns;
	u64 end_ns;
};

static const struct {
	const char *name;
	bool known;
	const char *sentence;
} kinds[] = {
#define X(NAME, name, known, sentence) { name, known, sentence },
	PATH_KINDS(X)
#undef X
};

const char *path_kind_name(enum path_kind kind)
{
	return kinds[kind < PATH_KINDS_CNT ? kind : PATH_LOST].name;
}

const char *path_kind_sentence(enum path_kind kind)
{
	return kinds[kind < PATH_KINDS_CNT ? kind : PATH_LOST].sentence;
}

bool path_kind_is_known(enum path_kind kind)
{
	return kind < PATH_KINDS_CNT && kinds[kind].known;
}

static const struct profile *profile_of(const struct critical_path *c)
{
	return c->lanes->p;
}

static const struct path_link *link_of(const struct critical_path *c, u32 link)
{
	return vec__at(&c->links, link);
}

static int put(struct critical_path *c, struct span s, struct path_part part)
{
	struct path_part *to;

	if (s.begin_ns >= s.end_ns)
		return 0;
	to = vec__push(&c->parts);
	if (!to)
		return -ENOMEM;
	*to = part;
	to->begin_ns = s.begin_ns;
	to->ns = s.end_ns - s.begin_ns;
	return 0;
}

enum path_kind path_end(const struct lanes *l, u32 lane, const struct profile_wait *wait, u32 waker)
{
	const struct profile_waker *w = &l->p->wakers[waker];

	if (waker && w->context != WAKER_THREAD && w->context != WAKER_OTHER)
		return PATH_INTERRUPT;
	if (wait->flags & WAIT_IOWAIT)
		return PATH_IO;
	if (!waker)
		return wait->flags & WAIT_OPEN ? PATH_OPEN : PATH_UNSEEN;
	if (w->context == WAKER_OTHER)
		return PATH_UNSEEN;
	if (w->flags & WAKER_SELF)
		return PATH_SELF;
	if (!w->task)
		return PATH_UNRECORDED;
	return l->of_task[w->task] == lane ? PATH_SELF : PATH_KINDS_CNT;
}

enum path_kind path_end_of_wait(const struct lanes *l, u32 lane, u32 step, u32 *ret_waker)
{
	const struct profile *p = l->p;

	*ret_waker = p->moments[l->steps[lanes__last_of_wait(l, lane, step)].moment].waker;
	return path_end(l, lane, &p->waits[p->moments[l->steps[step].moment].wait], *ret_waker);
}

static int walk(struct critical_path *c, u32 lane, struct span s, u32 link);

static int follow(struct critical_path *c, const struct timeline_step *step, u32 waker,
		  struct span s, u32 link)
{
	u32 lane = c->lanes->of_task[profile_of(c)->wakers[waker].task], depth;
	struct path_link *to;
	int r;

	depth = link_of(c, link)->depth + 1;
	if (c->busy[lane] || depth > PATH_DEPTH_MAX)
		return put(c, s,
			   (struct path_part){
				   .task = step->task,
				   .kind = c->busy[lane] ? PATH_LOOP : PATH_DEPTH,
				   .link = link,
				   .moment = step->moment + 1,
				   .waker = waker,
			   });
	to = vec__push(&c->links);
	if (!to)
		return -ENOMEM;
	*to = (struct path_link){
		.parent = link,
		.moment = step->moment,
		.task = step->task,
		.waker = waker,
		.depth = depth,
	};
	c->busy[lane] = true;
	r = walk(c, lane, s, (u32)c->links.len - 1);
	c->busy[lane] = false;
	return r;
}

static int put_blocked(struct critical_path *c, u32 lane, u32 idx, struct span s, u32 link)
{
	const struct timeline_step *step = &c->lanes->steps[idx];
	u32 waker;
	enum path_kind kind = path_end_of_wait(c->lanes, lane, idx, &waker);

	if (s.begin_ns >= s.end_ns)
		return 0;
	if (kind == PATH_KINDS_CNT)
		return follow(c, step, waker, s, link);
	return put(c, s,
		   (struct path_part){
			   .task = step->task,
			   .kind = kind,
			   .link = link,
			   .moment = step->moment + 1,
			   .waker = waker,
		   });
}

/* The part of a step inside of a span. */
static int put_step(struct critical_path *c, u32 lane, u32 idx, struct span s, u32 link)
{
	const struct timeline_step *step = &c->lanes->steps[idx];
	struct path_part part = { .task = step->task, .link = link };
	u64 woken_ns;
	int r;

	if (step->kind != TIMELINE_WAIT) {
		part.kind = step->kind == TIMELINE_ON_CPU ? PATH_RUNNING : PATH_LOST;
		return put(c, s, part);
	}
	woken_ns = step->begin_ns + profile_of(c)->moments[step->moment].blocked_ns;
	r = put_blocked(c, lane, idx,
			(struct span){ s.begin_ns, woken_ns < s.end_ns ? woken_ns : s.end_ns },
			link);
	part.kind = PATH_RUNQ;
	part.moment = step->moment + 1;
	if (woken_ns > s.begin_ns)
		s.begin_ns = woken_ns;
	return r ? r : put(c, s, part);
}

/* Time in which the lane has no step. The wait for a thread that is not there yet is a wait. */
static int put_gap(struct critical_path *c, u32 lane, struct span s, u32 link)
{
	const struct path_link *from = link_of(c, link);
	struct path_part part = { .task = c->lanes->lanes[lane].task, .kind = PATH_LOST };

	part.link = link;
	if (link && s.begin_ns < c->lanes->lanes[lane].begin_ns) {
		part.kind = PATH_UNBORN;
		part.task = from->task;
		part.moment = from->moment + 1;
		part.waker = from->waker;
		part.link = from->parent;
	}
	return put(c, s, part);
}

static int walk(struct critical_path *c, u32 lane, struct span s, u32 link)
{
	const struct lane *l = &c->lanes->lanes[lane];
	u32 i = lanes__find(c->lanes, lane, s.begin_ns);
	int r = 0;

	for (; i < l->first + l->len && c->lanes->steps[i].begin_ns < s.end_ns && !r; i++) {
		const struct timeline_step *step = &c->lanes->steps[i];
		struct span in = { step->begin_ns, step->begin_ns + step->ns };

		if (in.begin_ns > s.begin_ns)
			r = put_gap(c, lane, (struct span){ s.begin_ns, in.begin_ns }, link);
		else
			in.begin_ns = s.begin_ns;
		if (in.end_ns > s.end_ns)
			in.end_ns = s.end_ns;
		if (!r)
			r = put_step(c, lane, i, in, link);
		s.begin_ns = in.end_ns;
	}
	return r ? r : put_gap(c, lane, s, link);
}

int critical_path__again(struct critical_path *c, struct path_range range)
{
	const struct span s = { range.begin_ns, range.end_ns };
	int r;

	vec__reset(&c->parts);
	vec__reset(&c->links);
	c->range = range;
	if (!vec__push(&c->links))
		return -ENOMEM;
	c->busy[range.lane] = true;
	r = walk(c, range.lane, s, 0);
	c->busy[range.lane] = false;
	return r;
}

int critical_path__init(struct critical_path *c, const struct lanes *lanes, struct path_range range)
{
	memset(c, 0, sizeof(*c));
	c->lanes = lanes;
	vec__init(&c->parts, sizeof(struct path_part));
	vec__init(&c->links, sizeof(struct path_link));
	c->busy = mem_array((size_t)lanes->len + 1, sizeof(*c->busy));
	return c->busy ? critical_path__again(c, range) : -ENOMEM;
}

void critical_path__done(struct critical_path *c)
{
	if (!c)
		return;
	vec__done(&c->parts);
	vec__done(&c->links);
	mem_free(c->busy);
	c->busy = NULL;
}

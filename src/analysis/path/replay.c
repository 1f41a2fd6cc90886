/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From steps to operations. Two things are not in a recording and are concluded:
 *
 * - Who started a thread: one that was on a CPU then, of the same process, or else of the name that
 *   the new one begins with.
 * - Whether a thread waited for a CPU because of recorded threads: only while these were on all
 *   CPUs. The rest of that time is somebody else's, or the wakeup itself, and stays a delay.
 */
#include "analysis/path/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/path/critical_path.h"
#include "base/mem.h"

/* A point of a lane at which an event happens. */
struct mark {
	u64 at_ns;
	u32 lane;
	u32 event;
};

/* In the order in which they count at one instant. */
enum turn_kind {
	TURN_ON, /* the lane gets a CPU */
	TURN_BORN,
	TURN_OFF,
};

struct turn {
	u64 at_ns;
	u32 lane;
	u32 kind; /* enum turn_kind */
};

/* From an instant on: how long CPUs were free until then, in all, and whether one is. */
struct load {
	u64 at_ns;
	u64 free_ns;
	bool is_free;
};

struct planning {
	struct replay *r;
	const struct lanes *lanes;
	const struct profile *p;
	struct vec marks; /* struct mark */
	struct vec turns; /* struct turn */
	struct vec loads; /* struct load */
	struct vec running; /* u32 lanes, at the turn at hand */
};

static int add_mark(struct planning *s, u32 lane, u64 at_ns, u32 event)
{
	struct mark *m = vec__push(&s->marks);

	if (!m)
		return -ENOMEM;
	*m = (struct mark){ at_ns, lane, event };
	return 0;
}

static int add_turn(struct planning *s, u64 at_ns, u32 lane, enum turn_kind kind)
{
	struct turn *t = vec__push(&s->turns);

	if (!t)
		return -ENOMEM;
	*t = (struct turn){ at_ns, lane, kind };
	return 0;
}

static u64 woken_ns(const struct planning *s, u32 step)
{
	const struct timeline_step *st = &s->lanes->steps[step];

	return st->begin_ns + s->p->moments[st->moment].blocked_ns;
}

/* The point of the waker at which it ended the wait of this step. */
static int mark_wakeup(struct planning *s, u32 lane, u32 step)
{
	u32 waker;

	if (lanes__last_of_wait(s->lanes, lane, step) != step ||
	    path_end_of_wait(s->lanes, lane, step, &waker) != PATH_KINDS_CNT)
		return 0;
	return add_mark(s, s->lanes->of_task[s->p->wakers[waker].task], woken_ns(s, step), step);
}

static int look_at_lane(struct planning *s, u32 lane)
{
	const struct lane *l = &s->lanes->lanes[lane];
	u32 i;
	int r = 0;

	s->r->list[lane].begin_ns = l->begin_ns;
	if (l->len && s->p->tasks[l->task].flags & TASK_BORN)
		r = add_turn(s, l->begin_ns, lane, TURN_BORN);
	for (i = l->first; i < l->first + l->len && !r; i++) {
		const struct timeline_step *st = &s->lanes->steps[i];

		if (st->kind == TIMELINE_WAIT)
			r = mark_wakeup(s, lane, i);
		if (st->kind != TIMELINE_ON_CPU)
			continue;
		r = add_turn(s, st->begin_ns, lane, TURN_ON);
		if (!r)
			r = add_turn(s, st->begin_ns + st->ns, lane, TURN_OFF);
	}
	return r;
}

static int by_instant(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* How likely it is that one started the other: 0 is not at all. */
static u32 kinship(const struct planning *s, u32 lane, u32 born)
{
	const struct profile_task *t = &s->p->tasks[s->lanes->lanes[born].task];
	const struct profile_task *from = &s->p->tasks[s->lanes->lanes[lane].last_task];

	if (lane == born)
		return 0;
	if (from->tgid == t->tgid)
		return 2;
	return from->comm == t->comm || from->group_comm == t->comm;
}

static int mark_birth(struct planning *s, const struct turn *t)
{
	u32 best = 0, event, creator = 0;
	size_t i;

	for (i = 0; i < s->running.len; i++) {
		u32 lane = *(u32 *)vec__at(&s->running, i);

		if (kinship(s, lane, t->lane) > best) {
			best = kinship(s, lane, t->lane);
			creator = lane;
		}
	}
	if (!best)
		return 0;
	event = s->r->events++;
	s->r->list[t->lane].birth = event + 1;
	return add_mark(s, creator, t->at_ns, event);
}

static int turn(struct planning *s, const struct turn *t)
{
	u32 *slot;
	size_t i;

	if (t->kind == TURN_BORN)
		return mark_birth(s, t);
	if (t->kind == TURN_ON) {
		slot = vec__push(&s->running);
		if (slot)
			*slot = t->lane;
		return slot ? 0 : -ENOMEM;
	}
	for (i = 0; i < s->running.len; i++) {
		slot = vec__at(&s->running, i);
		if (*slot != t->lane)
			continue;
		*slot = *(u32 *)vec__at(&s->running, s->running.len - 1);
		s->running.len--;
		break;
	}
	return 0;
}

/* What CPUs did, from turn to turn. */
static int find_load(struct planning *s)
{
	u64 free_ns = 0, at_ns = 0;
	size_t i;
	int r = 0;

	if (s->turns.len > 1)
		qsort(s->turns.data, s->turns.len, sizeof(struct turn), by_instant);
	for (i = 0; i < s->turns.len && !r; i++) {
		const struct turn *t = vec__at(&s->turns, i);
		struct load *l = vec__push(&s->loads);

		if (!l)
			return -ENOMEM;
		if (s->running.len < s->p->hdr.ncpu || !s->p->hdr.ncpu)
			free_ns += t->at_ns - at_ns;
		at_ns = t->at_ns;
		r = turn(s, t);
		*l = (struct load){ at_ns, free_ns,
				    s->running.len < s->p->hdr.ncpu || !s->p->hdr.ncpu };
	}
	return r;
}

static u64 free_until(const struct planning *s, u64 at_ns)
{
	size_t low = 0, high = s->loads.len;
	const struct load *l;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (((const struct load *)vec__at(&s->loads, mid))->at_ns > at_ns)
			high = mid;
		else
			low = mid + 1;
	}
	if (!low)
		return at_ns;
	l = vec__at(&s->loads, low - 1);
	return l->free_ns + (l->is_free ? at_ns - l->at_ns : 0);
}

static int add_op(struct planning *s, struct replay_op op)
{
	struct replay_op *to = vec__push(&s->r->ops);

	if (!to)
		return -ENOMEM;
	*to = op;
	return 0;
}

static int add_run(struct planning *s, u64 ns)
{
	return ns ? add_op(s, (struct replay_op){ .kind = REPLAY_RUN, .ns = ns }) : 0;
}

static int plan_wait(struct planning *s, u32 lane, u32 step)
{
	const struct lane *l = &s->lanes->lanes[lane];
	const struct timeline_step *st = &s->lanes->steps[step];
	const struct profile_moment *m = &s->p->moments[st->moment];
	u64 end_ns = st->begin_ns + st->ns;
	u32 waker;
	enum path_kind kind = path_end_of_wait(s->lanes, lane, step, &waker);
	struct replay_op op = { .ns = m->blocked_ns, .kind = REPLAY_DELAY, .wait = m->wait };
	int r = 0;

	if (kind == PATH_KINDS_CNT) {
		op.kind = REPLAY_WAIT;
		op.id = lanes__last_of_wait(s->lanes, lane, step);
	} else if (kind == PATH_OPEN && step + 1 == l->first + l->len) {
		op.kind = REPLAY_STOP;
	}
	if (m->blocked_ns)
		r = add_op(s, op);
	op = (struct replay_op){
		.kind = REPLAY_OTHERS,
		.ns = free_until(s, end_ns) - free_until(s, end_ns - m->runq_ns),
	};
	return r || !op.ns ? r : add_op(s, op);
}

/* `mark` is the next one of the lane, `end` behind its last one; those in this step are used up. */
static int plan_step(struct planning *s, u32 lane, u32 step, const struct mark **mark,
		     const struct mark *end)
{
	const struct timeline_step *st = &s->lanes->steps[step];
	u64 at_ns = st->begin_ns, end_ns = st->begin_ns + st->ns;
	bool runs = st->kind == TIMELINE_ON_CPU;
	int r = 0;

	for (; *mark < end && (*mark)->at_ns < end_ns && !r; ++*mark) {
		if (runs && (*mark)->at_ns > at_ns) {
			r = add_run(s, (*mark)->at_ns - at_ns);
			at_ns = (*mark)->at_ns;
		}
		if (!r)
			r = add_op(s,
				   (struct replay_op){ .kind = REPLAY_POST, .id = (*mark)->event });
	}
	if (r || runs)
		return r ? r : add_run(s, end_ns - at_ns);
	if (st->kind == TIMELINE_WAIT)
		return plan_wait(s, lane, step);
	return add_op(s, (struct replay_op){ .kind = REPLAY_DELAY, .ns = st->ns });
}

static int by_lane(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int plan(struct planning *s)
{
	const struct mark *mark, *end;
	u32 lane, i;
	int r = 0;

	if (s->marks.len > 1)
		qsort(s->marks.data, s->marks.len, sizeof(struct mark), by_lane);
	mark = s->marks.data;
	for (lane = 0; lane < s->lanes->len && !r; lane++) {
		const struct lane *l = &s->lanes->lanes[lane];

		s->r->list[lane].first = (u32)s->r->ops.len;
		for (end = mark;
		     s->marks.len && end < (const struct mark *)s->marks.data + s->marks.len &&
		     end->lane == lane;
		     end++)
			;
		for (i = l->first; i < l->first + l->len && !r; i++)
			r = plan_step(s, lane, i, &mark, end);
		for (; mark < end && !r; mark++)
			r = add_op(s, (struct replay_op){ .kind = REPLAY_POST, .id = mark->event });
		s->r->list[lane].len = (u32)s->r->ops.len - s->r->list[lane].first;
	}
	return r;
}

int replay__init(struct replay *r, const struct lanes *lanes)
{
	struct planning s = { .r = r, .lanes = lanes, .p = lanes->p };
	u32 lane;
	int ret = 0;

	memset(r, 0, sizeof(*r));
	r->lanes = lanes;
	vec__init(&r->ops, sizeof(struct replay_op));
	vec__init(&s.marks, sizeof(struct mark));
	vec__init(&s.turns, sizeof(struct turn));
	vec__init(&s.loads, sizeof(struct load));
	vec__init(&s.running, sizeof(u32));
	for (lane = 0; lane < lanes->len; lane++)
		r->events += lanes->lanes[lane].len;
	r->list = mem_array((size_t)lanes->len + 1, sizeof(*r->list));
	if (!r->list)
		ret = -ENOMEM;
	for (lane = 0; lane < lanes->len && !ret; lane++)
		ret = look_at_lane(&s, lane);
	if (!ret)
		ret = find_load(&s);
	if (!ret)
		ret = plan(&s);
	vec__done(&s.marks);
	vec__done(&s.turns);
	vec__done(&s.loads);
	vec__done(&s.running);
	return ret;
}

void replay__done(struct replay *r)
{
	if (!r)
		return;
	mem_free(r->list);
	vec__done(&r->ops);
	r->list = NULL;
}

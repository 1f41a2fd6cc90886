/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay: events in the order of time, a list of threads that want a CPU, first come first
 * served, and slices, so that a long computation does not keep others from a CPU. The kernel is
 * cleverer, and does not say how; what a replay predicts is compared with a replay of the recording
 * as it was, so that much of that cancels out.
 */
#include <errno.h>
#include <string.h>

#include "analysis/path/replay.h"
#include "base/mem.h"

#define SLICE_NS 3000000ULL /* base_slice_ns of Linux, on a few CPUs */
#define NO_LANE 0xffffffff

enum lane_state {
	LANE_UNBORN,
	LANE_READY, /* in the list of those that want a CPU */
	LANE_RUNNING,
	LANE_DELAYED,
	LANE_WAITING, /* for an event, perhaps for a limited time */
	LANE_DONE,
};

struct runner {
	u32 state; /* enum lane_state */
	u32 op; /* index, of its own */
	u64 left_ns; /* of a REPLAY_RUN */
	u32 serial; /* of the alarm that counts */
	u32 next; /* in the list of READY */
};

/* Something that happens to a lane. */
struct alarm {
	u64 at_ns;
	u32 lane;
	u32 serial;
};

struct running {
	const struct replay *r;
	const struct replay_question *q;
	struct runner *runners; /* by lane */
	bool *happened; /* by event */
	u32 *waiting; /* by event: the lane that waits for it; it is of one wait, or of one birth */
	struct vec alarms; /* struct alarm; a heap, the first is the earliest */
	u32 first_ready;
	u32 last_ready;
	u32 busy; /* CPUs */
	u64 now_ns;
};

static bool is_earlier(const struct alarm *x, const struct alarm *y)
{
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns;
	return x->lane != y->lane ? x->lane < y->lane : x->serial < y->serial;
}

static void swap(struct alarm *x, struct alarm *y)
{
	struct alarm keep = *x;

	*x = *y;
	*y = keep;
}

/* The lane's other alarms no longer count. */
static int set_alarm(struct running *s, u32 lane, u64 at_ns)
{
	struct alarm *heap = vec__push(&s->alarms);
	size_t i = s->alarms.len - 1;

	if (!heap)
		return -ENOMEM;
	heap = s->alarms.data;
	heap[i] = (struct alarm){ at_ns, lane, ++s->runners[lane].serial };
	for (; i && is_earlier(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
	return 0;
}

static struct alarm take_alarm(struct running *s)
{
	struct alarm *heap = s->alarms.data, first = heap[0];
	size_t len = --s->alarms.len, i = 0;

	heap[0] = heap[len];
	for (;;) {
		size_t least = i, k;

		for (k = 2 * i + 1; k <= 2 * i + 2 && k < len; k++) {
			if (is_earlier(&heap[k], &heap[least]))
				least = k;
		}
		if (least == i)
			return first;
		swap(&heap[i], &heap[least]);
		i = least;
	}
}

static const struct replay_op *op_of(const struct running *s, u32 lane)
{
	const struct replay_lane *l = &s->r->list[lane];
	u32 op = s->runners[lane].op;

	return op < l->len ? vec__at(&s->r->ops, l->first + op) : NULL;
}

static int dispatch(struct running *s, u32 lane)
{
	struct runner *run = &s->runners[lane];

	run->state = LANE_RUNNING;
	return set_alarm(s, lane, s->now_ns + (run->left_ns < SLICE_NS ? run->left_ns : SLICE_NS));
}

/* Wants a CPU. */
static int make_ready(struct running *s, u32 lane)
{
	struct runner *run = &s->runners[lane];

	if (s->busy < s->q->cpus) {
		s->busy++;
		return dispatch(s, lane);
	}
	run->state = LANE_READY;
	run->next = NO_LANE;
	if (s->first_ready == NO_LANE)
		s->first_ready = lane;
	else
		s->runners[s->last_ready].next = lane;
	s->last_ready = lane;
	return 0;
}

/* A CPU has nothing to do. */
static int give_cpu(struct running *s)
{
	u32 lane = s->first_ready;

	if (lane == NO_LANE) {
		s->busy--;
		return 0;
	}
	s->first_ready = s->runners[lane].next;
	return dispatch(s, lane);
}

/* How long a delay or wait lasts after it was shortened. */
static u64 shortened_ns(const struct running *s, const struct replay_op *op)
{
	u32 percent = op->wait && s->q->percent ? s->q->percent[op->wait] : 0;

	if (op->kind == REPLAY_OTHERS && s->q->is_alone)
		return 0;
	return op->ns - op->ns / 100 * percent - op->ns % 100 * percent / 100;
}

static bool may_shorten(const struct running *s, const struct replay_op *op)
{
	return s->q->percent && s->q->percent[op->wait] && s->q->woken && s->q->woken[op->wait];
}

static int wait_for(struct running *s, u32 lane, const struct replay_op *op)
{
	struct runner *run = &s->runners[lane];

	run->state = LANE_WAITING;
	s->waiting[op->id] = lane;
	run->serial++;
	return may_shorten(s, op) ? set_alarm(s, lane, s->now_ns + shortened_ns(s, op)) : 0;
}

static int go_on(struct running *s, u32 lane, bool has_cpu);

static int wake(struct running *s, u32 lane)
{
	s->runners[lane].op++;
	return go_on(s, lane, false);
}

/* An event happens: who waits for it, goes on. */
static int post(struct running *s, u32 event)
{
	u32 lane = s->waiting[event];

	s->happened[event] = true;
	s->waiting[event] = NO_LANE;
	if (lane == NO_LANE)
		return 0;
	s->runners[lane].serial++;
	return s->runners[lane].state == LANE_UNBORN ? go_on(s, lane, false) : wake(s, lane);
}

/*
 * Operations up to one that takes time. A thread that posts has a CPU, which it keeps for what it
 * does next.
 */
static int go_on(struct running *s, u32 lane, bool has_cpu)
{
	struct runner *run = &s->runners[lane];
	const struct replay_op *op;
	int r = 0;

	for (; !r && (op = op_of(s, lane)); run->op++) {
		if (op->kind == REPLAY_POST) {
			r = post(s, op->id);
			continue;
		}
		if (op->kind == REPLAY_RUN) {
			run->left_ns = op->ns;
			return has_cpu ? dispatch(s, lane) : make_ready(s, lane);
		}
		/* of the thread in question it lasts as long as it was seen to */
		if (op->kind == REPLAY_STOP && lane != s->q->lane) {
			run->state = LANE_DONE;
			return has_cpu ? give_cpu(s) : 0;
		}
		if (op->kind == REPLAY_WAIT && s->happened[op->id])
			continue;
		if (op->kind == REPLAY_WAIT) {
			if (may_shorten(s, op) && !shortened_ns(s, op))
				continue;
			r = wait_for(s, lane, op);
		} else if (shortened_ns(s, op)) {
			run->state = LANE_DELAYED;
			r = set_alarm(s, lane, s->now_ns + shortened_ns(s, op));
		} else {
			continue;
		}
		return !r && has_cpu ? give_cpu(s) : r;
	}
	if (r)
		return r;
	run->state = LANE_DONE;
	return has_cpu ? give_cpu(s) : 0;
}

/* The end of a slice, or of what there was to run. */
static int end_slice(struct running *s, u32 lane)
{
	struct runner *run = &s->runners[lane];
	int r;

	run->left_ns -= run->left_ns < SLICE_NS ? run->left_ns : SLICE_NS;
	if (!run->left_ns) {
		run->op++;
		return go_on(s, lane, true);
	}
	if (s->first_ready == NO_LANE)
		return dispatch(s, lane);
	r = give_cpu(s);
	return r ? r : make_ready(s, lane);
}

/* Its time is up before the event happened. */
static int give_up(struct running *s, u32 lane)
{
	s->waiting[op_of(s, lane)->id] = NO_LANE;
	return wake(s, lane);
}

static int ring(struct running *s, const struct alarm *a)
{
	struct runner *run = &s->runners[a->lane];

	if (a->serial != run->serial)
		return 0;
	s->now_ns = a->at_ns;
	switch (run->state) {
	case LANE_RUNNING:
		return end_slice(s, a->lane);
	case LANE_UNBORN:
		return go_on(s, a->lane, false);
	case LANE_DELAYED:
		return wake(s, a->lane);
	case LANE_WAITING:
		return give_up(s, a->lane);
	default:
		return 0;
	}
}

/* Nothing will happen, and the thread is not done: the first that waits goes on. */
static int force(struct running *s, struct replay_answer *ret)
{
	u32 lane;

	ret->forced++;
	for (lane = 0; lane < s->r->lanes->len; lane++) {
		struct runner *run = &s->runners[lane];

		if (run->state == LANE_UNBORN)
			return go_on(s, lane, false);
		if (run->state == LANE_WAITING)
			return post(s, op_of(s, lane)->id);
	}
	/* not reached: the thread itself waits */
	s->runners[s->q->lane].state = LANE_DONE;
	return 0;
}

static int start(struct running *s)
{
	const struct lanes *lanes = s->r->lanes;
	u32 lane, i;
	int r = 0;

	for (i = 0; i < s->r->events; i++)
		s->waiting[i] = NO_LANE;
	for (lane = 0; lane < lanes->len && !r; lane++) {
		const struct replay_lane *l = &s->r->list[lane];

		if (l->birth)
			s->waiting[l->birth - 1] = lane;
		else
			r = set_alarm(s, lane, l->begin_ns);
	}
	return r;
}

static int run(struct running *s, struct replay_answer *ret)
{
	const struct runner *self = &s->runners[s->q->lane];
	u64 begin_ns = s->r->list[s->q->lane].begin_ns;
	bool is_born = false;
	int r = start(s);

	while (!r && self->state != LANE_DONE) {
		if (s->alarms.len) {
			const struct alarm a = take_alarm(s);

			r = ring(s, &a);
		} else {
			r = force(s, ret);
		}
		if (!is_born && self->state != LANE_UNBORN) {
			is_born = true;
			begin_ns = s->now_ns;
		}
	}
	ret->ns = s->now_ns - begin_ns;
	return r;
}

int replay__run(const struct replay *r, const struct replay_question *q, struct replay_answer *ret)
{
	struct running s = {
		.r = r,
		.q = q,
		.first_ready = NO_LANE,
		.last_ready = NO_LANE,
	};
	int result = -ENOMEM;

	*ret = (struct replay_answer){ 0 };
	vec__init(&s.alarms, sizeof(struct alarm));
	s.runners = mem_array((size_t)r->lanes->len + 1, sizeof(*s.runners));
	s.happened = mem_array((size_t)r->events + 1, sizeof(*s.happened));
	s.waiting = mem_array((size_t)r->events + 1, sizeof(*s.waiting));
	if (s.runners && s.happened && s.waiting)
		result = run(&s, ret);
	mem_free(s.runners);
	mem_free(s.happened);
	mem_free(s.waiting);
	vec__done(&s.alarms);
	return result;
}

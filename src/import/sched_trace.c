/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread is on a CPU or off it. Each event ends such a period and adds its length to one total,
 * so totals add up to the thread's time even if events are missing. Time between two events that
 * contradict each other, because some were lost, is unaccounted.
 */
#include "import/sched_trace.h"

#include <errno.h>
#include <string.h>

enum sched_place {
	PLACE_UNSEEN = 0,
	PLACE_ON,
	PLACE_OFF,
};

enum {
	STATE_R = 0,
	STATE_S = 1,
	STATE_X = 5,
	STATE_Z = 6,
};

struct sched_thread {
	u32 task;
	enum sched_place place;
	u32 state; /* of the wait */
	bool is_new;
	bool has_name;
	u64 since_ns;
	u64 woken_ns; /* 0: not yet */
	u64 pre_ns; /* off the CPU before the first switch, without a wakeup */
	struct gather_stack stack;
	struct profile_task sum;
};

int sched_trace__init(struct sched_trace *s, struct gather *g)
{
	*s = (struct sched_trace){ .g = g };
	vec__init(&s->threads, sizeof(struct sched_thread));
	map64__init(&s->of_tid);
	map64__init(&s->cpus);
	return vec__push(&s->threads) ? 0 : -ENOMEM;
}

void sched_trace__done(struct sched_trace *s)
{
	vec__done(&s->threads);
	map64__done(&s->of_tid);
	map64__done(&s->cpus);
}

/* Moves the clock; times that go back are those of the last event. */
static u64 at_time(struct sched_trace *s, u64 time_ns)
{
	if (!s->begun)
		s->begin_ns = s->end_ns = time_ns;
	s->begun = true;
	if (s->end_ns < time_ns)
		s->end_ns = time_ns;
	return s->end_ns;
}

void sched_trace__see(struct sched_trace *s, u64 time_ns)
{
	at_time(s, time_ns);
}

static int find(struct sched_trace *s, u32 tid, const struct view *comm, u32 tgid, u64 *ret_index)
{
	const struct view none = view__of_str("");
	struct sched_thread *th;
	int r;

	if (!map64__get(&s->of_tid, tid, ret_index)) {
		*ret_index = s->threads.len;
		th = vec__push(&s->threads);
		if (!th)
			return -ENOMEM;
		r = gather__task(s->g, &none, 0, tid, &th->task);
		if (!r)
			r = map64__set(&s->of_tid, tid, *ret_index);
		if (r)
			return r;
	}
	s->has_tgids |= tgid != 0;
	th = vec__at(&s->threads, *ret_index);
	th->has_name |= view__left(comm) != 0;
	return gather__rename(s->g, th->task, view__left(comm) ? comm : NULL, tgid);
}

static int add_wait(struct sched_trace *s, struct sched_thread *th, u64 blocked_ns, u64 runq_ns,
		    u32 flags)
{
	struct gather_wait w = { .task = th->task,
				 .single = true,
				 .state = th->state,
				 .flags = flags,
				 .blocked_ns = blocked_ns,
				 .runq_ns = runq_ns };

	th->sum.blocked_ns[th->state] += blocked_ns;
	*(th->state || flags & WAIT_NEW ? &th->sum.runq_ns : &th->sum.preempted_ns) += runq_ns;
	return gather__wait_at(s->g, &w, &th->stack);
}

/* The wait that began at the last switch ends now, or is cut by the end. */
static int end_wait(struct sched_trace *s, struct sched_thread *th, u64 now_ns, u32 flags)
{
	u64 length_ns = now_ns - th->since_ns;

	if (th->state == STATE_R)
		return add_wait(s, th, 0, length_ns, flags);
	if (th->woken_ns)
		return add_wait(s, th, th->woken_ns - th->since_ns, now_ns - th->woken_ns, flags);
	if (!(flags & WAIT_OPEN)) {
		s->unsplit++;
		s->unsplit_ns += length_ns;
	}
	return add_wait(s, th, length_ns, 0, flags);
}

/* Before its first switch a thread was off the CPU since the beginning, or since it was made. */
static int end_unseen(struct sched_trace *s, struct sched_thread *th, u64 now_ns, u32 flags)
{
	u64 from_ns = th->is_new ? th->woken_ns : s->begin_ns;

	th->stack = (struct gather_stack){ .sysno = -1 };
	th->sum.begin_ns = from_ns - s->begin_ns;
	if (th->is_new) {
		th->state = STATE_R;
		th->sum.flags |= TASK_BORN;
		return add_wait(s, th, 0, now_ns - from_ns, flags | WAIT_NEW);
	}
	if (!th->woken_ns) {
		th->pre_ns = now_ns - from_ns;
		return 0;
	}
	th->state = STATE_S;
	return add_wait(s, th, th->woken_ns - from_ns, now_ns - th->woken_ns, flags | WAIT_PRE);
}

static int switch_out(struct sched_trace *s, const struct sched_switch *sw, u64 now_ns)
{
	u64 index, since_ns = s->begin_ns;
	struct sched_thread *th;
	int r = find(s, sw->prev, &sw->prev_comm, sw->prev_tgid, &index);

	if (r)
		return r;
	th = vec__at(&s->threads, index);
	/* it was there since the switch before on this CPU */
	map64__get(&s->cpus, sw->cpu, &since_ns);
	if (th->place == PLACE_ON)
		th->sum.on_ns += now_ns - th->since_ns;
	else if (th->place == PLACE_OFF)
		th->sum.unaccounted_ns += now_ns - th->since_ns;
	else
		th->sum.on_ns += now_ns - since_ns;
	if (th->place == PLACE_UNSEEN)
		th->sum.begin_ns = since_ns - s->begin_ns;
	th->place = PLACE_OFF;
	th->since_ns = now_ns;
	th->woken_ns = 0;
	th->state = sw->prev_state;
	th->sum.switches++;
	th->sum.preemptions += th->state == STATE_R;
	return gather__take_stack(s->g, th->task, true, &th->stack);
}

static bool is_over(const struct sched_thread *th)
{
	return th->state == STATE_X || th->state == STATE_Z;
}

/* Another thread has the number of one that is gone. What was between the two is no wait. */
static int begin_again(struct sched_trace *s, struct sched_thread *th, u64 now_ns)
{
	u64 from_ns = th->woken_ns ? th->woken_ns : now_ns;

	th->state = STATE_R;
	th->stack = (struct gather_stack){ .sysno = -1 };
	return now_ns > from_ns ? add_wait(s, th, 0, now_ns - from_ns, WAIT_NEW) : 0;
}

static int switch_in(struct sched_trace *s, const struct sched_switch *sw, u64 now_ns)
{
	struct sched_thread *th;
	u64 index;
	int r = find(s, sw->next, &sw->next_comm, 0, &index);

	if (r)
		return r;
	th = vec__at(&s->threads, index);
	if (th->place == PLACE_ON)
		th->sum.unaccounted_ns += now_ns - th->since_ns;
	else if (th->place == PLACE_OFF && is_over(th))
		r = begin_again(s, th, now_ns);
	else if (th->place == PLACE_OFF)
		r = end_wait(s, th, now_ns, 0);
	else
		r = end_unseen(s, th, now_ns, 0);
	th->place = PLACE_ON;
	th->since_ns = now_ns;
	th->woken_ns = 0;
	return r;
}

int sched_trace__switch(struct sched_trace *s, const struct sched_switch *sw)
{
	u64 now_ns = at_time(s, sw->time_ns);
	int r = 0;

	if (sw->prev)
		r = switch_out(s, sw, now_ns);
	gather__drop_frames(s->g);
	if (!r && sw->next)
		r = switch_in(s, sw, now_ns);
	return r ? r : map64__set(&s->cpus, sw->cpu, now_ns);
}

int sched_trace__wake(struct sched_trace *s, u64 time_ns, u32 tid, const struct view *comm,
		      bool is_new)
{
	u64 now_ns = at_time(s, time_ns), index;
	struct sched_thread *th;
	int r = tid ? find(s, tid, comm, 0, &index) : 0;

	if (r || !tid)
		return r;
	s->has_wakeups = true;
	s->has_births |= is_new;
	th = vec__at(&s->threads, index);
	/* waking and wakeup are two events of one */
	if (th->place == PLACE_ON || th->woken_ns || (th->place == PLACE_OFF && !th->state))
		return 0;
	th->woken_ns = now_ns;
	th->is_new = is_new && th->place == PLACE_UNSEEN;
	th->sum.wakeups += !is_new;
	return 0;
}

void sched_trace__migrate(struct sched_trace *s, u64 time_ns, u32 tid)
{
	struct sched_thread *th;
	u64 index;

	at_time(s, time_ns);
	if (!map64__get(&s->of_tid, tid, &index))
		return;
	th = vec__at(&s->threads, index);
	th->sum.migrations++;
}

int sched_trace__know(struct sched_trace *s, u32 tid, const struct view *comm, u32 tgid,
		      const struct view *process)
{
	const struct sched_thread *th;
	u64 index;
	int r;

	if (!map64__get(&s->of_tid, tid, &index))
		return 0;
	th = vec__at(&s->threads, index);
	s->has_tgids |= tgid != 0;
	r = gather__rename(s->g, th->task, th->has_name || !view__left(comm) ? NULL : comm, tgid);
	return r || !view__left(process) ? r : gather__process(s->g, th->task, process);
}

/*
 * With wakeups and births in the trace, a thread that needed none was runnable; without, it is not
 * known, for it may not have been there.
 */
static int end_pre(struct sched_trace *s, struct sched_thread *th)
{
	u64 ns = th->pre_ns;

	th->pre_ns = 0;
	if (!s->has_wakeups || !s->has_births) {
		th->sum.begin_ns += ns;
		return 0;
	}
	th->state = STATE_R;
	th->stack = (struct gather_stack){ .sysno = -1 };
	return ns ? add_wait(s, th, 0, ns, WAIT_PRE) : 0;
}

static int end_thread(struct sched_trace *s, struct sched_thread *th)
{
	struct profile_task *sum = &th->sum;
	u32 i;
	int r = 0;

	if (th->place == PLACE_ON)
		sum->on_ns += s->end_ns - th->since_ns;
	else if (th->place == PLACE_UNSEEN)
		r = end_unseen(s, th, s->end_ns, WAIT_OPEN);
	else if (is_over(th))
		sum->flags |= TASK_EXITED;
	else
		r = end_wait(s, th, s->end_ns, WAIT_OPEN);
	if (!r)
		r = end_pre(s, th);
	sum->wall_ns = sum->on_ns + sum->preempted_ns + sum->runq_ns + sum->unaccounted_ns;
	for (i = 0; i < PROFILE_STATES; i++)
		sum->wall_ns += sum->blocked_ns[i];
	gather__totals(s->g, th->task, sum);
	return r;
}

int sched_trace__end(struct sched_trace *s)
{
	size_t i;
	int r = 0;

	for (i = 1; i < s->threads.len && !r; i++)
		r = end_thread(s, vec__at(&s->threads, i));
	if (!r && s->has_wakeups && s->unsplit)
		r = builder__loss(s->g->b, LOSS_SPLIT_MISSING, s->unsplit, s->unsplit_ns);
	builder__header(s->g->b)->window_ns = s->end_ns - s->begin_ns;
	return r;
}

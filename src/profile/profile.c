/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries on a frozen profile without an analysis: its strings, its sums, and the only thing that
 * may still change, the names of frames. Names go into the profile's own string table, so that a
 * named profile is as self-contained as an unnamed one.
 */
#include "profile/profile.h"

#include <errno.h>

#include "base/intern.h"
#include "base/map64.h"
#include "base/mem.h"

void profile__free(struct profile *p)
{
	if (!p)
		return;
	strtab__done(&p->strings);
	mem_free(p->modules);
	mem_free(p->frames);
	mem_free(p->stacks);
	mem_free(p->tasks);
	mem_free(p->objects);
	mem_free(p->waits);
	mem_free(p->intervals);
	mem_free(p->replicates);
	mem_free(p->moments);
	mem_free(p->marks);
	mem_free(p->measured);
	mem_free(p->hots);
	mem_free(p->wakers);
	mem_free(p->wakes);
	mem_free(p->bins);
	mem_free(p);
}

const char *profile__str(const struct profile *p, u32 str)
{
	return strtab__get(&p->strings, str);
}

bool profile__is_sampled(const struct profile *p)
{
	return p->hdr.period_max_ns;
}

/* Visits of /proc miss threads that live between two visits, and nothing counts those. */
bool profile__knows_losses(const struct profile *p)
{
	return !(p->hdr.unknown & UNKNOWN_LOSSES) && !profile_header__is_of_proc(&p->hdr);
}

bool profile__has_on_cpu(const struct profile *p)
{
	return p->hdr.on_cpu_hz;
}

int profile__name_frame(struct profile *p, u32 frame, const char *name, u64 name_off,
			enum frame_reason reason)
{
	struct profile_frame *f;
	u32 id = 0;
	int r;

	if (!frame || frame >= p->frames_len || (u32)reason >= FRAME_REASON_CNT)
		return -EINVAL;
	r = name ? strtab__add(&p->strings, name, &id) : 0;
	if (r)
		return r;
	f = &p->frames[frame];
	f->name = id;
	f->name_off = id ? name_off : 0;
	if (id)
		f->reason = FRAME_NAMED;
	else /* a symbol table may contain an empty name, which counts as none */
		f->reason = reason == FRAME_NAMED ? FRAME_NO_SYMBOL : reason;
	f->file = f->line = 0;
	return 0;
}

int profile__place_frame(struct profile *p, u32 frame, const char *file, u32 line)
{
	u32 id;
	int r;

	if (!frame || frame >= p->frames_len || !file)
		return -EINVAL;
	r = strtab__add(&p->strings, file, &id);
	if (r)
		return r;
	p->frames[frame].file = id;
	p->frames[frame].line = id ? line : 0;
	return 0;
}

void profile__set_bias(struct profile *p, u32 module, u64 bias)
{
	if (!module || module >= p->modules_len)
		return;
	p->modules[module].has_bias = 1;
	p->modules[module].bias = bias;
}

int profile__set_trigger(struct profile *p, const char *trigger)
{
	return strtab__add(&p->strings, trigger, &p->hdr.trigger);
}

static bool has_unnamed(const struct profile *p, u32 stack)
{
	for (; stack; stack = p->stacks[stack].parent) {
		if (p->frames[p->stacks[stack].frame].reason != FRAME_NAMED)
			return true;
	}
	return false;
}

void profile__count_unnamed(struct profile *p)
{
	struct profile_loss loss = { 0 };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		if (!has_unnamed(p, w->ustack) && !has_unnamed(p, w->kstack))
			continue;
		loss.events += w->count ? w->count : w->samples;
		loss.ns += w->blocked_ns + w->runq_ns;
	}
	p->losses[LOSS_UNNAMED] = loss;
}

enum stack_end profile__stack_end(const struct profile *p, u32 stack, u32 *ret_frame)
{
	u32 truncated = 0;

	/* The one nearest to the root: a walk that became uncertain may also have ended early. */
	for (; stack; stack = p->stacks[stack].parent)
		if (p->frames[p->stacks[stack].frame].flags & FRAME_TRUNCATED)
			truncated = p->stacks[stack].frame;
	if (ret_frame)
		*ret_frame = truncated;
	return truncated ? (enum stack_end)p->frames[truncated].addr : STACK_END_ROOT;
}

void profile__count_truncated(struct profile *p)
{
	struct profile_loss loss = { 0 };
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		if (!stack_end_is_loss(profile__stack_end(p, w->ustack, NULL)))
			continue;
		loss.events += w->count ? w->count : w->samples;
		loss.ns += w->blocked_ns + w->runq_ns;
	}
	p->losses[LOSS_STACK_TRUNCATED] = loss;
}

static void add_task(struct profile_budget *sum, const struct profile_task *t)
{
	u32 s;

	sum->wall_ns += t->wall_ns;
	sum->on_ns += t->on_ns;
	sum->preempted_ns += t->preempted_ns;
	sum->runq_ns += t->runq_ns;
	for (s = 0; s < PROFILE_STATES; s++) {
		sum->blocked_by_state_ns[s] += t->blocked_ns[s];
		sum->blocked_ns += t->blocked_ns[s];
	}
	sum->unaccounted_ns += t->unaccounted_ns;
	sum->switches += t->switches;
	sum->preemptions += t->preemptions;
	sum->wakeups += t->wakeups;
	sum->migrations += t->migrations;
}

struct thread_key {
	u64 start_boottime_ns;
	u64 tid;
};

/* A thread that called exec has several records, a process several threads: count each once. */
static int count_threads(const struct profile *p, struct profile_budget *ret)
{
	struct intern threads;
	struct map64 processes;
	u32 i, id;
	int r;

	map64__init(&processes);
	r = intern__init(&threads, sizeof(struct thread_key), sizeof(struct thread_key));
	for (i = 1; i < p->tasks_len && !r; i++) {
		const struct profile_task *t = &p->tasks[i];
		struct thread_key key = { t->start_boottime_ns, t->tid };

		if (t->parts) {
			ret->threads += t->threads;
			ret->processes += t->processes;
			continue;
		}
		r = intern__add(&threads, &key, &id);
		if (!r)
			r = map64__set(&processes, t->tgid, 0);
	}
	if (!r) {
		ret->threads += intern__len(&threads) - 1;
		ret->processes += (u32)processes.len;
	} else {
		ret->threads = ret->processes = 0;
	}
	intern__done(&threads);
	map64__done(&processes);
	return r;
}

u32 profile__depth(const struct profile *p)
{
	u32 depth = 0, i;

	for (i = 1; i < p->stacks_len; i++) {
		if (p->stacks[i].depth > depth)
			depth = p->stacks[i].depth;
	}
	return depth;
}

int profile__budget(const struct profile *p, struct profile_budget *ret)
{
	u32 i;

	*ret = (struct profile_budget){ 0 };
	for (i = 1; i < p->tasks_len; i++)
		add_task(ret, &p->tasks[i]);
	for (i = 1; i < p->waits_len; i++) {
		ret->listed_blocked_ns += p->waits[i].blocked_ns;
		ret->listed_runq_ns += p->waits[i].runq_ns;
	}
	for (i = 1; i < p->hots_len; i++) {
		ret->listed_on_ns += p->hots[i].on_ns;
		ret->on_samples += p->hots[i].samples;
	}
	return count_threads(p, ret);
}

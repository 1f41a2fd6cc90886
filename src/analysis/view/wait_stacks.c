/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides for every format whether a missing stack is a loss or expected. A kernel thread has no
 * user stack, and an exited thread has lost its memory. bcc is silent about both too, since the
 * kernel returns -EFAULT there.
 */
#include "analysis/view/wait_stacks.h"

static u32 effective_sides(const struct profile *p, u32 sides)
{
	u32 taken = p->hdr.sides ? p->hdr.sides : SIDE_USER | SIDE_KERNEL;

	return sides ? sides & taken : taken;
}

static bool has_user_memory(const struct profile *p, const struct profile_wait *w)
{
	char letter = w->state < PROFILE_STATES ? PROFILE_STATE_LETTERS[w->state] : '?';

	return !(p->tasks[w->task].flags & TASK_KTHREAD) && letter != 'X' && letter != 'Z';
}

const char *wait_lost_note(u32 flags)
{
	if (flags & WAIT_NOT_SAMPLED)
		return NOTE_NOT_SAMPLED;
	return flags & WAIT_LOST ? NOTE_LOST : NULL;
}

/* The source of an import says that a stack is missing; if it has none, it did not look for one. */
static bool can_miss(const struct profile *p, const struct profile_wait *w)
{
	return !p->hdr.source || w->flags & WAIT_NO_RESUME;
}

struct wait_stacks wait_stacks_of(const struct profile *p, u32 wait, u32 sides)
{
	const struct profile_wait *w = &p->waits[wait];
	struct wait_stacks ret = { 0 };

	sides = effective_sides(p, sides);
	ret.on_cpu = w->flags & WAIT_ON_CPU;
	ret.lost = wait_lost_note(w->flags);
	if (ret.lost)
		return ret;
	if (sides & SIDE_USER) {
		ret.user = w->ustack;
		ret.user_missed = !w->ustack && can_miss(p, w) && has_user_memory(p, w);
	}
	if (sides & SIDE_KERNEL) {
		ret.kernel = w->kstack;
		/* a thread running in user space has none, nor a task that no thread runs */
		ret.kernel_missed = !w->kstack && can_miss(p, w) && !ret.on_cpu &&
				    !profile_header__is_of_tasks(&p->hdr);
	}
	return ret;
}

u64 wait_ns(const struct profile_wait *w)
{
	return w->blocked_ns + w->runq_ns + w->on_ns;
}

bool wait_is_uncounted(const struct profile_wait *w)
{
	return (w->flags & WAIT_NO_LENGTHS) == WAIT_SUMMED && !w->count;
}

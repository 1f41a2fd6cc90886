/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a missing stack is a loss or in the nature of the thread is decided here for every
 * format. A kernel thread has no user stack, and an ended thread no longer has the memory it was
 * in; bcc is silent about both too, since the kernel answers -EFAULT there.
 */
#include "analysis/wait_stacks.h"

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

struct wait_stacks wait_stacks_of(const struct profile *p, u32 wait, u32 sides)
{
	const struct profile_wait *w = &p->waits[wait];
	struct wait_stacks ret = { 0 };

	sides = effective_sides(p, sides);
	if (w->flags & WAIT_LOST) {
		ret.lost = true;
		return ret;
	}
	if (sides & SIDE_USER) {
		ret.user = w->ustack;
		ret.user_missed = !w->ustack && has_user_memory(p, w);
	}
	if (sides & SIDE_KERNEL) {
		ret.kernel = w->kstack;
		ret.kernel_missed = !w->kstack;
	}
	return ret;
}

u64 wait_off_ns(const struct profile_wait *w)
{
	return w->blocked_ns + w->runq_ns;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every flag of a key is in FLAGS() with its counterpart, or 0 if it is dropped on purpose.
 * CS_WAIT_FLAGS() lists the flags, so a new one does not compile until it is added here.
 */
#include "capture/wait_flags.h"

#include "abi/wait.h"
#include "profile/profile.h"

/* What each flag becomes. */
enum {
	FROM_IOWAIT = WAIT_IOWAIT,
	FROM_KILLABLE = WAIT_KILLABLE,
	FROM_PREEMPTED = WAIT_PREEMPTED,
	FROM_NEW = WAIT_NEW,
	FROM_PRE = WAIT_PRE,
	FROM_OPEN = WAIT_OPEN,
	FROM_NO_RESUME = WAIT_NO_RESUME,
	FROM_ON_CPU = 0, /* not a wait: its samples are added to a profile_hot */
	FROM_THROTTLED = WAIT_THROTTLED,
	FROM_STACK_LOST = 0, /* both are losses, see row_losses.h */
	FROM_OWNER_UNKNOWN = 0,
	FROM_RUNNABLE = WAIT_RUNNABLE,
};

static const struct {
	u32 from;
	u32 to;
} flags[] = {
#define X(NAME, bit) { CS_WAIT_##NAME, FROM_##NAME },
	CS_WAIT_FLAGS(X)
#undef X
};

u32 wait_flags(u32 key_flags)
{
	u32 ret = 0;

	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (key_flags & flags[i].from)
			ret |= flags[i].to;
	return ret;
}

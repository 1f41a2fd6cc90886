/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_MEMO_BPF_H
#define LIB_OBJECT_MEMO_BPF_H

/*
 * Objects that were found a moment ago. A thread waits for the same file or futex again and again,
 * and to see that it is the same takes a few plain loads, where to find the object takes a helper's
 * call for each of them, and a look into the table of objects.
 */
#include "lib/object.bpf.h"

/* The id of scr->sight, of the running thread, from what was found before or anew. */
u32 object_recall(struct scratch *scr);

/* What the running thread waited for. */
static __always_inline u32 object_of_waited(struct scratch *scr, struct task_struct *task,
					    const struct pt_regs *regs, s16 sysno,
					    const struct walk_owner *owner, u16 flags)
{
	return sight_begin(&scr->sight, task, regs, sysno, owner, flags) ? object_recall(scr) : 0;
}

#endif

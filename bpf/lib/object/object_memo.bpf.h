/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_OBJECT_MEMO_BPF_H
#define LIB_OBJECT_OBJECT_MEMO_BPF_H

/*
 * A cache of recently found objects. A thread waits for the same file or futex again and again.
 * Recognising it takes a few plain loads, whereas finding the object takes a helper call for each
 * of them, and a lookup in the table of objects.
 */
#include "lib/object/object.bpf.h"

/* The id of scr->probe, of the running thread, cached or looked up. */
u32 object_recall(struct scratch *scr);

/* The object that the running thread waited for. */
static __always_inline u32 object_of_waited(struct scratch *scr, struct task_struct *task,
					    const struct pt_regs *regs, s16 sysno,
					    const struct walk_owner *owner, u16 flags)
{
	return probe_begin(&scr->probe, task, regs, sysno, owner, flags) ? object_recall(scr) : 0;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SCRATCH_BPF_H
#define LIB_SCRATCH_BPF_H

/* What the hooks of one CPU have at hand, from one to the next. */
#include "lib/kernel.bpf.h"
#include "lib/sight.bpf.h"
#include "lib/walk.bpf.h"

#include "abi/wait.h"

/* A chosen wait on its way from sched_switch to the resume hook of the same CPU. */
struct pending_wait {
	u32 host_tid; /* 0: none */
	u32 task; /* id of the record */
	u64 blocked_ns;
	u64 runq_ns;
	u64 weight_ns; /* that it stands for: their sum, or more */
	u64 kprint; /* fingerprint of the kernel stack, or 0 */
	struct walk_owner owner;
	u8 state;
	u8 lock_kind; /* as of task_slot */
	u16 flags;
	u32 thread_owner;
	u64 lock;
};

/* What the resume hook has of that wait so far. */
struct taking {
	struct cs_wait_key key;
	bool lost; /* a stack found no room */
	bool audit; /* the short ways are checked */
};

/* Where a walk up a kernel stack is. */
struct orc_walk {
	u64 begin; /* the thread's sp */
	u64 next; /* the end of the frame */
	u64 ip;
	u64 bp_at; /* where the present frame pointer lies */
	u64 hash; /* of the frames so far */
	u32 frames;
	u32 pad;
};

#define OBJECT_MEMOS 32 /* for each CPU */

/* An object that was found, and all that its key was made of. */
struct object_memo {
	u64 part[5];
	u64 image;
	u64 until_ns;
	u32 call; /* enum cs_call */
	u32 id;
};

#define SEEN_LEN 64

struct scratch {
	u32 host_tid; /* that runs on this CPU by the word of the last sched_switch */
	u32 runs; /* of our programs on this CPU */
	u32 audits; /* stacks taken on this CPU: now and then one is looked at again */
	u32 busy; /* the resume hook has this in use: 1, and a sample takes the next one */
	u64 switch_ns; /* when a switch of a traced thread was last seen here */
	u64 followed_rq_ns; /* the run queue's clock when the two clocks were last compared here */
	struct pending_wait pending;
	struct taking taking;
	u64 seen[SEEN_LEN]; /* fingerprints of kernel stacks that are in the table */
	u64 print_at; /* where above its sp a thread often has the caller of schedule() */
	struct orc_walk orc;
	struct user_walk walk;
	struct cs_stack kstack;
	struct object_sight sight;
	struct object_memo objects[OBJECT_MEMOS];
};

#endif

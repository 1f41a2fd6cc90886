/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SCRATCH_BPF_H
#define LIB_SCRATCH_BPF_H

/* Per-CPU memory of the hooks, kept from one to the next. */
#include "lib/kernel/kernel.bpf.h"
#include "lib/object/probe.bpf.h"
#include "lib/walk.bpf.h"

#include "abi/wait.h"

/*
 * A chosen wait: its part in the window in which it ends, and its part in the previous window if
 * that is not listed yet.
 */
struct wait_parts {
	u64 window; /* its start */
	u64 blocked_ns;
	u64 runq_ns;
	u64 weight_ns; /* the time it stands for: their sum, or more; 0: not chosen */
	u64 end_ns; /* of the wait */
	u64 before; /* likewise, for the previous window */
	u64 before_blocked_ns;
	u64 before_runq_ns;
	u64 before_weight_ns;
	u16 flags;
	u16 before_flags;
	u32 pad;
};

/* A wait, or its part in a window, split. [since, wake) is blocked, [wake, end) is run queue. */
struct split {
	u64 blocked_ns;
	u64 runq_ns;
};

/* What a hook knows about a wait that ends. */
struct ended_wait {
	u64 since_ns;
	u64 wake_ns; /* when it became a wait for a CPU */
	u64 end_ns;
	u64 window; /* where it ends */
	struct split part; /* there */
	struct split before; /* in the previous window, if that is not listed yet */
};

/* A chosen wait on its way from sched_switch to the resume hook of the same CPU. */
struct pending_wait {
	u32 host_tid; /* 0: none */
	u32 task; /* id of the record */
	struct wait_parts parts;
	u64 kprint; /* fingerprint of the kernel stack, or 0 */
	struct walk_owner owner;
	u8 state;
	u8 lock_kind; /* as of task_slot */
	u16 pad;
	u32 thread_owner;
	u64 lock;
};

/* What the resume hook has found about that wait so far. */
struct taking {
	struct cs_wait_key key;
	bool lost; /* a stack did not fit into the table */
	bool audit; /* the fast paths are verified */
};

/* The state of a walk up a kernel stack. */
struct orc_walk {
	u64 begin; /* the thread's sp */
	u64 next; /* the end of the frame */
	u64 ip;
	u64 bp_at; /* where the current frame pointer is saved */
	u64 hash; /* of the frames so far */
	u32 frames;
	u32 pad;
};

#define OBJECT_MEMOS 32 /* for each CPU */

/* A cached object, and everything from which its key was made. */
struct object_memo {
	u64 part[5];
	u64 image;
	u64 until_ns;
	u32 call; /* enum cs_call */
	u32 id;
};

#define SEEN_LEN 64

struct scratch {
	u32 host_tid; /* running on this CPU according to the last sched_switch */
	u32 unmeasured; /* runs of our programs on this CPU until one is measured */
	u32 unaudited; /* stacks recorded on this CPU until one is verified */
	u32 busy; /* 1: the resume hook is using this, and a sample takes the next one */
	u64 switch_ns; /* when a switch of a traced thread was last seen here */
	u64 followed_rq_ns; /* the run queue's clock when the two clocks were last compared here */
	struct pending_wait pending;
	struct ended_wait ended; /* here, because the stack of a program has 512 bytes on 6.1 */
	struct taking taking;
	u64 seen[SEEN_LEN]; /* fingerprints of kernel stacks in the table, each ^ control.salt */
	u64 print_at; /* where above its sp a thread often has the caller of schedule() */
	struct orc_walk orc;
	struct user_walk walk;
	struct cs_stack kstack;
	struct object_probe probe;
	struct object_memo objects[OBJECT_MEMOS];
};

#endif

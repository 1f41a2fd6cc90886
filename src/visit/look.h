/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_LOOK_H
#define VISIT_LOOK_H

#include "base/intern.h"
#include "base/types.h"
#include "visit/proc_files.h"
#include "visit/process.h"
#include "visit/python_frames.h"
#include "visit/stack_book.h"
#include "visit/tally.h"
#include "visit/things.h"

/* What a blocked thread waits for: the key of its time. */
struct look_key {
	u32 ustack; /* of the stack book */
	u32 kstack;
	s32 sysno; /* -1: none, or not known */
	u32 object; /* of the things */
	u32 owner_tid;
};

struct look_options {
	bool user_stacks;
	bool kernel_stacks;
	bool objects;
	u32 depth;
};

/* Looks at single threads. Not thread-safe. */
struct looker {
	struct look_options opt;
	struct proc_files proc;
	struct code_files code;
	struct stack_book stacks;
	struct python_reader python;
	struct things things;
	struct intern keys; /* struct look_key */
	u64 looks;
	u64 moved; /* threads that got a CPU while being looked at, twice */
	bool no_stack; /* kernel stacks cannot be read, but the innermost function may */
	bool coarse; /* there is no schedstat: counters are those of stat and status */
	struct host_stack stack; /* a walk needs some room */
	struct memory_window window; /* of the process that is looked at */
};

/* A thread, and what is kept of it between visits. */
struct looked_at {
	u32 tgid;
	u32 tid;
	int fd; /* schedstat, or -1 */
	bool is_kthread;
	struct process *process;
};

/* -ENOMEM, or an error of proc_files__init(). */
int looker__init(struct looker *l, const struct look_options *opt, const char *root);
/* NULL is fine. */
void looker__done(struct looker *l);
/* The counters of a thread. -ESRCH: it is gone. */
int looker__read(struct looker *l, const struct looked_at *t, struct tally_reading *ret);
/* What a look found. */
struct look {
	struct tally_reading now;
	u32 key; /* 0: it is on a CPU or waits for one */
	u32 state; /* index into PROFILE_STATE_LETTERS */
	bool is_dead; /* a zombie: its counters are final */
	u64 sp; /* of a blocked thread: where it entered the kernel; 0: not known */
	u64 pc;
};

/*
 * Looks at a thread that may have moved since `now`, which is updated. If it moves while it is
 * looked at, the look is repeated once, and then the stacks are left out. -ESRCH, -ENOMEM or 0.
 */
int looker__look(struct looker *l, const struct looked_at *t, struct look *ret);
/*
 * The same without the user stack, but only once: whether it moved meanwhile is for the caller to
 * find out. Does not set ret->now.
 */
int looker__peek(struct looker *l, const struct looked_at *t, struct look *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_GATHER_H
#define IMPORT_GATHER_H

#include "base/intern.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "base/view.h"
#include "import/import.h"
#include "profile/builder.h"

/*
 * What a parser finds, until a profile can be built of it. A parser pushes the frames of a stack,
 * then adds the wait that had it. Errors are -ENOMEM, and -EOVERFLOW for sums that no number holds.
 */

enum gather_side {
	GATHER_SIDE_GUESS = 0, /* by its name, and those around it */
	GATHER_SIDE_USER,
	GATHER_SIDE_KERNEL,
};

/* Views are copied. An empty name is unknown, as "[unknown]" is. */
struct gather_frame {
	struct view name;
	struct view module; /* path of the file, or its substitute; may be empty */
	struct view file; /* of the source; may be empty */
	u32 line;
	enum gather_side side;
	u64 addr;
	u64 name_off;
	bool inlined;
	bool code; /* interpreted */
};

/* Of a wait or of several. */
struct gather_wait {
	u32 task;
	bool leaf_first; /* order of the frames */
	bool single; /* one wait, whose length is the time; else a sum */
	bool guess; /* state and system call by the kernel stack; time is blocked time or neither */
	u32 state; /* not guessed */
	s32 sysno; /* not guessed; -1: none */
	u32 flags; /* enum profile_wait_flag */
	u32 object;
	u32 owner; /* a task; 0: not known */
	u32 owner_tid; /* of it, known or not; 0: none */
	u64 blocked_ns;
	u64 runq_ns;
	u64 count; /* of a sum; 0: unknown */
};

/* A thread in more words. */
struct gather_thread {
	struct view comm;
	struct view process; /* its name; empty: `comm` */
	struct view cgroup; /* its path; empty: unknown */
	struct view container; /* its name by its runtime; empty: unknown */
	struct view host; /* threads of two are two */
	u32 tgid;
	u32 tid;
};

struct gather {
	const struct import_options *opt;
	struct builder *b;
	struct strtab names; /* of frames, before the builder has them */
	struct vec hints; /* struct known_name by id in `names` */
	struct vec frames; /* struct held_frame: the stack in hand */
	struct intern tasks; /* struct gathered_task */
	struct intern waits; /* struct profile_wait */
	u32 kernel_module;
	u32 code_module;
	const char *arch; /* as names of kernel functions tell it */
	u64 bare; /* stacks that the source says are missing */
	u64 bare_ns;
	bool has_user, has_kernel; /* stacks of either side */
	bool has_sums, has_unknown_counts, has_visited;
};

int gather__init(struct gather *g, const struct import_options *opt);
void gather__done(struct gather *g);

/* The task of these; equal ones are one. 0: not known. */
int gather__task(struct gather *g, const struct view *comm, u32 tgid, u32 tid, u32 *ret_task);
/* The same, also by cgroup and host. */
int gather__thread(struct gather *g, const struct gather_thread *t, u32 *ret_task);
/* An object of which only the label is known. */
int gather__object(struct gather *g, const struct view *label, u32 *ret_object);
/* The totals of a task, if the source has them; strings and ids are not read. */
void gather__totals(struct gather *g, u32 task, const struct profile_task *totals);
/* The name of its process. */
int gather__process(struct gather *g, u32 task, const struct view *comm);

int gather__frame(struct gather *g, const struct gather_frame *f);
/* The first `n` frames pushed for the stack in hand are the kernel's. */
void gather__kernel_above(struct gather *g, size_t n);
/* The stack is of none: forgets its frames. */
void gather__drop_frames(struct gather *g);
/* A stack that was taken, for a wait whose length is not known yet. */
struct gather_stack {
	u32 ustack;
	u32 kstack;
	s32 sysno; /* by the kernel stack; -1: none */
};

/* Takes the frames that were pushed, and forgets them. */
int gather__take_stack(struct gather *g, u32 task, bool leaf_first, struct gather_stack *ret);
/* Adds the wait with that stack; its `sysno` is that of the stack. Nothing is guessed. */
int gather__wait_at(struct gather *g, const struct gather_wait *w, const struct gather_stack *s);
/* Who a task is, where the source tells it late; NULL, 0: as before. */
int gather__rename(struct gather *g, u32 task, const struct view *comm, u32 tgid);
/* Adds the wait with the frames that were pushed, and forgets them. */
int gather__wait(struct gather *g, const struct gather_wait *w);

int gather__str(struct gather *g, const struct view *text, u32 *ret_id);
/* Fills in the header; `unknown`: what the source never tells, besides what was not found. */
int gather__finish(struct gather *g, const char *source, u32 unknown, struct profile **ret,
		   struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/err.h"
#include "base/strtab.h"
#include "base/types.h"
#include "profile/bins.h"
#include "profile/budget.h"
#include "profile/code.h"
#include "profile/header.h"
#include "profile/hot.h"
#include "profile/loss.h"
#include "profile/measured/measured.h"
#include "profile/object.h"
#include "profile/moment.h"
#include "profile/replicate.h"
#include "profile/waker.h"

/*
 * The frozen sums of one window: plain data, independent of processes, maps and files. Flat arrays
 * whose index is the id; element 0 of each is all zero and means none. Strings are ids into
 * `strings`. Created only by a builder; immutable after builder__freeze(), except the names and
 * source lines of frames, which a resolver sets with profile__name_frame() and related functions.
 * Several threads may read it.
 */

#define PROFILE_HIST_LEN 32

enum profile_task_flag {
	TASK_KTHREAD = 1,
	TASK_EXITED = 2,
	TASK_EXECED = 4, /* the record ends with an exec; the thread has another record */
	TASK_BORN = 8, /* began inside the window */
};

/*
 * A thread between two of {start of window, birth, exec, exit, end of window}. on + preempted +
 * runq + sum(blocked) + unaccounted == wall.
 */
struct profile_task {
	u32 tid;
	u32 tgid;
	u32 comm;
	u32 group_comm; /* of the process */
	u32 flags; /* enum profile_task_flag */
	u32 cgroup; /* its path, "/...", as the profiler saw it; 0: unknown */
	/* What its runtime calls its container: "web", "NAMESPACE/POD/CONTAINER"; 0: unknown */
	u32 container;
	u64 start_boottime_ns;
	u64 cgroup_id; /* of version 2; 0: unknown, or version 2 was not mounted */
	u64 begin_ns; /* since the start of the window */
	u64 wall_ns;
	u64 on_ns;
	u64 preempted_ns; /* waited for a CPU while runnable all the time */
	u64 runq_ns; /* waited for a CPU after a wakeup or birth */
	u64 blocked_ns[PROFILE_STATES];
	u64 unaccounted_ns;
	u64 switches;
	u64 preemptions;
	u64 wakeups;
	u64 migrations;
	/* The part of on, preempted + runq and blocked covered by its histograms: see bins.h. */
	u64 hist_on_ns;
	u64 hist_runq_ns;
	u64 hist_blocked_ns;
	/* Of a sum of threads that ended (windows/fold.h), which has no TID and no PID; else 0. */
	u32 parts; /* records of threads in it */
	u32 threads;
	u32 processes;
	/* Of the wait at the begin of the window: its part in a gap before. Not in wall_ns. */
	u64 gap_wait_ns;
};

enum profile_wait_flag {
	WAIT_IOWAIT = 1,
	WAIT_KILLABLE = 2,
	WAIT_PREEMPTED = 4,
	WAIT_NEW = 8,
	WAIT_PRE = 16, /* began before the window */
	WAIT_OPEN = 32, /* open at its end */
	WAIT_NO_RESUME = 64, /* stacks unknown */
	/* The rest of a thread whose waits were lost. No histogram; a count of 0 is unknown. */
	WAIT_LOST = 128,
	/* Only in a view (analysis/time_view.h), where a row may be time on a CPU. */
	WAIT_ON_CPU = 256,
	WAIT_NOT_SAMPLED = 512, /* HOT_NOT_SAMPLED */
	WAIT_THROTTLED = 1024, /* state R: its cgroup had used up its CPU quota */
	WAIT_SUMMED = 2048, /* imported from a sum: as of WAIT_LOST, but nothing was lost */
	WAIT_NO_LENGTHS = WAIT_LOST | WAIT_SUMMED, /* neither histogram, longest nor samples */
	WAIT_VISITED = 4096, /* found by `samples` visits; not counted. R: woken or preempted */
	WAIT_RUNNABLE = 8192, /* state R, found by a visit: woken, or it lost the CPU */
	/*
	 * What the source of an import tells: 1 + the cause, and the class of it (WAIT_TOLD()).
	 * Rules of the user still come first.
	 */
	WAIT_TOLD_CAUSE = 0xff << 16,
	WAIT_TOLD_CLASS = 0xf << 24,
};

#define WAIT_TOLD(cause, class) (((u32)(cause) + 1) << 16 | (u32)(class) << 24)

/*
 * A sum of similar waits of one thread. Sampled waits stand for others: then everything except
 * max_ns and samples is an unbiased estimate. If threads were visited (header.visit_hz), times are
 * estimates, count is 0, hist is empty, samples counts waits seen, and max_ns is a lower bound.
 */
struct profile_wait {
	u32 task;
	u32 ustack; /* leaf node; 0: none */
	u32 kstack;
	s32 sysno; /* system call it was in, -1: none */
	u32 state; /* index into PROFILE_STATE_LETTERS; 0 is R: preempted or new */
	u32 flags; /* enum profile_wait_flag */
	u32 object; /* 0: unknown or none */
	u32 owner; /* task of the owner when the waits began; 0: none, or not recorded */
	u32 owner_tid; /* the owner's TID, recorded or not; 0: unknown */
	u32 pad;
	u64 blocked_ns;
	u64 runq_ns; /* includes preempted time (state R) */
	u64 count;
	u64 max_ns;
	u64 samples; /* chosen waits; count exceeds them if the profile is sampled */
	u64 var_us2; /* estimated variance of blocked + run queue, us^2: see estimate.h */
	u32 hist[PROFILE_HIST_LEN]; /* of blocked + run queue; abi/hist.h has the buckets */
	u64 on_ns; /* WAIT_ON_CPU; else 0 */
	/* Only in a view of parts of waits (analysis/view/waker_rows.h, wake_view.h); else 0. */
	u32 part_of; /* id of the wait in the profile */
	u32 waker; /* who ended this part */
};

struct profile {
	struct profile_header hdr;
	struct strtab strings;
	struct profile_module *modules;
	struct profile_frame *frames;
	struct profile_stack *stacks;
	struct profile_task *tasks;
	struct profile_object *objects;
	struct profile_wait *waits;
	struct profile_hot *hots; /* only element 0 unless threads on a CPU were sampled */
	struct profile_waker *wakers; /* these two only element 0 unless wakers were recorded */
	struct profile_wake *wakes;
	struct profile_bin *bins;
	struct profile_measured *measured; /* only element 0 unless waits of tasks were measured */
	/* lengths, including the zero element */
	u32 modules_len, frames_len, stacks_len, tasks_len, objects_len;
	u32 waits_len, hots_len;
	u32 wakers_len, wakes_len, bins_len, measured_len;
	/* without a zero element; empty if unknown */
	struct profile_interval *intervals;
	struct profile_replicate *replicates;
	struct profile_moment *moments;
	struct profile_mark *marks;
	u32 intervals_len, replicates_len, moments_len, marks_len;
	struct profile_loss losses[LOSS_CNT];
};

/* NULL is fine. */
void profile__free(struct profile *p);
const char *profile__str(const struct profile *p, u32 str);
/* Whether listed waits are estimates. Totals never are. */
bool profile__is_sampled(const struct profile *p);
bool profile__has_on_cpu(const struct profile *p); /* threads on a CPU were sampled */
bool profile__knows_losses(const struct profile *p); /* each is counted: none means none */

/*
 * Names a frame, or sets the reason why not (then `name` is NULL). -ENOMEM, -EINVAL for a frame or
 * reason that does not exist, or 0. An empty name counts as none. Clears the source line.
 */
int profile__name_frame(struct profile *p, u32 frame, const char *name, u64 name_off,
			enum frame_reason reason);
/* Sets the source line of a frame, after it was named. -ENOMEM, -EINVAL or 0; no file: no line. */
int profile__place_frame(struct profile *p, u32 frame, const char *file, u32 line);
/* Sets the difference between address and offset in the code of a module. */
void profile__set_bias(struct profile *p, u32 module, u64 bias);
int profile__set_trigger(struct profile *p, const char *trigger); /* -ENOMEM or 0 */
/* After naming: sets LOSS_UNNAMED to the waits with an unnamed frame. */
void profile__count_unnamed(struct profile *p);
/* Sets LOSS_STACK_TRUNCATED; the builder already does it. */
void profile__count_truncated(struct profile *p);
/*
 * Why the root side of the user stack with this leaf node is missing; STACK_END_ROOT if it is not,
 * and for stack 0. *ret_frame (may be NULL) is the frame that says so, or 0.
 */
enum stack_end profile__stack_end(const struct profile *p, u32 stack, u32 *ret_frame);
/* Frames of the longest stack. */
u32 profile__depth(const struct profile *p);

/*
 * Checks consistency: ids in range, parents before children, the identity of each task, listed
 * waits equal to the totals of their task (if sampled, to within period_sum_ns for each of its
 * parts), sampled time on a CPU to the ns, histograms equal to counts, thread histograms possible
 * given their times, replicates and wakes no more than their wait, chains of wakers without a loop.
 * -EINVAL with a message that names the first fault. For tests, fuzzers and readers of files.
 */
int profile__check(const struct profile *p, struct err *err);

#endif

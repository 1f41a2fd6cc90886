/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASKS_PRIV_H
#define ASYNC_TASKS_PRIV_H

#include "async/task_budget.h"
#include "async/task_process.h"
#include "async/task_sums.h"
#include "async/task_turn.h"
#include "async/tasks.h"
#include "async/tasks_measure.h"
#include "async/task/thread_share.h"
#include "base/intern.h"
#include "base/notices.h"
#include "base/strtab.h"
#include "proc/ended.h"
#include "visit/look.h"
#include "visit/python_frames.h"
#include "visit/rounds.h"
#include "visit/whom.h"

/* The state of a task that waits, as an index into PROFILE_STATE_LETTERS: S. */
#define TASKS_LETTER 1

/* Tasks of a process that began with one function, or have one name: a row of the profile. */
struct task_group {
	u32 tgid;
	u32 pad;
	u64 start_boottime_ns;
	u64 start; /* address or number of the function, or a number for a name; 0: not known */
	/* behind the key: */
	u32 process_name; /* of tasks.names */
	u32 name;
	bool measured; /* it has waits in tasks_measure.sums */
};

/* A window, and how passes kept time in it. */
struct task_window {
	u64 begin_ns; /* CLOCK_MONOTONIC */
	u64 begin_wall_ns;
	u64 end_ns;
	u64 begin_cpu_ns; /* of ourselves */
	u64 cpu_ns;
	struct round_counts kept;
	u64 seen; /* tasks */
	u64 torn;
	u64 failed; /* readings of a process that ended early */
	u64 left_out; /* rounds without a pass, to keep the budget */
	bool in_parts; /* a pass did not read all tasks */
};

/* Time of tasks of a group in the window that is closed. */
struct task_row {
	struct task_key key;
	u64 ns;
	u64 seen;
	u64 var_us2;
};

/* A task that ran in this pass, and one that was ready. */
struct task_runner {
	u64 loop;
	u32 group;
};

struct task_waiter {
	struct task_key key;
	u32 weight;
	u64 loop;
};

struct tasks {
	struct whom whom;
	struct vec processes; /* struct task_process * */
	struct looker looker; /* of threads; its files and stacks are also those of tasks */
	struct thread_shares shares;
	struct python_frames no_python;
	struct task_readers readers;
	struct tk_shelf shelf; /* of programs with Tokio */
	struct python_codes functions; /* of Python, until they are given */
	u64 functions_lost; /* in windows before */
	/* Python programs that ended in the current, the closed and the window before it */
	struct ended ended;
	struct ended closed_ended;
	struct ended past;
	struct task_sums sums; /* of the current window */
	struct vec rows; /* struct task_row: of `closed` */
	struct vec running; /* struct task_runner: of the process that is read */
	struct vec ready; /* struct task_waiter: likewise */
	struct intern groups; /* struct task_group */
	struct strtab names;
	struct task_window window;
	struct task_window closed;
	struct task_process *current; /* whose tasks a pass shows */
	struct rounds rounds;
	struct task_turn turn;
	u32 depth;
	struct task_budget budget;
	struct tasks_measure measure;
	u64 counted_cpu_ns; /* of this thread, up to which the budget knows */
	u64 search_ns; /* when processes were last searched for */
	struct notices notices;
};

static inline struct task_process *tasks_process(const struct tasks *t, size_t idx)
{
	return *(struct task_process **)vec__at(&t->processes, idx);
}

/* What a thread of the current process does: a task_look_fn, of struct tasks. */
int tasks_look(void *arg, u32 tid, struct task_thread *ret);
/* The row that a task of the current process counts in, which has its names. -ENOMEM or 0. */
int tasks_group_of(struct tasks *t, const struct task_seen *seen, u32 *ret);
/* The number of its stack, with a word at the inner end unless `note` is NULL. -ENOMEM or 0. */
int tasks_stack_of(struct tasks *t, const struct task_seen *seen, const char *note, u32 *ret);
/* Reads tasks of all processes; they get their time when the next pass begins. -ENOMEM or 0. */
int tasks_pass(struct tasks *t);

#endif

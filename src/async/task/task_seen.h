/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_TASK_SEEN_H
#define ASYNC_TASK_TASK_SEEN_H

#include "base/types.h"
#include "unwind/host_walk.h"
#include "visit/python_frames.h"

/* What a task was found to do. */
enum task_state {
	TASK_WAITS = 0,
	TASK_READY, /* it would run if a thread took it up */
	TASK_RUNS,
	TASK_CALLS, /* a system call, on a thread of its own */
	TASK_STOPS, /* it would run, but its thread is blocked in the kernel */
	TASK_STALLS, /* it would run, but its thread waits for a CPU */
	TASK_UNREAD, /* it could not be read, or was not what a task looks like */
	TASK_STATES,
};

/* What the thread of a task was found to do. */
struct task_thread {
	bool is_known; /* else nothing is */
	bool is_blocked;
	bool waits_cpu;
	u32 state; /* index into PROFILE_STATE_LETTERS */
	u32 key; /* of a blocked one: what it waits for, as its looker numbers it */
	u64 sp; /* of a blocked one: where it entered the kernel; 0: not known */
	u64 pc;
};

/* What a task waits for is cut to that. */
#define TASK_REASON_SZ 192

/* A function in which a task is, and the line. */
struct task_place {
	const char *name;
	const char *file; /* as the compiler wrote it; "": unknown */
	u32 line;
};

/* One task at one instant. Borrowed for the call in which it is handed on. */
struct task_seen {
	enum task_state state;
	u32 weight; /* so many tasks it stands for */
	bool torn; /* it changed while it was read: its state is as first read, without a stack */
	u64 id; /* as its runtime numbers it; 0: unknown */
	u64 loop; /* what runs one task at a time; 0: all tasks of the process share some threads */
	u64 start; /* what it began with: the address or number of a function; 0: unknown */
	const char *name; /* of it; NULL: task_process__start_name() knows */
	const char *reason; /* what its runtime says it waits for; NULL: nothing */
	struct host_stack *stack; /* frames with ip and exact only; NULL: none */
	const struct python_frames *python; /* its functions, if it runs Python; NULL: none */
	const struct task_place
		*places; /* its functions, outermost first, if they have no address */
	u32 places_len;
	bool cut; /* there are more functions, outwards */
	struct task_thread thread; /* that runs it, or makes its system call */
};

/* -ENOMEM or 0; anything else than 0 ends the pass. */
typedef int task_seen_fn(void *arg, const struct task_seen *t);

/* Looks at a thread of the process. What cannot be read is not known. -ENOMEM or 0. */
typedef int task_look_fn(void *arg, u32 tid, struct task_thread *ret);

/* What one reading of the tasks of a process shows, and to whom. */
struct task_pass {
	u32 one_in; /* it reads one of so many; 1: all */
	u64 random; /* decides which */
	u64 budget_ns; /* CPU time that it may cost */
	u32 depth; /* frames of a stack at most */
	task_seen_fn *each;
	task_look_fn *look;
	void *arg;
};

#endif

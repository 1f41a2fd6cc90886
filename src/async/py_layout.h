/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_LAYOUT_H
#define ASYNC_PY_LAYOUT_H

#include "abi/python.h"
#include "async/py_types.h"
#include "async/task/task_memory.h"
#include "base/err.h"
#include "proc/maps.h"

/*
 * Where a live CPython keeps the tasks of asyncio. There is a table of offsets per version, of
 * which those of a task are checked on its type; everything on the way to the tasks is found by
 * name and checked by type.
 * Sources: Modules/_asynciomodule.c, Include/internal/pycore_frame.h, Include/cpython/genobject.h
 * of CPython 3.8 to 3.13; each checked on a running interpreter.
 */

/* How the frame of a suspended coroutine is found, and what awaits in it. */
enum py_frames {
	PY_FRAMES_POINTERS = 0, /* 3.8, 3.9: an object of its own, with a pointer to the top */
	PY_FRAMES_DEPTH, /* 3.10: the same, with the number of values */
	PY_FRAMES_INSIDE, /* 3.11 on: it is a part of the coroutine */
};

struct py_offsets {
	u32 version; /* major << 8 | minor */
	enum py_frames frames;
	/* FutureObj, TaskObj */
	u16 state; /* an enum fut_state, of futures and tasks */
	u16 waiter;
	u16 coro;
	u16 name;
	/* of the type of tasks: what these offsets were checked with */
	u16 basic_sz;
	s32 dict_off;
	s32 weak_off;
	/* PyGenObject */
	u16 frame; /* the frame, or a pointer to it */
	u16 running; /* a byte: see py_coro_state() */
	/* PyCodeObject; 3.11 on */
	u16 locals_cnt; /* an int: variables, below what is on the stack of values */
};

/* The first word of a future's own, in all versions: its loop. */
#define PY_TASK_LOOP 16

/* fut_state. */
#define PY_FUTURE_PENDING 0

/* The fields of a frame from 3.11 on, before its variables; the head of a string at most. */
#define PY_FRAME_FIELDS_SZ 72
#define PY_STRING_HEAD_MAX 64
/* As much of a task and a future as is read. */
#define PY_TASK_SZ 192
#define PY_FUTURE_SZ 104

struct py_layout {
	struct cs_python python;
	const struct py_offsets *off;
	u64 runtime; /* addresses: _PyRuntime */
	u64 dict_type;
	u64 modules; /* sys.modules; 0: not found yet */
	u64 scheduled; /* a set of weak references to tasks; 0: not found yet */
	u64 current; /* a dict from loops to the tasks that they run; 0: not found */
	u64 eager; /* a set of tasks that run their first step, since 3.12; 0: none */
};

/*
 * The CPython in a file that a process maps. Borrows `fd`. -ENOENT: there is none; -ENOTSUP with a
 * sentence: its tasks cannot be read; -ENOMEM; -EINVAL.
 */
int py_layout__open(struct py_layout *l, int fd, const struct map_range *range, struct err *err);
/*
 * Finds the tasks in memory. -EAGAIN with a sentence: the program has not imported asyncio;
 * -ENOTSUP with a sentence: what is there is not as expected.
 */
int py_layout__find(struct py_layout *l, struct py_types *types, struct task_memory *mem,
		    struct err *err);
/* The offsets of a version; NULL: it is unknown. */
const struct py_offsets *py_offsets_of(u32 version);

#endif

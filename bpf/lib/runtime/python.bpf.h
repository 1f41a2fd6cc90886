/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_PYTHON_BPF_H
#define LIB_RUNTIME_PYTHON_BPF_H

/*
 * Frames of Python functions, read during a walk.
 *
 * The native stack of a thread that runs Python has one frame of the interpreter loop
 * (_PyEval_EvalFrameDefault) for each time C code called into Python, and each of them runs one
 * function or a chain of them. Python's own list of frames is divided at the same places, so the
 * two can be merged during the walk: leaf first, what the loop called, then the Python functions
 * that the loop runs, then the loop, then its caller.
 *
 *	read  <  builtin_read  <  py: load  <  py: main  <  _PyEval_EvalFrameDefault  <  run_mod
 */
#include "lib/walk.bpf.h"

/*
 * To be called before a native frame is added to w->stack; `off` is the offset of its instruction
 * in the file of w->map. If that is in the interpreter loop of a file in the map `pythons`, the
 * Python frames that the loop runs are added. Enum walk_next: WALK_ON: continue with the native
 * frame (for which there may be no room now), or WALK_NEED: call it again, with the memory and
 * before anything is added. Sets CS_STACK_PRIVATE with the first frame. Uses w->py, which
 * python_reset() initialised, w->tls, w->image and w->tgid.
 */
int python_frames(struct user_walk *w, u64 off);

/*
 * A number of all Python frames of the running thread, and of which loops run them: the same for
 * the same functions, at the same instructions, divided in the same way. They are read anew, so
 * nothing of them needs to be remembered. 0: they cannot be read, or one of the functions is new;
 * only python_frames() can tell. `module`: the file that the loops are in. Takes the place of a
 * walk's state in w->py, and needs w->tls, w->image and w->now_ns.
 */
u64 python_print(struct user_walk *w, u32 module);

/* Before a walk. */
static __always_inline void python_reset(struct user_walk *w)
{
	w->py.module = 0;
	w->py.phase = 0;
	w->py.busy = 0;
	w->py.met = 0;
	w->py.printing = 0;
	w->py.window_addr = 0;
	w->py.window_len = 0;
}

#endif

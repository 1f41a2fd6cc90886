/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_CHAIN_H
#define ASYNC_PY_CHAIN_H

#include "abi/stack.h"
#include "async/py_codes.h"
#include "async/py_layout.h"
#include "async/py_types.h"
#include "visit/python_frames.h"

/* A coroutine with its frame, as far as it is read; a frame of its own, to 3.10. */
#define PY_CORO_SZ 280
#define PY_FRAME_SZ 112
/* What a coroutine awaits, and what that awaits, and so on; more than that is a circle. */
#define PY_HOPS_MAX 1024

enum py_coro_state {
	PY_CORO_UNKNOWN = 0, /* not one of CPython's own, or not readable */
	PY_CORO_WAITS,
	PY_CORO_RUNS,
	PY_CORO_NEW, /* it has not started */
	PY_CORO_OVER,
};

/* What is read next. */
enum py_want {
	PY_WANT_NOTHING = 0,
	PY_WANT_OBJECT,
	PY_WANT_FRAME,
	PY_WANT_TOP,
};

/* The coroutines that wait for each other, from the outermost of a task on. */
struct py_chain {
	enum py_want want;
	u64 addr;
	u32 sz;
	u32 hops;
	bool bad; /* something could not be read, or is no coroutine although it should be */
	u64 coro; /* that whose frame is read */
	bool runs; /* likewise, to 3.9 */
	bool only_root; /* set by the caller: nothing behind the outermost is of interest */
	u8 buf[PY_CORO_SZ];
	/* the outermost one */
	enum py_coro_state state;
	u64 root_at; /* what of it changes when it runs; 0: not read */
	u32 root_sz;
	u8 root[PY_CORO_SZ];
	u64 root_code; /* its function: py_code.number; 0: not known */
	u32 root_name;
	/* the functions: the innermost `depth` of them */
	u32 len;
	u32 depth;
	bool cut; /* there were more */
	struct python_frame links[CS_STACK_MAX]; /* outermost first */
	u32 thread; /* that runs it; 0: none, or not known */
};

/* What reading them needs. Borrowed. */
struct py_reading {
	const struct py_layout *l;
	struct py_types *types;
	struct py_codes *codes;
	struct task_memory *mem;
	struct process *p;
};

/* Begins at a coroutine; 0 is fine: it has none. At most CS_STACK_MAX functions are kept. */
void py_chain__begin(struct py_chain *c, u64 coro, u32 depth);
/* Reads them all to their ends, each step of all in one call. -ENOMEM or 0. */
int py_chains__read(struct py_chain *const *chains, size_t n, const struct py_reading *r);
/* Whether the outermost coroutine ran meanwhile; `now` is what is at root_at, of root_sz bytes. */
bool py_chain__is_torn(const struct py_chain *c, const struct py_layout *l, const u8 *now);
/* Its functions, leaf first. */
void py_chain__frames(const struct py_chain *c, struct python_frames *ret);

#endif

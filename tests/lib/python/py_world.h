/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PY_WORLD_H
#define TESTS_PY_WORLD_H

#include "async/py_layout.h"
#include "async/py_types.h"

/*
 * Objects of CPython as a process would have them, in memory of our own. Programs that link this
 * get a task_memory that reads nothing else, so that addresses outside cannot be read, and memory
 * can change between two readings.
 */
#define PY_WORLD_AT 0x200000000000ULL
#define PY_WORLD_SZ (4U << 20)
/* The type of code, behind those of enum py_kind. */
#define PY_WORLD_CODE (PY_NONE + 1)
#define PY_WORLD_TYPES (PY_WORLD_CODE + 1)

struct py_world {
	u32 minor; /* 3.8 to 3.13 */
	u64 end; /* what is behind it is free */
	u64 types[PY_WORLD_TYPES]; /* by enum py_kind */
	struct cs_python python;
	const struct py_offsets *off;
};

enum py_world_coro {
	PY_WORLD_NEW,
	PY_WORLD_AWAITS,
	PY_WORLD_RUNS,
	PY_WORLD_OVER,
};

/* Called before a piece is read. */
typedef void py_world_fn(void *arg, u64 addr);

/* All that there was before is gone. */
void py_world__init(struct py_world *w, u32 minor);
/* NULL: no more. */
void py_world__on_read(py_world_fn *fn, void *arg);
/* Zeroed memory. */
u64 py_world__alloc(struct py_world *w, size_t sz);
/* A word at an address. */
void py_world__put(u64 addr, u64 word);
u64 py_world__get(u64 addr);
u64 py_world__type(struct py_world *w, const char *name, bool heap, u64 base);
u64 py_world__object(struct py_world *w, u64 type, size_t sz);
u64 py_world__str(struct py_world *w, const char *text);
u64 py_world__code(struct py_world *w, const char *name, u32 locals);
/* At instruction `at` of `code`; `awaits`: what is on top of its values, or 0. */
u64 py_world__coro(struct py_world *w, u64 code, u32 at, enum py_world_coro state, u64 awaits);
/* Goes on to another instruction. */
void py_world__step(struct py_world *w, u64 coro, u32 at);
/* An object that holds another one: a wrapper, a weak reference, a module with its dict. */
u64 py_world__holder(struct py_world *w, enum py_kind kind, u64 held);
u64 py_world__future(struct py_world *w, bool done);
u64 py_world__task(struct py_world *w, u64 coro, u64 waiter, const char *name);
/* A set of `n` objects in a table of `len` slots, a power of two. */
u64 py_world__set(struct py_world *w, const u64 *objects, u64 n, u64 len);
/*
 * A dict of `n` strings: at most 8 in a table of 8. `split`: its values lie apart, as those of an
 * instance.
 */
u64 py_world__dict(struct py_world *w, const char *const *keys, const u64 *values, u64 n,
		   bool split);

#endif

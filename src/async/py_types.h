/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_TYPES_H
#define ASYNC_PY_TYPES_H

#include <string.h>

#include "async/task/task_memory.h"
#include "base/map64.h"
#include "base/types.h"

/* Offsets in objects of CPython 3.8 to 3.13, with the global lock. */
#define PY_OB_TYPE 8
/* What a wrapper, a weak reference or a module holds: the first word of its own. */
#define PY_HELD 16
/* A wrapper up to that word. */
#define PY_SMALL_SZ 24

/* What an object is, as far as it matters to tasks. */
enum py_kind {
	PY_OTHER = 0,
	PY_CORO, /* coroutine, generator or asynchronous generator: they begin alike */
	PY_WRAPPER, /* it passes on what is sent to it, to the object that it holds */
	PY_FUTURE, /* of the C module, or a subclass */
	PY_GATHERING, /* the future of asyncio.gather() */
	PY_TASK,
	PY_DICT,
	PY_SET,
	PY_WEAKREF,
	PY_MODULE,
	PY_NONE,
};

/* The word at an offset. */
static inline u64 py_word(const u8 *bytes, u32 off)
{
	u64 w;

	memcpy(&w, bytes + off, sizeof(w));
	return w;
}

/* False: no object is there. */
static inline bool py_plausible(u64 addr)
{
	return addr >= 4096 && !(addr & 7) && !(addr >> 47);
}

/*
 * Kinds by the addresses of types, each read once. A type that is made by a class statement cannot
 * pass for one of CPython's own, whatever it is called.
 */
struct py_types {
	struct map64 kinds;
};

void py_types__init(struct py_types *t);
/* NULL is fine. */
void py_types__done(struct py_types *t);
/* By the address of a type. */
enum py_kind py_types__kind(struct py_types *t, struct task_memory *mem, u64 type);
/* The same, not remembered, and only of the class itself: not what it inherits from. */
enum py_kind py_type__own_kind(struct task_memory *mem, u64 type);
/* By the address of an object. */
enum py_kind py_types__kind_of(struct py_types *t, struct task_memory *mem, u64 obj);

#endif

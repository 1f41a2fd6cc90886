/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_PYTHON_READ_BPF_H
#define LIB_RUNTIME_PYTHON_READ_BPF_H

/* Internals of the reader of Python frames, shared by its two files. */
#include "lib/runtime/python.bpf.h"
#include "lib/walk_read.bpf.h"

enum python_phase {
	PYTHON_START = 0,
	PYTHON_SLOT, /* of thread-local storage */
	PYTHON_STATE,
	PYTHON_CFRAME,
	PYTHON_FRAME,
	PYTHON_CODE,
	PYTHON_NEWS, /* this code object is new: report it */
	PYTHON_OFF, /* no more Python frames in this walk */
};

/* Reads the first `sz` bytes of an object into buf; enum walk_next, WALK_DONE for a fault. */
static __always_inline int fetch(struct user_walk *w, u64 addr, u32 sz)
{
	if (sz > CS_PYTHON_BUF_SZ || !user_ptr(addr))
		return WALK_DONE;
	return walk_read(w, w->py.buf, sz, addr);
}

/* A field of the object in buf. */
static __always_inline u64 word_at(const struct user_walk *w, u32 off)
{
	return *(u64 *)(w->py.buf + (off & (CS_PYTHON_BUF_SZ - 8)));
}

static __always_inline s32 int_at(const struct user_walk *w, u32 off)
{
	return *(s32 *)(w->py.buf + (off & (CS_PYTHON_BUF_SZ - 4)));
}

/*
 * The current code object, which is in buf, is new: begins its record. The second function reads
 * and sends it; enum walk_next, WALK_DONE if its frame was the last one of its loop. In
 * python_news.bpf.c.
 */
int python_news_begin(struct user_walk *w);
int python_news(struct user_walk *w);

#endif

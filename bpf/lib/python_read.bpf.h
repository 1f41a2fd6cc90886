/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_PYTHON_READ_BPF_H
#define LIB_PYTHON_READ_BPF_H

/* The inside of the reader of Python frames: what its two files share. */
#include "lib/python.bpf.h"
#include "lib/walk_read.bpf.h"

enum python_phase {
	PYTHON_START = 0,
	PYTHON_SLOT, /* of thread-local storage */
	PYTHON_STATE,
	PYTHON_CFRAME,
	PYTHON_FRAME,
	PYTHON_CODE,
	PYTHON_NEWS, /* this code object is new: tell what it is */
	PYTHON_OFF, /* no more Python frames in this walk */
};

/* Takes the first `sz` bytes of an object into buf; enum walk_next, WALK_DONE for a fault. */
static __always_inline int fetch(struct user_walk *w, u64 addr, u32 sz)
{
	if (sz > CS_PYTHON_BUF_SZ || !user_ptr(addr))
		return WALK_DONE;
	return walk_read(w, w->py.buf, sz, addr);
}

/* Of the object in buf. */
static __always_inline u64 word_at(const struct user_walk *w, u32 off)
{
	return *(u64 *)(w->py.buf + (off & (CS_PYTHON_BUF_SZ - 8)));
}

static __always_inline s32 int_at(const struct user_walk *w, u32 off)
{
	return *(s32 *)(w->py.buf + (off & (CS_PYTHON_BUF_SZ - 4)));
}

/*
 * The present code object, which is in buf, is new: it will be told what it is. Then the second one
 * reads and sends that; enum walk_next, WALK_DONE when its frame was the last one of its loop. In
 * python_news.bpf.c.
 */
int python_news_begin(struct user_walk *w);
int python_news(struct user_walk *w);

#endif

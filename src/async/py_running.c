/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing stops meanwhile, so the list may change while it is read. Only one that leads to the
 * frame of the task's own coroutine is of this task; each function in it is known by the type of
 * its code.
 */
#include "async/py_running.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visit/python_code.h"
#include "visit/python_thread.h"

#define SHIM_OWNER 3 /* FRAME_OWNED_BY_CSTACK: of no function */
#define FRAMES_MAX 1024
/* A loop has one thread, most often the first; other threads are many. */
#define THREADS_MAX 32

/* The innermost functions of a thread, as far as they were read. */
struct walk {
	const struct py_reading *r;
	u64 root; /* frame of the task's coroutine */
	u64 next; /* frame; 0: none */
	u32 len;
	u32 depth; /* of which so many are kept */
	struct python_frame frames[CS_STACK_MAX]; /* leaf first */
};

/* One frame. *ret_on: there are more. -ENOMEM or 0. */
static int step(struct walk *w, bool *ret_on)
{
	const struct cs_python *layout = &w->r->l->python;
	u8 frame[CS_PYTHON_BUF_SZ];
	const struct py_code *code;
	u64 at = w->next, object;
	int r;

	*ret_on = false;
	if (!py_plausible(at) || layout->frame_sz > sizeof(frame) ||
	    !task_memory__read(w->r->mem, at, frame, layout->frame_sz))
		return 0;
	w->next = python_word(frame, layout->frame_back);
	*ret_on = true;
	if (layout->entry == CS_PYTHON_ENTRY_SHIM && frame[layout->frame_entry] == SHIM_OWNER)
		return 0;
	object = python_word(frame, layout->frame_code);
	r = py_codes__get(w->r->codes, w->r->p, w->r->l, object, &code);
	*ret_on = !r && code && at != w->root;
	if (r || !code)
		return r;
	if (w->len < w->depth)
		w->frames[w->len] = (struct python_frame){
			.instr = python_instr(layout, python_word(frame, layout->frame_instr),
					      object),
			.code = code->number,
		};
	w->len++;
	if (at == w->root)
		w->next = at;
	return 0;
}

static bool begin(struct walk *w, u32 tid)
{
	const struct cs_python *layout = &w->r->l->python;
	u64 state;

	w->len = 0;
	process__forget(w->r->p);
	return python_thread_state(w->r->p, tid, layout, &state) &&
	       task_memory__read(w->r->mem, state + layout->thread_frame, &w->next,
				 sizeof(w->next)) &&
	       (layout->cframe_frame == CS_PYTHON_NO_OFF ||
		task_memory__read(w->r->mem, w->next + layout->cframe_frame, &w->next,
				  sizeof(w->next)));
}

/* *ret_found: the thread runs this task. -ENOMEM or 0. */
static int walk(struct walk *w, u32 tid, bool *ret_found)
{
	bool on = begin(w, tid);
	int r = 0;

	for (u32 i = 0; !r && on && i < FRAMES_MAX; i++)
		r = step(w, &on);
	*ret_found = !on && w->len && w->next == w->root;
	return r;
}

/* The other threads. */
static int search(struct walk *w, u32 *ret_thread, bool *ret_found)
{
	char path[32];
	struct dirent *e;
	DIR *dir;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", w->r->p->tgid);
	dir = opendir(path);
	for (u32 i = 0; dir && !r && !*ret_found && i < THREADS_MAX && (e = readdir(dir)); i++) {
		*ret_thread = (u32)strtoul(e->d_name, NULL, 10);
		if (*ret_thread)
			r = walk(w, *ret_thread, ret_found);
	}
	if (dir)
		closedir(dir);
	return r;
}

int py_running__read(struct py_chain *c, const struct py_reading *r, u32 *thread)
{
	bool inside = r->l->off->frames == PY_FRAMES_INSIDE, found = false;
	struct walk w = { .r = r, .depth = c->depth };
	u32 tid = *thread ? *thread : r->p->tgid;
	int ret;

	w.root = c->root_at + (inside ? r->l->off->frame : 0);
	if (!c->root_at)
		return 0;
	ret = walk(&w, tid, &found);
	if (!ret && !found)
		ret = search(&w, &tid, &found);
	if (ret || !found)
		return ret;
	*thread = c->thread = tid;
	c->len = w.len < w.depth ? w.len : w.depth;
	c->cut = w.len > w.depth;
	for (u32 i = 0; i < c->len; i++)
		c->links[i] = w.frames[c->len - 1 - i];
	return 0;
}

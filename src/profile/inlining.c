/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information is read after the stacks were built. Yet an inlined function should be a
 * frame like others, so that analyses and formats need not know about it. So the trie is rebuilt
 * in one pass, parents before children: each old node becomes the last of the
 * nodes that now represent it. Different stacks stay different, because frames of inlined functions
 * belong to one address each.
 */
#include "profile/inlining.h"

#include <errno.h>

#include "base/intern.h"
#include "base/mem.h"

#define STACK_KEY_SZ offsetof(struct profile_stack, depth)

struct inlined_call {
	u32 frame; /* at which */
	u32 order; /* among those of one frame */
	u32 name;
	u32 file;
	u32 line;
};

/* Everything new, until nothing can fail any more. */
struct rewriting {
	struct profile *p;
	const struct vec *calls; /* sorted by frame */
	struct vec frames; /* struct profile_frame: those of the profile, then the inlined ones */
	struct intern stacks;
	u32 *first; /* of its inlined frames, by frame; 0: none */
	u32 *len;
	u32 *leaf; /* new node by old one */
};

void inlining__init(struct inlining *in, struct profile *p)
{
	in->p = p;
	vec__init(&in->calls, sizeof(struct inlined_call));
}

void inlining__done(struct inlining *in)
{
	if (in)
		vec__done(&in->calls);
}

int inlining__add(struct inlining *in, u32 frame, const char *name, const char *file, u32 line)
{
	struct profile *p = in->p;
	struct inlined_call call = { .frame = frame, .order = (u32)in->calls.len }, *copy;
	int r;

	if (!frame || frame >= p->frames_len || p->frames[frame].flags & FRAME_INLINED || !*name)
		return -EINVAL;
	r = strtab__add(&p->strings, name, &call.name);
	if (!r && file)
		r = strtab__add(&p->strings, file, &call.file);
	copy = r ? NULL : vec__push(&in->calls);
	if (!copy)
		return -ENOMEM;
	call.line = call.file ? line : 0;
	*copy = call;
	return 0;
}

static int by_frame(const void *a, const void *b)
{
	const struct inlined_call *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int make_frames(struct rewriting *rw)
{
	const struct profile *p = rw->p;
	struct profile_frame *f = vec__push_n(&rw->frames, p->frames_len + rw->calls->len);
	size_t i;

	if (!f)
		return -ENOMEM;
	memcpy(f, p->frames, p->frames_len * sizeof(*f));
	for (i = 0; i < rw->calls->len; i++) {
		const struct inlined_call *call = vec__at(rw->calls, i);
		const struct profile_frame *at = &p->frames[call->frame];

		f[p->frames_len + i] = (struct profile_frame){
			.addr = at->addr,
			.module = at->module,
			.flags = FRAME_INLINED | (at->flags & FRAME_RETURN),
			.name = call->name,
			.file = call->file,
			.line = call->line,
		};
		if (!rw->len[call->frame]++)
			rw->first[call->frame] = p->frames_len + (u32)i;
	}
	return 0;
}

static int add_node(struct rewriting *rw, u32 frame, u32 *node)
{
	struct profile_stack s = { .parent = *node, .frame = frame };

	s.depth = ((const struct profile_stack *)intern__at(&rw->stacks, *node))->depth + 1;
	return intern__add(&rw->stacks, &s, node);
}

static int make_stacks(struct rewriting *rw)
{
	const struct profile *p = rw->p;
	int r = 0;
	u32 i, k;

	for (i = 1; i < p->stacks_len && !r; i++) {
		const struct profile_stack *s = &p->stacks[i];
		u32 node = rw->leaf[s->parent];

		r = add_node(rw, s->frame, &node);
		for (k = 0; k < rw->len[s->frame] && !r; k++)
			r = add_node(rw, rw->first[s->frame] + k, &node);
		if (r)
			return r;
		((struct profile_stack *)intern__at(&rw->stacks, node))->flags = s->flags;
		rw->leaf[i] = node;
	}
	return r;
}

static void move_wakers(struct rewriting *rw)
{
	struct profile *p = rw->p;
	u32 i;

	for (i = 1; i < p->wakers_len; i++) {
		p->wakers[i].ustack = rw->leaf[p->wakers[i].ustack];
		p->wakers[i].kstack = rw->leaf[p->wakers[i].kstack];
	}
	for (i = 1; i < p->wakes_len; i++) {
		struct profile_wake *w = &p->wakes[i];

		w->ustack = rw->leaf[w->ustack];
		w->kstack = rw->leaf[w->kstack];
		w->did_ustack = rw->leaf[w->did_ustack];
		w->did_kstack = rw->leaf[w->did_kstack];
	}
}

static void hand_over(struct rewriting *rw)
{
	struct profile *p = rw->p;
	size_t len;
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		p->waits[i].ustack = rw->leaf[p->waits[i].ustack];
		p->waits[i].kstack = rw->leaf[p->waits[i].kstack];
	}
	move_wakers(rw);
	for (i = 1; i < p->hots_len; i++) {
		p->hots[i].ustack = rw->leaf[p->hots[i].ustack];
		p->hots[i].kstack = rw->leaf[p->hots[i].kstack];
	}
	mem_free(p->frames);
	mem_free(p->stacks);
	p->frames = vec__steal(&rw->frames, &len);
	p->frames_len = (u32)len;
	p->stacks = vec__steal(&rw->stacks.items, &len);
	p->stacks_len = (u32)len;
}

int inlining__apply(struct inlining *in)
{
	struct rewriting rw = { .p = in->p, .calls = &in->calls };
	int r;

	if (!in->calls.len)
		return 0;
	qsort(in->calls.data, in->calls.len, sizeof(struct inlined_call), by_frame);
	vec__init(&rw.frames, sizeof(struct profile_frame));
	r = intern__init(&rw.stacks, sizeof(struct profile_stack), STACK_KEY_SZ);
	rw.first = mem_array(in->p->frames_len, sizeof(u32));
	rw.len = mem_array(in->p->frames_len, sizeof(u32));
	rw.leaf = mem_array(in->p->stacks_len, sizeof(u32));
	if (!rw.first || !rw.len || !rw.leaf)
		r = -ENOMEM;
	if (!r)
		r = make_frames(&rw);
	if (!r)
		r = make_stacks(&rw);
	if (!r)
		hand_over(&rw);
	vec__done(&rw.frames);
	intern__done(&rw.stacks);
	mem_free(rw.first);
	mem_free(rw.len);
	mem_free(rw.leaf);
	return r;
}

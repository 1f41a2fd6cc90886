/* SPDX-License-Identifier: Apache-2.0 */
/* A view with stacks of its own copies the trie once and appends: old rows need no change. */
#include "analysis/view/grown_code.h"

#include <errno.h>
#include <string.h>

int grown_code__init(struct grown_code *g, const struct profile *p)
{
	struct profile_frame *f;
	u32 i, id;
	int r;

	memset(g, 0, sizeof(*g));
	vec__init(&g->frames, sizeof(struct profile_frame));
	map64__init(&g->notes);
	r = intern__init(&g->stacks, sizeof(struct profile_stack),
			 offsetof(struct profile_stack, depth));
	for (i = 1; i < p->stacks_len && !r; i++)
		r = intern__add(&g->stacks, &p->stacks[i], &id);
	if (!r)
		r = strtab__init(&g->strings);
	for (i = 1; i < strtab__len(&p->strings) && !r; i++)
		r = strtab__add(&g->strings, strtab__get(&p->strings, i), &id);
	for (i = 0; i < p->frames_len && !r; i++) {
		f = vec__push(&g->frames);
		if (!f)
			return -ENOMEM;
		*f = p->frames[i];
	}
	return r;
}

void grown_code__done(struct grown_code *g)
{
	if (!g)
		return;
	intern__done(&g->stacks);
	vec__done(&g->frames);
	strtab__done(&g->strings);
	map64__done(&g->notes);
}

static int note_frame(struct grown_code *g, const char *name, u32 *ret_frame)
{
	struct profile_frame *f, note = { .flags = FRAME_NOTE };
	u64 known;
	int r = strtab__add(&g->strings, name, &note.name);

	if (!r && map64__get(&g->notes, note.name, &known)) {
		*ret_frame = (u32)known;
		return 0;
	}
	f = r ? NULL : vec__push(&g->frames);
	if (!f)
		return -ENOMEM;
	*f = note;
	*ret_frame = (u32)g->frames.len - 1;
	return map64__set(&g->notes, note.name, *ret_frame);
}

int grown_code__add_frame(struct grown_code *g, u32 frame, u32 flags, u32 *stack)
{
	const struct profile_stack *leaf = intern__at(&g->stacks, *stack);
	struct profile_stack node = {
		.parent = *stack,
		.frame = frame,
		.depth = leaf->depth + 1,
		.flags = flags | (leaf->flags & STACK_CUT),
	};

	return intern__add(&g->stacks, &node, stack);
}

int grown_code__add_note(struct grown_code *g, const char *name, u32 flags, u32 *stack)
{
	u32 frame;
	int r = note_frame(g, name, &frame);

	return r ? r : grown_code__add_frame(g, frame, flags, stack);
}

void grown_code__lend(const struct grown_code *g, struct profile *to)
{
	to->stacks = intern__at(&g->stacks, 0);
	to->stacks_len = intern__len(&g->stacks);
	to->frames = g->frames.data;
	to->frames_len = (u32)g->frames.len;
	to->strings = g->strings;
}

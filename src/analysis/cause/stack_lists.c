/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the trie, parents before their children: a node has the lists of its parent plus
 * those of its own frame. Frames of wakers behind the stack of a wait say nothing about it.
 */
#include "analysis/cause/stack_lists.h"

#include <errno.h>

#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "base/mem.h"

static void match_frame(const struct rule_words *words, const struct profile *p, u32 frame,
			u64 *bits)
{
	const struct profile_frame *f = &p->frames[frame];
	const char *path = profile__str(p, p->modules[f->module].path);
	bool kernel = f->flags & FRAME_KERNEL;

	if (f->flags & FRAME_TRUNCATED)
		return;
	if (f->name)
		rule_words__match(words, kernel ? RULE_SIDE_KERNEL : RULE_SIDE_USER,
				  profile__str(p, f->name), bits);
	if (!kernel && *path)
		rule_words__match(words, RULE_SIDE_MODULE, label_basename(path), bits);
}

static int add_set(struct stack_lists *l, const u64 *bits, u32 *ret_set)
{
	u64 any = 0;
	size_t i;

	for (i = 0; i < l->words; i++)
		any |= bits[i];
	*ret_set = 0;
	return any ? intern__add(&l->sets, bits, ret_set) : 0;
}

static int make_union(struct stack_lists *l, u32 a, u32 b, u32 *ret_set)
{
	u64 *bits = mem_array(l->words, sizeof(u64));
	size_t i;
	int r;

	if (!bits)
		return -ENOMEM;
	for (i = 0; i < l->words; i++)
		bits[i] = stack_lists__bits(l, a)[i] | stack_lists__bits(l, b)[i];
	r = add_set(l, bits, ret_set);
	mem_free(bits);
	return r ? r : map64__set(&l->unions, (u64)a << 32 | b, *ret_set);
}

static int union_of(struct stack_lists *l, u32 a, u32 b, u32 *ret_set)
{
	u32 less = a < b ? a : b, more = a < b ? b : a;
	u64 known;

	if (!less || less == more) {
		*ret_set = more;
		return 0;
	}
	if (!map64__get(&l->unions, (u64)less << 32 | more, &known))
		return make_union(l, less, more, ret_set);
	*ret_set = (u32)known;
	return 0;
}

/* By frame, into `sets`. */
static int match_frames(struct stack_lists *l, const struct rule_words *words,
			const struct profile *p, u32 *sets)
{
	u64 *bits = mem_array(l->words, sizeof(u64));
	int r = bits ? 0 : -ENOMEM;
	u32 i;

	for (i = 1; i < p->frames_len && !r; i++) {
		memset(bits, 0, l->words * sizeof(u64));
		match_frame(words, p, i, bits);
		r = add_set(l, bits, &sets[i]);
	}
	mem_free(bits);
	return r;
}

static int join_stacks(struct stack_lists *l, const struct profile *p, const u32 *of_frame)
{
	u32 *own = place_own_frames(p), i;
	int r = own ? 0 : -ENOMEM;

	for (i = 1; i < p->stacks_len && !r; i++) {
		u32 parent = p->stacks[i].parent, frame = p->stacks[i].frame;
		const struct profile_frame *f = &p->frames[frame];
		bool is_code = !(f->flags & FRAME_TRUNCATED) &&
			       p->modules[f->module].kind == MODULE_CODE;

		if (p->stacks[i].flags & STACK_WAKER) {
			l->caller[i] = l->caller[parent];
			l->code[i] = l->code[parent];
			l->of_stack[i] = l->of_stack[parent];
			continue;
		}
		l->caller[i] = of_frame[own[i]];
		l->code[i] = is_code ? of_frame[frame] : l->code[parent];
		r = union_of(l, l->of_stack[parent], of_frame[frame], &l->of_stack[i]);
	}
	mem_free(own);
	return r;
}

int stack_lists__init(struct stack_lists *l, const struct rule_words *words,
		      const struct profile *p)
{
	u32 *of_frame = mem_array((size_t)p->frames_len + 1, sizeof(u32));
	int r;

	memset(l, 0, sizeof(*l));
	l->words = (rule_words__lists(words) + 63) / 64;
	l->words += !l->words;
	map64__init(&l->unions);
	l->of_stack = mem_array((size_t)p->stacks_len + 1, sizeof(u32));
	l->caller = mem_array((size_t)p->stacks_len + 1, sizeof(u32));
	l->code = mem_array((size_t)p->stacks_len + 1, sizeof(u32));
	r = intern__init(&l->sets, l->words * sizeof(u64), l->words * sizeof(u64));
	if (!of_frame || !l->of_stack || !l->caller || !l->code)
		r = -ENOMEM;
	if (!r)
		r = match_frames(l, words, p, of_frame);
	if (!r)
		r = join_stacks(l, p, of_frame);
	mem_free(of_frame);
	return r;
}

void stack_lists__done(struct stack_lists *l)
{
	intern__done(&l->sets);
	map64__done(&l->unions);
	mem_free(l->of_stack);
	mem_free(l->caller);
	mem_free(l->code);
	memset(l, 0, sizeof(*l));
}

int stack_lists__both(struct stack_lists *l, u32 a, u32 b, u32 *ret_set)
{
	return union_of(l, l->of_stack[a], l->of_stack[b], ret_set);
}

u32 stack_lists__caller(const struct stack_lists *l, u32 stack)
{
	return l->caller[stack];
}

u32 stack_lists__code(const struct stack_lists *l, u32 stack)
{
	return l->code[stack];
}

const u64 *stack_lists__bits(const struct stack_lists *l, u32 set)
{
	return intern__at(&l->sets, set);
}

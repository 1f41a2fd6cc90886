/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a builder that knows code: modules, frames, stacks. */
#include "profile/builder_priv.h"

#include <errno.h>
#include <stdio.h>

int builder__module(struct builder *b, const struct profile_module *m, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	if (m->kind > MODULE_NOTE)
		return builder__refuse(b, "a module is of an unknown kind");
	if (!builder__has_str(b, m->path) || !builder__has_str(b, m->build_id))
		return builder__refuse(b, "a module has a string that does not exist");
	return builder__settle(b, intern__add(&b->modules, m, ret_id));
}

int builder__frame(struct builder *b, u32 module, u64 addr, u32 flags, enum frame_reason reason,
		   u32 *ret_id)
{
	struct profile_frame f = {
		.addr = addr,
		.module = module,
		.flags = flags,
		.reason = reason,
	};
	struct profile_frame *known;
	int r;

	*ret_id = 0;
	if (b->error)
		return b->error;
	if (module >= intern__len(&b->modules))
		return builder__refuse(b, "a frame is in a module that does not exist");
	if (reason == FRAME_NAMED || (u32)reason >= FRAME_REASON_CNT ||
	    flags & (FRAME_TRUNCATED | FRAME_INLINED))
		return builder__refuse(b, "a frame has no name and no reason for it");
	r = builder__settle(b, intern__add(&b->frames, &f, ret_id));
	if (r)
		return r;
	/* what one thread found out about an address holds for all */
	known = intern__at(&b->frames, *ret_id);
	if (known->reason == FRAME_NOT_TRIED)
		known->reason = reason;
	return 0;
}

int builder__known_frame(struct builder *b, const struct profile_frame *f, u32 *ret_id)
{
	if (!f->name && !(f->flags & FRAME_INLINED))
		return builder__frame(b, f->module, f->addr, f->flags, (enum frame_reason)f->reason,
				      ret_id);
	*ret_id = 0;
	if (b->error)
		return b->error;
	if (f->module >= intern__len(&b->modules))
		return builder__refuse(b, "a frame is in a module that does not exist");
	if (!builder__has_str(b, f->name) || !builder__has_str(b, f->file))
		return builder__refuse(b, "a frame has a string that does not exist");
	if (f->reason != FRAME_NAMED || !f->name)
		return builder__refuse(b, "a frame has a name and a reason for none, or neither");
	if (f->flags & FRAME_TRUNCATED && (f->addr == STACK_END_ROOT || f->addr >= STACK_END_CNT))
		return builder__refuse(b, "a stack is truncated for no known reason");
	return builder__settle(b, intern__add(&b->frames, f, ret_id));
}

static const char *module_path(const struct builder *b, u32 module)
{
	const struct profile_module *m = intern__at(&b->modules, module);

	return strtab__get(&b->strings, m->path);
}

int builder__truncated(struct builder *b, u32 module, enum stack_end end, u32 *ret_frame)
{
	struct profile_frame f = { .addr = end, .module = module, .flags = FRAME_TRUNCATED };
	char words[256], name[280];

	*ret_frame = 0;
	if (b->error)
		return b->error;
	if (module >= intern__len(&b->modules))
		return builder__refuse(b, "a stack ends in a module that does not exist");
	if (end == STACK_END_ROOT || (u32)end >= STACK_END_CNT)
		return builder__refuse(b, "a stack is truncated for no known reason");
	stack_end_describe(end, module_path(b, module), words, sizeof(words));
	snprintf(name, sizeof(name),
		 stack_end_is_loss(end) && end != STACK_END_GAP ? "[truncated: %s]" : "[%s]",
		 words);
	if (builder__settle(b, strtab__add(&b->strings, name, &f.name)))
		return b->error;
	return builder__settle(b, intern__add(&b->frames, &f, ret_frame));
}

int builder__inlined(struct builder *b, const struct profile_frame *at, u32 *ret_frame)
{
	const struct profile_frame f = {
		.addr = at->addr,
		.module = at->module,
		.flags = FRAME_INLINED | (at->flags & FRAME_RETURN),
		.name = at->name,
		.file = at->file,
		.line = at->line,
	};

	*ret_frame = 0;
	if (b->error)
		return b->error;
	if (f.module >= intern__len(&b->modules))
		return builder__refuse(b, "an inlined function is in a module that does not exist");
	if (!f.name || !builder__has_str(b, f.name) || !builder__has_str(b, f.file))
		return builder__refuse(
			b, "an inlined function has no name, or one that does not exist");
	return builder__settle(b, intern__add(&b->frames, &f, ret_frame));
}

static bool is_truncated(const struct builder *b, u32 frame)
{
	const struct profile_frame *f = intern__at(&b->frames, frame);

	return f->flags & FRAME_TRUNCATED;
}

static bool is_gap(const struct builder *b, u32 frame)
{
	const struct profile_frame *f = intern__at(&b->frames, frame);

	return f->addr == STACK_END_GAP;
}

int builder__stack(struct builder *b, u32 parent, u32 frame, u32 *ret_id)
{
	struct profile_stack s = { .parent = parent, .frame = frame };

	*ret_id = 0;
	if (b->error)
		return b->error;
	if (parent >= intern__len(&b->stacks))
		return builder__refuse(b, "a stack has a parent that does not exist");
	if (!frame || frame >= intern__len(&b->frames))
		return builder__refuse(b, "a stack has a frame that does not exist");
	if (parent && is_truncated(b, frame) && !is_gap(b, frame))
		return builder__refuse(b, "a stack goes on behind the place where it is truncated");
	s.depth = ((const struct profile_stack *)intern__at(&b->stacks, parent))->depth + 1;
	return builder__settle(b, intern__add(&b->stacks, &s, ret_id));
}

int builder__stack_flags(struct builder *b, u32 stack, u32 flags)
{
	struct profile_stack *s;

	if (b->error)
		return b->error;
	if (!stack || stack >= intern__len(&b->stacks))
		return builder__refuse(b, "flags are for a stack that does not exist");
	s = intern__at(&b->stacks, stack);
	s->flags |= flags;
	return 0;
}

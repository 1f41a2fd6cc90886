/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Addresses become places in modules while the mappings of their processes are at hand, so that a
 * profile is independent of them; names come later and elsewhere.
 */
#include "capture/profile_stacks.h"

#include "capture/capture_priv.h"

/* Frames of tracing itself that can stand before __schedule. */
#define TRIM_MAX 16

/* Ends of stacks are numbered alike; the flags of waits are not, see wait_flags.h. */
_Static_assert((int)CS_END_ROOT == STACK_END_ROOT && (int)CS_END_CNT == STACK_END_CNT &&
		       (int)CS_END_NO_CODE == STACK_END_NO_CODE &&
		       (int)CS_END_EXEC == STACK_END_EXEC,
	       "a profile says why a stack ends as the kernel side does");

void profile_stacks__init(struct profile_stacks *ps, struct builder *b, struct capture *c,
			  const struct capture_files *files)
{
	*ps = (struct profile_stacks){ .b = b, .c = c, .files = files };
	map64__init(&ps->made);
	map64__init(&ps->frames);
}

void profile_stacks__done(struct profile_stacks *ps)
{
	map64__done(&ps->made);
	map64__done(&ps->frames);
}

int profile_stacks__begin(struct profile_stacks *ps, const struct kallsyms *k)
{
	struct profile_module kernel = { .kind = MODULE_KERNEL };
	int r = builder__str(ps->b, "[kernel]", &kernel.path);

	if (k)
		kallsyms__range(k, "__schedule", &ps->schedule_start, &ps->schedule_end);
	if (k)
		kallsyms__range(k, "try_to_wake_up", &ps->wakeup_start, &ps->wakeup_end);
	return r ? r : builder__module(ps->b, &kernel, &ps->kernel_module);
}

static int module_of_file(struct profile_stacks *ps, u32 id, u32 *ret)
{
	const struct mapped_file *f = mapped__at(&ps->c->mapped, id);
	struct profile_module m = { .kind = MODULE_ELF };
	int r;

	if (id == CS_MODULE_ID_VDSO)
		m.kind = MODULE_VDSO;
	if (f) {
		m.dev = f->file.dev;
		m.ino = f->file.ino;
		m.generation = f->file.generation;
	}
	r = builder__str(ps->b, f ? f->path : "[unknown]", &m.path);
	if (!r)
		r = builder__str(ps->b, f ? ps->files->build_id(ps->files->arg, &f->file) : "",
				 &m.build_id);
	return r ? r : builder__module(ps->b, &m, ret);
}

/* What has no file: run-time code, and functions of an interpreter. */
static int module_of_memory(struct profile_stacks *ps, const struct stack_owner *o, u64 pc,
			    u32 *ret)
{
	struct profile_module m = { .kind = MODULE_ANON, .tgid = o->tgid };
	const char *path = "[anon]";
	int r;

	if (pc & CS_PC_CODE) {
		m.kind = MODULE_CODE;
		m.dev = o->image;
		path = runtimes_code_label(cs_pc_code_addr(pc));
	}
	r = builder__str(ps->b, path, &m.path);
	return r ? r : builder__module(ps->b, &m, ret);
}

/* What makes two frames in files the same one: CS_PC_EXACT is in `flags`, so its bit is free. */
static u64 frame_key(u64 pc, u32 flags)
{
	return (pc & ~CS_PC_EXACT) | (flags & FRAME_RETURN ? CS_PC_EXACT : 0);
}

/* Stacks are many and places few: each is looked up in the builder's tables once. */
static int add_file_frame(struct profile_stacks *ps, u64 pc, u32 flags, u32 *ret)
{
	const struct mapped_file *f = mapped__at(&ps->c->mapped, cs_pc_module_id(pc));
	enum frame_reason reason = FRAME_NOT_TRIED;
	u64 key = frame_key(pc, flags), id;
	u32 module;
	int r;

	if (map64__get(&ps->frames, key, &id)) {
		*ret = (u32)id;
		return 0;
	}
	if (!f || (f->fd < 0 && f->id != CS_MODULE_ID_VDSO && !f->given))
		reason = FRAME_FILE_GONE;
	r = module_of_file(ps, cs_pc_module_id(pc), &module);
	if (!r)
		r = builder__frame(ps->b, module, cs_pc_off(pc), flags, reason, ret);
	return r ? r : map64__set(&ps->frames, key, *ret);
}

/* One frame of a user stack. */
static int add_user_frame(struct profile_stacks *ps, const struct stack_owner *o, u64 pc, u32 flags,
			  u32 *ret)
{
	bool code = pc & CS_PC_CODE;
	u32 module;
	int r;

	if (pc & CS_PC_MODULE)
		return add_file_frame(ps, pc, flags, ret);
	r = module_of_memory(ps, o, pc, &module);
	return r ? r : builder__frame(ps->b, module, pc, code ? 0 : flags, FRAME_NOT_TRIED, ret);
}

/* How many frames at the leaf are those of tracing: all before __schedule, or before the wakeup. */
static u32 trim_len(const struct profile_stacks *ps, const struct cs_stack *st)
{
	bool waker = st->flags & CS_STACK_WAKER;
	u64 start = waker ? ps->wakeup_start : ps->schedule_start;
	u64 end = waker ? ps->wakeup_end : ps->schedule_end;

	if (!start || st->flags & CS_STACK_SAMPLE)
		return 0;
	for (u32 i = 0; i < st->len && i < TRIM_MAX; i++)
		if (st->pc[i] >= start && st->pc[i] < end)
			return i;
	return 0;
}

static int push_frame(struct profile_stacks *ps, u32 frame, u32 *stack)
{
	return builder__stack(ps->b, *stack, frame, stack);
}

static int add_kernel_stack(struct profile_stacks *ps, const struct cs_stack *st, u32 *ret)
{
	u32 id = 0, frame, first = trim_len(ps, st);
	int r = 0;

	for (u32 i = st->len; !r && i-- > first;) {
		/* an interrupt hits between two instructions, and not behind a call */
		bool exact = !i && st->flags & CS_STACK_SAMPLE;

		r = builder__frame(ps->b, ps->kernel_module, st->pc[i],
				   FRAME_KERNEL | (exact ? 0 : FRAME_RETURN), FRAME_NOT_TRIED,
				   &frame);
		if (!r)
			r = push_frame(ps, frame, &id);
	}
	if (!r && st->flags & CS_STACK_CUT)
		r = builder__stack_flags(ps->b, id, STACK_CUT);
	*ret = id;
	return r;
}

/* A leaf in no mapping at all is an address and nothing more. */
static bool is_lost(const struct cs_stack *st, u32 i)
{
	return st->end == CS_END_NO_MAPPING && st->len == 1 && !i && !(st->pc[i] >> 62);
}

/* A return address leads behind the call; not so the leaf, nor a place that a signal hit. */
static u32 frame_flags(const struct cs_stack *st, u32 i)
{
	bool exact = st->pc[i] & CS_PC_MODULE && st->pc[i] & CS_PC_EXACT;

	return i && !exact ? FRAME_RETURN : 0;
}

/* What stands for missing callers of the outermost of the first `len` frames. */
static int add_missing(struct profile_stacks *ps, const struct cs_stack *st, u32 len,
		       enum stack_end end, u32 *id)
{
	u32 frame = 0, module = 0;
	int r = 0;

	/* The file where the walk ended or became unsure is a clue. */
	if (len && st->pc[len - 1] & CS_PC_MODULE)
		r = module_of_file(ps, cs_pc_module_id(st->pc[len - 1]), &module);
	if (!r)
		r = builder__truncated(ps->b, module, end, &frame);
	return r ? r : push_frame(ps, frame, id);
}

static int add_user_stack(struct profile_stacks *ps, const struct cs_stack *st,
			  const struct stack_owner *o, u32 *ret)
{
	u32 id = 0, frame = 0;
	int r = 0;

	if (st->end)
		r = add_missing(ps, st, st->len, (enum stack_end)st->end, &id);
	for (u32 i = st->len; !r && i-- > 0;) {
		if (i + 1 == st->gap && st->gap < st->len)
			r = add_missing(ps, st, st->gap, STACK_END_GAP, &id);
		if (r)
			break;
		if (is_lost(st, i))
			r = builder__frame(ps->b, 0, st->pc[i], 0, FRAME_NO_MAPPING, &frame);
		else
			r = add_user_frame(ps, o, st->pc[i], frame_flags(st, i), &frame);
		if (!r)
			r = push_frame(ps, frame, &id);
	}
	*ret = id;
	return r;
}

int profile_stacks__add(struct profile_stacks *ps, u64 hash, const struct stack_owner *o, u32 *ret)
{
	const struct cs_stack *st = hash ? stacks__find(&ps->c->stacks, hash) : NULL;
	u64 key = hash, id;
	int r;

	*ret = 0;
	if (hash && !st)
		ps->bare = true;
	if (!st)
		return 0;
	if (st->flags & CS_STACK_PRIVATE)
		key = hash ^ o->image * 0x9e3779b97f4a7c15ULL;
	if (map64__get(&ps->made, key, &id)) {
		*ret = (u32)id;
		return 0;
	}
	r = st->flags & CS_STACK_USER ? add_user_stack(ps, st, o, ret) :
					add_kernel_stack(ps, st, ret);
	return r ? r : map64__set(&ps->made, key, *ret);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A builder takes the totals of a thread before its waits. Most sources have no totals, so they are
 * summed from the waits: waits are kept until the end, and all else goes to the builder at once.
 * What a source does not tell is guessed here, once for all formats, or marked as unknown.
 */
#include "import/gather.h"

#include <errno.h>
#include <string.h>

#include "import/gather_priv.h"
#include "import/name_hints.h"
#include "profile/row_type.h"

#define NAME_SZ 4096

int gather__init(struct gather *g, const struct import_options *opt)
{
	int r;

	memset(g, 0, sizeof(*g));
	g->opt = opt;
	vec__init(&g->hints, sizeof(struct known_name));
	vec__init(&g->frames, sizeof(struct held_frame));
	g->b = builder__new();
	r = g->b ? strtab__init(&g->names) : -ENOMEM;
	if (!r)
		r = intern__init(&g->tasks, sizeof(struct gathered_task),
				 offsetof(struct gathered_task, group_comm));
	if (!r)
		r = intern__init(&g->waits, wait_row_type.sz, wait_row_type.key_sz);
	return r;
}

void gather__done(struct gather *g)
{
	builder__free(g->b);
	strtab__done(&g->names);
	vec__done(&g->hints);
	vec__done(&g->frames);
	intern__done(&g->tasks);
	intern__done(&g->waits);
}

int gather__str(struct gather *g, const struct view *text, u32 *ret_id)
{
	char buf[NAME_SZ];

	view__copy(text, buf, sizeof(buf));
	return builder__str(g->b, buf, ret_id);
}

int gather__task(struct gather *g, const struct view *comm, u32 tgid, u32 tid, u32 *ret_task)
{
	struct gathered_task t = { .tgid = tgid, .tid = tid };
	int r = gather__str(g, comm, &t.comm);

	return r ? r : intern__add(&g->tasks, &t, ret_task);
}

int gather__thread(struct gather *g, const struct gather_thread *t, u32 *ret_task)
{
	struct gathered_task key = { .tgid = t->tgid, .tid = t->tid }, *task;
	int r = gather__str(g, &t->comm, &key.comm);

	if (!r)
		r = gather__str(g, &t->cgroup, &key.cgroup);
	if (!r)
		r = gather__str(g, &t->host, &key.host);
	if (!r)
		r = intern__add(&g->tasks, &key, ret_task);
	if (r)
		return r;
	task = intern__at(&g->tasks, *ret_task);
	if (!task->container)
		r = gather__str(g, &t->container, &task->container);
	return r || !view__left(&t->process) ? r : gather__str(g, &t->process, &task->group_comm);
}

int gather__object(struct gather *g, const struct view *label, u32 *ret_object)
{
	struct profile_object o = { .kind = OBJECT_LABEL };
	int r = gather__str(g, label, &o.name);

	*ret_object = 0;
	return r || !o.name ? r : builder__object(g->b, &o, ret_object);
}

void gather__totals(struct gather *g, u32 task, const struct profile_task *totals)
{
	struct gathered_task *t = intern__at(&g->tasks, task);

	t->totals = *totals;
	t->has_totals = true;
}

int gather__process(struct gather *g, u32 task, const struct view *comm)
{
	struct gathered_task *t = intern__at(&g->tasks, task);

	return gather__str(g, comm, &t->group_comm);
}

/* The id in `names`, with what the name says. */
static int know_name(struct gather *g, const struct view *name, u32 *ret_id)
{
	struct known_name *known;
	char call[64];
	int r = strtab__add_len(&g->names, (const char *)name->p, view__left(name), ret_id);

	while (!r && g->hints.len <= *ret_id) {
		known = vec__push(&g->hints);
		if (!known)
			return -ENOMEM;
		*known = (struct known_name){ .hints = HINT_UNKNOWN, .sysno = -1 };
		if (g->hints.len <= *ret_id || !view__left(name))
			continue;
		known->hints = name_hints(name);
		if (g->opt->syscall_number && name_hints_syscall(name, call, sizeof(call)))
			known->sysno = g->opt->syscall_number(call);
		if (name_hints_arch(name))
			g->arch = name_hints_arch(name);
		if (!(known->hints & HINT_UNKNOWN))
			r = gather__str(g, name, &known->str);
	}
	return r;
}

static int add_module(struct gather *g, u32 kind, const struct view *path, u32 *ret_id)
{
	struct profile_module m = { .kind = kind };
	int r = gather__str(g, path, &m.path);

	return r ? r : builder__module(g->b, &m, ret_id);
}

static int named_module(struct gather *g, u32 kind, const char *path, u32 *id)
{
	struct view name = view__of_str(path);

	return *id ? 0 : add_module(g, kind, &name, id);
}

/* What tools print in place of a path. */
static int user_module(struct gather *g, const struct view *path, u32 *ret_id)
{
	struct view anon = view__of_str("[anon]");

	*ret_id = 0;
	if (!view__left(path) || view__eq(path, "[unknown]"))
		return 0;
	if (view__eq(path, "[vdso]"))
		return add_module(g, MODULE_VDSO, path, ret_id);
	if (view_starts(path, "//anon") || view_starts(path, "[anon") || view_ends(path, ".map"))
		return add_module(g, MODULE_ANON, &anon, ret_id);
	return add_module(g, MODULE_ELF, path, ret_id);
}

/* Of the upper half of the address space, on every architecture that we know. */
static bool is_kernel_address(u64 addr)
{
	return addr >> 63;
}

int gather__frame(struct gather *g, const struct gather_frame *f)
{
	struct held_frame *held = vec__push(&g->frames);
	int r;

	if (!held)
		return -ENOMEM;
	*held = (struct held_frame){ .side = is_kernel_address(f->addr) ? GATHER_SIDE_KERNEL :
									  f->side,
				     .line = f->line,
				     .addr = f->addr,
				     .name_off = f->name_off,
				     .inlined = f->inlined,
				     .code = f->code };
	r = know_name(g, &f->name, &held->name);
	if (!r && view__left(&f->file))
		r = gather__str(g, &f->file, &held->file);
	if (!held->file)
		held->line = 0;
	if (!r && f->code)
		r = named_module(g, MODULE_CODE, "[python]", &g->code_module);
	if (f->code)
		held->module = g->code_module;
	else if (!r && held->side != GATHER_SIDE_KERNEL)
		r = user_module(g, &f->module, &held->module);
	return r;
}

void gather__kernel_above(struct gather *g, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < g->frames.len; i++)
		((struct held_frame *)vec__at(&g->frames, i))->side = GATHER_SIDE_KERNEL;
}

void gather__drop_frames(struct gather *g)
{
	vec__reset(&g->frames);
}

static int add_frame(struct gather *g, const struct held_frame *held, bool kernel, u32 *ret_id)
{
	const struct known_name *name = vec__at(&g->hints, held->name);
	struct profile_frame f = {
		.addr = held->addr,
		.module = kernel ? g->kernel_module : held->module,
		.flags = kernel			    ? FRAME_KERNEL :
			 held->inlined && name->str ? FRAME_INLINED :
						      0,
		.name = name->str,
		.file = name->str ? held->file : 0,
		.line = name->str ? held->line : 0,
		.name_off = name->str ? held->name_off : 0,
		.reason = name->str ? FRAME_NAMED : FRAME_NOT_TRIED,
	};

	return builder__known_frame(g->b, &f, ret_id);
}

/* Frames from `from` to before `to`, root first. */
static int add_stack(struct gather *g, const struct held_stack *s, size_t from, size_t to,
		     u32 *ret_stack)
{
	bool kernel = from == s->split && to > from;
	u32 frame;
	size_t i;
	int r = kernel ? named_module(g, MODULE_KERNEL, "[kernel]", &g->kernel_module) : 0;

	*ret_stack = 0;
	for (i = from; i < to && !r; i++) {
		r = add_frame(g, held_at(g, s, i), kernel, &frame);
		if (!r)
			r = builder__stack(g->b, *ret_stack, frame, ret_stack);
	}
	return r;
}

/* A number of waits that is known of a part only is not known. */
static int add_row(struct gather *g, const struct profile_wait *w)
{
	u32 before = intern__len(&g->waits), id;
	struct profile_wait key = *w, *sum;
	bool counted = w->count;
	int r;

	memset((char *)&key + wait_row_type.key_sz, 0, sizeof(key) - wait_row_type.key_sz);
	r = intern__add(&g->waits, &key, &id);
	if (r)
		return r;
	sum = intern__at(&g->waits, id);
	counted &= id == before || sum->count;
	if (!row_type__add(&wait_row_type, sum, w))
		return -EOVERFLOW;
	if (!counted)
		sum->count = 0;
	return 0;
}

/* What is seen of a task by the stacks of its waits. */
static void note_sides(struct gather *g, u32 task, const struct held_stack *s)
{
	struct gathered_task *t = intern__at(&g->tasks, task);

	g->has_user |= s->split > 0;
	g->has_kernel |= s->split < s->len;
	t->has_user |= s->split > 0;
	t->is_forked |= held_is_forked(g, s);
}

static void note_wait(struct gather *g, const struct gather_wait *w)
{
	g->has_sums |= !w->single;
	g->has_unknown_counts |= !w->single && !w->count;
	g->has_visited |= (w->flags & WAIT_VISITED) != 0;
	if (w->flags & WAIT_NO_RESUME) {
		g->bare++;
		g->bare_ns += w->blocked_ns + w->runq_ns;
	}
}

static int add_stacks(struct gather *g, const struct held_stack *s, u32 *ret_user, u32 *ret_kernel)
{
	int r = add_stack(g, s, 0, s->split, ret_user);

	return r ? r : add_stack(g, s, s->split, s->len, ret_kernel);
}

int gather__take_stack(struct gather *g, u32 task, bool leaf_first, struct gather_stack *ret)
{
	struct held_stack s = { .leaf_first = leaf_first, .len = g->frames.len };
	int r;

	held_split(g, &s);
	note_sides(g, task, &s);
	ret->sysno = held_call(g, &s);
	r = add_stacks(g, &s, &ret->ustack, &ret->kstack);
	gather__drop_frames(g);
	return r;
}

int gather__wait_at(struct gather *g, const struct gather_wait *w, const struct gather_stack *s)
{
	struct held_stack none = { 0 };
	struct gather_wait known = *w;
	struct profile_wait row = { .task = w->task, .ustack = s->ustack, .kstack = s->kstack };

	known.guess = false;
	known.sysno = s->sysno;
	note_wait(g, &known);
	held_fill(g, &none, &known, &row);
	return add_row(g, &row);
}

int gather__rename(struct gather *g, u32 task, const struct view *comm, u32 tgid)
{
	struct gathered_task *t = intern__at(&g->tasks, task);

	if (tgid)
		t->last_tgid = tgid;
	return comm ? gather__str(g, comm, &t->last_comm) : 0;
}

int gather__wait(struct gather *g, const struct gather_wait *w)
{
	struct held_stack s = { .leaf_first = w->leaf_first, .len = g->frames.len };
	struct profile_wait row = { .task = w->task };
	int r;

	held_split(g, &s);
	note_sides(g, w->task, &s);
	note_wait(g, w);
	held_fill(g, &s, w, &row);
	r = add_stacks(g, &s, &row.ustack, &row.kstack);
	if (!r)
		r = add_row(g, &row);
	gather__drop_frames(g);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of one profile mean nothing in another, so everything is looked up anew, once: what an id
 * became is remembered, and a stack costs no more than its nodes that are not there yet.
 */
#include "profile/windows/part.h"

#include <errno.h>

#include "base/mem.h"
#include "profile/row_type.h"

int part__init(struct part *pt, const struct profile *p, struct builder *b)
{
	memset(pt, 0, sizeof(*pt));
	pt->p = p;
	pt->b = b;
	vec__init(&pt->path, sizeof(u32));
	vec__init(&pt->chain, sizeof(u32));
	pt->strings = mem_array(strtab__len(&p->strings), sizeof(u32));
	pt->modules = mem_array(p->modules_len, sizeof(u32));
	pt->frames = mem_array(p->frames_len, sizeof(u32));
	pt->stacks = mem_array(p->stacks_len, sizeof(u32));
	pt->waits = mem_array(p->waits_len, sizeof(u32));
	pt->objects = mem_array(p->objects_len, sizeof(u32));
	pt->wakers = mem_array(p->wakers_len, sizeof(u32));
	if (!pt->strings || !pt->modules || !pt->frames || !pt->stacks || !pt->waits ||
	    !pt->objects || !pt->wakers)
		return -ENOMEM;
	return 0;
}

void part__done(struct part *pt)
{
	mem_free(pt->strings);
	mem_free(pt->modules);
	mem_free(pt->frames);
	mem_free(pt->stacks);
	mem_free(pt->waits);
	mem_free(pt->objects);
	mem_free(pt->wakers);
	vec__done(&pt->path);
	vec__done(&pt->chain);
	memset(pt, 0, sizeof(*pt));
}

int part__str(struct part *pt, u32 str, u32 *ret_id)
{
	int r = 0;

	if (!pt->strings[str])
		r = builder__str(pt->b, profile__str(pt->p, str), &pt->strings[str]);
	*ret_id = pt->strings[str];
	return r;
}

static int add_module(struct part *pt, u32 module, u32 *ret_id)
{
	struct profile_module m = pt->p->modules[module];
	int r = 0;

	if (module && !pt->modules[module]) {
		r = part__str(pt, m.path, &m.path);
		if (!r)
			r = part__str(pt, m.build_id, &m.build_id);
		if (!r)
			r = builder__module(pt->b, &m, &pt->modules[module]);
	}
	*ret_id = pt->modules[module];
	return r;
}

static int add_frame(struct part *pt, u32 frame, u32 *ret_id)
{
	struct profile_frame f = pt->p->frames[frame];
	int r = 0;

	if (!pt->frames[frame]) {
		r = add_module(pt, f.module, &f.module);
		if (!r)
			r = part__str(pt, f.name, &f.name);
		if (!r)
			r = part__str(pt, f.file, &f.file);
		if (!r)
			r = builder__known_frame(pt->b, &f, &pt->frames[frame]);
	}
	*ret_id = pt->frames[frame];
	return r;
}

static int add_node(struct part *pt, u32 node)
{
	const struct profile_stack *s = &pt->p->stacks[node];
	u32 frame;
	int r = add_frame(pt, s->frame, &frame);

	if (!r)
		r = builder__stack(pt->b, pt->stacks[s->parent], frame, &pt->stacks[node]);
	if (!r && s->flags)
		r = builder__stack_flags(pt->b, pt->stacks[node], s->flags);
	return r;
}

/* Up to the first node that is there, and down again: a stack may be as deep as it likes. */
static int add_stack(struct part *pt, u32 leaf, u32 *ret_id)
{
	u32 at, *slot;
	int r = 0;

	vec__reset(&pt->path);
	for (at = leaf; at && !pt->stacks[at]; at = pt->p->stacks[at].parent) {
		slot = vec__push(&pt->path);
		if (!slot)
			return -ENOMEM;
		*slot = at;
	}
	while (pt->path.len && !r)
		r = add_node(pt, *(u32 *)vec__at(&pt->path, --pt->path.len));
	*ret_id = pt->stacks[leaf];
	return r;
}

int part__task(struct part *pt, u32 task, struct profile_task *ret_task)
{
	int r;

	*ret_task = pt->p->tasks[task];
	r = part__str(pt, ret_task->comm, &ret_task->comm);
	if (!r)
		r = part__str(pt, ret_task->group_comm, &ret_task->group_comm);
	if (!r)
		r = part__str(pt, ret_task->cgroup, &ret_task->cgroup);
	return r ? r : part__str(pt, ret_task->container, &ret_task->container);
}

/* Others have the names of instances: files, addresses, processes. */
static bool has_name_of_kind(const struct profile_object *o)
{
	return o->kind == OBJECT_KERNEL_LOCK || o->kind == OBJECT_FUTEX || o->kind == OBJECT_ANON;
}

/* What rules for causes look at stays: the kind, and names of locks. */
static void fold_object(struct profile_object *o)
{
	*o = (struct profile_object){
		.kind = o->kind,
		.futex = o->futex,
		.role = o->role,
		.family = o->kind == OBJECT_SOCKET ? o->family : 0,
		.type = o->type,
		.protocol = o->protocol,
		.port = o->port,
		.name = has_name_of_kind(o) ? o->name : 0,
		.file = o->kind == OBJECT_FUTEX ? o->file : 0,
	};
}

static int add_object(struct part *pt, u32 object, u32 *ret_id)
{
	struct profile_object o = pt->p->objects[object];
	int r = 0;

	if (object && !pt->objects[object]) {
		if (pt->folded)
			fold_object(&o);
		r = part__str(pt, o.name, &o.name);
		if (!r)
			r = part__str(pt, o.peer, &o.peer);
		if (!r)
			r = part__str(pt, o.file, &o.file);
		if (!r)
			r = builder__object(pt->b, &o, &pt->objects[object]);
	}
	*ret_id = pt->objects[object];
	return r;
}

static int add_link(struct part *pt, u32 waker, const u32 *task_ids)
{
	struct profile_waker w = pt->p->wakers[waker];
	int r = part__str(pt, w.comm, &w.comm);

	if (!r)
		r = part__str(pt, w.group_comm, &w.group_comm);
	if (!r)
		r = add_stack(pt, w.ustack, &w.ustack);
	if (!r)
		r = add_stack(pt, w.kstack, &w.kstack);
	w.task = task_ids[w.task];
	w.next = pt->wakers[w.next];
	return r ? r : builder__waker(pt->b, &w, &pt->wakers[waker]);
}

/* As with stacks: a file may have chains of any length. */
static int add_waker(struct part *pt, u32 waker, const u32 *task_ids, u32 *ret_id)
{
	u32 at, *slot;
	int r = 0;

	vec__reset(&pt->chain);
	for (at = waker; at && !pt->wakers[at]; at = pt->p->wakers[at].next) {
		slot = vec__push(&pt->chain);
		if (!slot)
			return -ENOMEM;
		*slot = at;
	}
	while (pt->chain.len && !r)
		r = add_link(pt, *(u32 *)vec__at(&pt->chain, --pt->chain.len), task_ids);
	*ret_id = pt->wakers[waker];
	return r;
}

/* What a column refers to, as an id of the builder. */
static int add_key(struct part *pt, const struct row_column *c, const u32 *task_ids, void *row)
{
	u32 id = (u32)row_column__get(c, row);
	int r = 0;

	switch (c->kind) {
	case ROW_TASK:
		id = task_ids[id];
		break;
	case ROW_STACK:
		r = add_stack(pt, id, &id);
		break;
	case ROW_OBJECT:
		r = add_object(pt, id, &id);
		break;
	case ROW_WAKER:
		r = add_waker(pt, id, task_ids, &id);
		break;
	default:
		return 0;
	}
	row_column__set(c, row, id);
	return r;
}

static int add_keys(struct part *pt, const struct row_type *type, const u32 *task_ids, void *row)
{
	u32 i;
	int r = 0;

	for (i = 0; i < type->columns_len && !r; i++)
		r = add_key(pt, &type->columns[i], task_ids, row);
	return r;
}

int part__wait(struct part *pt, u32 wait, const u32 *task_ids)
{
	struct profile_wait w = pt->p->waits[wait];
	int r;

	w.part_of = w.waker = 0; /* of a view */
	if (pt->folded)
		w.owner = w.owner_tid = 0;
	r = add_keys(pt, &wait_row_type, task_ids, &w);
	if (pt->uncounted) {
		w.count = 0;
		memset(w.hist, 0, sizeof(w.hist));
	}
	if (!r)
		r = builder__wait(pt->b, &w);
	pt->waits[wait] = builder__last_wait(pt->b);
	return r;
}

int part__replicates(struct part *pt, u64 shift_ns)
{
	const struct profile *p = pt->p;
	u32 first = builder__intervals(pt->b), i;
	int r = 0;

	for (i = 0; i < p->intervals_len && !r; i++) {
		struct profile_interval iv = p->intervals[i];

		iv.begin_ns += shift_ns;
		r = builder__interval(pt->b, &iv);
	}
	for (i = 0; i < p->replicates_len && !r; i++) {
		struct profile_replicate rep = p->replicates[i];

		rep.wait = pt->waits[rep.wait];
		rep.interval += first;
		if (rep.wait)
			r = builder__replicate(pt->b, &rep);
	}
	return r;
}

int part__moments(struct part *pt, u64 shift_ns, const u32 *task_ids)
{
	const struct profile *p = pt->p;
	u32 i;
	int r = 0;

	for (i = 0; i < p->moments_len && !r; i++) {
		struct profile_moment m = p->moments[i];

		m.wait = pt->waits[m.wait];
		if (!m.wait)
			continue;
		m.end_ns += shift_ns;
		r = add_waker(pt, m.waker, task_ids, &m.waker);
		if (!r)
			r = builder__moment(pt->b, &m);
	}
	return r;
}

int part__marks(struct part *pt, u64 shift_ns, const u32 *task_ids)
{
	const struct profile *p = pt->p;
	u32 i;
	int r = 0;

	for (i = 0; i < p->marks_len && !r; i++) {
		struct profile_mark m = p->marks[i];

		m.task = task_ids[m.task];
		if (!m.task)
			continue;
		m.at_ns += shift_ns;
		r = part__str(pt, m.class, &m.class);
		if (!r)
			r = part__str(pt, m.trace, &m.trace);
		if (!r)
			r = builder__mark(pt->b, &m);
	}
	return r;
}

int part__hot(struct part *pt, u32 hot, const u32 *task_ids)
{
	struct profile_hot h = pt->p->hots[hot];
	int r = add_keys(pt, &hot_row_type, task_ids, &h);

	return r ? r : builder__hot(pt->b, &h);
}

int part__wake(struct part *pt, u32 wake, const u32 *task_ids)
{
	struct profile_wake w = pt->p->wakes[wake];
	int r = add_keys(pt, &wake_row_type, task_ids, &w);

	return r ? r : builder__wake(pt->b, &w);
}

int part__measured(struct part *pt, u32 measured, const u32 *task_ids)
{
	struct profile_measured m = pt->p->measured[measured];
	int r = add_keys(pt, &measured_row_type, task_ids, &m);

	return r ? r : builder__measured(pt->b, &m);
}

int part__bin(struct part *pt, u32 bin, u32 task)
{
	struct profile_bin b = pt->p->bins[bin];

	b.task = task;
	return builder__bin(pt->b, &b);
}

int part__losses(struct part *pt)
{
	int i, r = 0;

	for (i = 0; i < LOSS_CNT && !r; i++)
		r = builder__loss(pt->b, (enum profile_loss_kind)i, pt->p->losses[i].events,
				  pt->p->losses[i].ns);
	return r;
}

int part__header(struct part *pt, struct profile_header *ret_header)
{
	u32 *const strings[] = {
		&ret_header->host,    &ret_header->kernel,  &ret_header->arch,
		&ret_header->version, &ret_header->command, &ret_header->target,
		&ret_header->hooks,   &ret_header->boot,    &ret_header->selection,
		&ret_header->source,
	};
	size_t i;
	int r = 0;

	*ret_header = pt->p->hdr;
	for (i = 0; i < ARRAY_LEN(strings) && !r; i++)
		r = part__str(pt, *strings[i], strings[i]);
	return r;
}

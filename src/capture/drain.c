/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From the kernel's tables to a builder: records become tasks, hashes become stacks of frames,
 * addresses become places in modules. Addresses are made independent of the process here, while its
 * mappings are at hand; names come later and elsewhere.
 */
#include "capture/capture.h"

#include <errno.h>
#include <string.h>

#include "abi/wait.h"
#include "base/map64.h"
#include "base/mem.h"
#include "capture/capture_priv.h"
#include "capture/losses.h"
#include "capture/tables.h"

/* Frames of tracing itself that can stand before __schedule. */
#define TRIM_MAX 16

struct drain {
	struct capture *c;
	struct builder *b;
	struct vec stacks; /* struct cs_stack */
	struct map64 stack_idx; /* hash to index in stacks */
	struct map64 made; /* (hash, image) to the builder's stack id */
	struct map64 tasks; /* record id to builder's task id */
	struct map64 images; /* record id to image */
	const struct capture_files *files;
	u32 kernel_module;
	u64 schedule_start; /* __schedule; 0: not known */
	u64 schedule_end;
	u64 orphans;
	u64 orphans_ns;
};

static int keep_stack(void *arg, const void *key, const void *value)
{
	struct drain *d = arg;
	struct cs_stack *st = vec__push(&d->stacks);

	if (!st)
		return -ENOMEM;
	memcpy(st, value, sizeof(*st));
	if (st->len > CS_STACK_LEN)
		st->len = CS_STACK_LEN;
	return map64__set(&d->stack_idx, *(const u64 *)key, d->stacks.len - 1);
}

static int add_module(struct drain *d, const struct map_range *range, u32 tgid, u32 *ret)
{
	struct profile_module m = { .kind = MODULE_ANON, .tgid = tgid };
	const char *path = "[anon]", *build_id = "";
	int r;

	if (map_range__is_vdso(range)) {
		m.kind = MODULE_VDSO;
		m.tgid = 0;
		path = "[vdso]";
	} else if (map_range__is_file(range)) {
		m.kind = MODULE_ELF;
		m.tgid = 0;
		m.dev = range->dev;
		m.ino = range->ino;
		path = range->path;
		build_id = d->files->build_id(d->files->arg, m.dev, m.ino);
	}
	r = builder__str(d->b, path, &m.path);
	if (!r)
		r = builder__str(d->b, build_id, &m.build_id);
	return r ? r : builder__module(d->b, &m, ret);
}

/* One address of a user stack. */
static int add_user_frame(struct drain *d, const struct maps *maps, u32 tgid, u64 pc, bool leaf,
			  u32 *ret)
{
	u32 flags = leaf ? 0 : FRAME_RETURN, module;
	/* A call may be the last instruction of a mapping. */
	const struct map_range *range = maps ? maps__find(maps, leaf ? pc : pc - 1) : NULL;
	u64 addr = pc;
	int r;

	if (!range)
		return builder__frame(d->b, 0, pc, flags,
				      maps ? FRAME_NO_MAPPING : FRAME_PROCESS_GONE, ret);
	r = add_module(d, range, tgid, &module);
	if (r)
		return r;
	if (map_range__is_file(range) || map_range__is_vdso(range))
		addr = pc - range->start + range->off;
	return builder__frame(d->b, module, addr, flags, FRAME_NOT_TRIED, ret);
}

/* How many frames at the leaf are those of tracing: all before __schedule. */
static u32 trim_len(const struct drain *d, const struct cs_stack *st)
{
	if (!d->schedule_start)
		return 0;
	for (u32 i = 0; i < st->len && i < TRIM_MAX; i++)
		if (st->pc[i] >= d->schedule_start && st->pc[i] < d->schedule_end)
			return i;
	return 0;
}

static int add_stack(struct drain *d, const struct cs_stack *st, u64 image, u32 tgid, u32 *ret)
{
	bool user = st->flags & CS_STACK_USER;
	const struct maps *maps = user ? processes__maps(&d->c->processes, image) : NULL;
	u32 first = user ? 0 : trim_len(d, st);
	u32 id = 0, flags = 0, frame;
	int r = 0;

	for (u32 i = st->len; !r && i-- > first;) {
		if (user)
			r = add_user_frame(d, maps, tgid, st->pc[i], i == 0, &frame);
		else
			r = builder__frame(d->b, d->kernel_module, st->pc[i],
					   FRAME_KERNEL | FRAME_RETURN, FRAME_NOT_TRIED, &frame);
		if (!r)
			r = builder__stack(d->b, id, frame, &id);
	}
	if (st->flags & CS_STACK_CUT)
		flags |= STACK_CUT;
	if (st->flags & CS_STACK_FAULT)
		flags |= STACK_FAULT;
	if (!r && flags)
		r = builder__stack_flags(d->b, id, flags);
	*ret = id;
	return r;
}

/* The builder's id of a stack seen under an image; made once. */
static int stack_id(struct drain *d, u64 hash, u64 image, u32 tgid, u32 *ret)
{
	u64 key = hash, idx, id;
	const struct cs_stack *st;
	int r;

	*ret = 0;
	if (!hash || !map64__get(&d->stack_idx, hash, &idx))
		return 0;
	st = vec__at(&d->stacks, idx);
	if (st->flags & CS_STACK_USER)
		key = hash ^ image * 0x9e3779b97f4a7c15ULL;
	if (map64__get(&d->made, key, &id)) {
		*ret = (u32)id;
		return 0;
	}
	r = add_stack(d, st, image, tgid, ret);
	return r ? r : map64__set(&d->made, key, *ret);
}

static u64 clip(const struct capture *c, u64 from, u64 to)
{
	if (from < c->begin_ns)
		from = c->begin_ns;
	if (to > c->end_ns)
		to = c->end_ns;
	return to > from ? to - from : 0;
}

static void copy_totals(struct profile_task *t, const struct cs_totals *from)
{
	t->on_ns = from->on_ns;
	t->preempted_ns = from->preempted_ns;
	t->runq_ns = from->runq_ns;
	for (int i = 0; i < PROFILE_STATES; i++)
		t->blocked_ns[i] = from->blocked_ns[i];
	t->switches = from->switches;
	t->preemptions = from->preemptions;
	t->wakeups = from->wakeups;
	t->migrations = from->migrations;
}

static u64 accounted_ns(const struct profile_task *t)
{
	u64 sum = t->on_ns + t->preempted_ns + t->runq_ns;

	for (int i = 0; i < PROFILE_STATES; i++)
		sum += t->blocked_ns[i];
	return sum;
}

static int add_task(struct drain *d, const struct cs_task_record *rec)
{
	struct profile_task t = { .tid = rec->tid, .tgid = rec->tgid };
	const struct capture *c = d->c;
	char comm[CS_COMM_LEN + 1] = "", group[CS_COMM_LEN + 1] = "";
	u64 sum;
	u32 id;
	int r;

	t.wall_ns = clip(c, rec->begin_ns, rec->end_ns);
	if (!t.wall_ns)
		return 0;
	memcpy(comm, rec->comm, CS_COMM_LEN);
	memcpy(group, rec->group_comm, CS_COMM_LEN);
	t.start_boottime_ns = rec->start_boottime_ns;
	t.cgroup_id = rec->cgroup_id;
	t.begin_ns = rec->begin_ns > c->begin_ns ? rec->begin_ns - c->begin_ns : 0;
	t.flags = (rec->flags & CS_TASK_KTHREAD ? TASK_KTHREAD : 0) |
		  (rec->flags & CS_TASK_EXITED && rec->end_ns < c->end_ns ? TASK_EXITED : 0) |
		  (rec->flags & CS_TASK_EXECED ? TASK_EXECED : 0) |
		  (rec->flags & CS_TASK_BORN && rec->begin_ns >= c->begin_ns ? TASK_BORN : 0);
	copy_totals(&t, &rec->totals);
	sum = accounted_ns(&t);
	if (sum > t.wall_ns) {
		/* Two clocks that disagree by a hair; never seen but never to be hidden. */
		builder__loss(d->b, LOSS_CLOCK_BACK, 1, sum - t.wall_ns);
		t.wall_ns = sum;
	}
	t.unaccounted_ns = t.wall_ns - sum;
	r = builder__str(d->b, comm, &t.comm);
	if (!r)
		r = builder__str(d->b, group, &t.group_comm);
	if (!r)
		r = builder__task(d->b, &t, &id);
	if (!r)
		r = map64__set(&d->tasks, rec->id, (u64)rec->tgid << 32 | id);
	return r ? r : map64__set(&d->images, rec->id, rec->image);
}

static int add_wait(void *arg, const void *key, const void *value)
{
	struct drain *d = arg;
	const struct cs_wait_key *k = key;
	const struct cs_wait_sum *v = value;
	struct profile_wait w = { .sysno = k->sysno, .state = k->state, .flags = k->flags };
	u64 task, image;
	int r;

	if (!map64__get(&d->tasks, k->task, &task) || !map64__get(&d->images, k->task, &image)) {
		d->orphans += v->count;
		d->orphans_ns += v->blocked_ns + v->runq_ns;
		return 0;
	}
	w.task = (u32)task;
	r = stack_id(d, k->ustack, image, (u32)(task >> 32), &w.ustack);
	if (!r)
		r = stack_id(d, k->kstack, image, (u32)(task >> 32), &w.kstack);
	w.blocked_ns = v->blocked_ns;
	w.runq_ns = v->runq_ns;
	w.count = v->count;
	w.max_ns = v->max_ns;
	memcpy(w.hist, v->hist, sizeof(w.hist));
	return r ? r : builder__wait(d->b, &w);
}

static void fill_header(const struct drain *d)
{
	struct profile_header *h = builder__header(d->b);
	const struct capture *c = d->c;

	h->begin_mono_ns = c->begin_ns;
	h->begin_wall_ns = c->begin_wall_ns;
	h->window_ns = c->end_ns - c->begin_ns;
	h->min_ns = c->min_ns;
	h->max_ns = c->max_ns;
	h->filtered = c->filtered;
	h->sides = c->sides;
	h->switches_seen = c->stats.switches;
	h->waits_chosen = c->stats.chosen;
	h->prog_runs = c->cost.runs;
	h->prog_ns = c->cost.ns;
	h->self_cpu_ns = c->self_cpu_ns;
	builder__str(d->b, programs__describe(c->programs), &h->hooks);
}

static int give_files(struct drain *d)
{
	struct vec *files = &d->c->processes.files;
	int r = 0;

	for (size_t i = 0; !r && i < files->len; i++) {
		struct module_file *f = vec__at(files, i);

		if (f->fd < 0)
			continue;
		r = d->files->give_file(d->files->arg, f->dev, f->ino, f->fd);
		f->fd = -1;
	}
	return r;
}

static int drain_all(struct drain *d, const struct kallsyms *k, struct err *err)
{
	struct profile_module kernel = { .kind = MODULE_KERNEL };
	const struct capture *c = d->c;
	int r;

	if (k)
		kallsyms__range(k, "__schedule", &d->schedule_start, &d->schedule_end);
	r = give_files(d);
	if (!r)
		r = builder__str(d->b, "[kernel]", &kernel.path);
	if (!r)
		r = builder__module(d->b, &kernel, &d->kernel_module);
	for (size_t i = 0; !r && i < c->records.len; i++)
		r = add_task(d, vec__at(&c->records, i));
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	r = table_read(programs__stacks_fd(c->programs), sizeof(u64), sizeof(struct cs_stack),
		       keep_stack, d, err);
	if (!r)
		r = table_read(programs__waits_fd(c->programs), sizeof(struct cs_wait_key),
			       sizeof(struct cs_wait_sum), add_wait, d, err);
	if (r)
		return r;
	fill_header(d);
	losses_add(d->b, &c->stats, c->cost.recursion_misses);
	return builder__loss(d->b, LOSS_ORPHAN_WAIT, d->orphans, d->orphans_ns);
}

int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err)
{
	struct drain d = { .c = c, .b = b, .files = files };
	int r;

	vec__init(&d.stacks, sizeof(struct cs_stack));
	map64__init(&d.stack_idx);
	map64__init(&d.made);
	map64__init(&d.tasks);
	map64__init(&d.images);
	r = drain_all(&d, k, err);
	vec__done(&d.stacks);
	map64__done(&d.stack_idx);
	map64__done(&d.made);
	map64__done(&d.tasks);
	map64__done(&d.images);
	return r;
}

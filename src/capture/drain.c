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
#include "base/self_memory.h"
#include "capture/capture_priv.h"
#include "capture/losses.h"
#include "capture/objects.h"
#include "capture/tables.h"
#include "proc/cgroup.h"

/* Frames of tracing itself that can stand before __schedule. */
#define TRIM_MAX 16

/* Whose stack it is. */
struct owner {
	u64 image;
	u32 tgid;
};

struct drain {
	struct capture *c;
	struct builder *b;
	struct map64 made; /* (hash, image) to the builder's stack id */
	struct map64 frames; /* place in a file, see frame_key(), to the builder's frame id */
	struct map64 tasks; /* record id to builder's task id */
	struct map64 images; /* record id to image */
	struct objects objects;
	const struct capture_files *files;
	u32 kernel_module;
	u64 schedule_start; /* __schedule; 0: not known */
	u64 schedule_end;
	u64 orphans;
	u64 orphans_ns;
	bool has_objects; /* keys of waits have them */
	bool full; /* our own memory is used up */
	u64 left_out;
	u64 left_out_ns;
	bool bare; /* a stack of the wait at hand found no room in our memory */
	u64 bare_cnt;
	u64 bare_ns;
	u64 objects_left_out; /* waits for one that found no room in our memory */
	u64 objects_left_out_ns;
	u64 samples_lost; /* of threads on a CPU: no record of the thread, or no memory of ours */
	u64 samples_bare;
};

static int module_of_file(struct drain *d, u32 id, u32 *ret)
{
	const struct mapped_file *f = mapped__at(&d->c->mapped, id);
	struct profile_module m = { .kind = MODULE_ELF };
	int r;

	if (id == CS_MODULE_ID_VDSO)
		m.kind = MODULE_VDSO;
	if (f) {
		m.dev = f->file.dev;
		m.ino = f->file.ino;
		m.generation = f->file.generation;
	}
	r = builder__str(d->b, f ? f->path : "[unknown]", &m.path);
	if (!r)
		r = builder__str(d->b, f ? d->files->build_id(d->files->arg, &f->file) : "",
				 &m.build_id);
	return r ? r : builder__module(d->b, &m, ret);
}

/* What has no file: run-time code, and functions of an interpreter. */
static int module_of_memory(struct drain *d, const struct owner *o, u64 pc, u32 *ret)
{
	struct profile_module m = { .kind = MODULE_ANON, .tgid = o->tgid };
	const char *path = "[anon]";
	int r;

	if (pc & CS_PC_CODE) {
		m.kind = MODULE_CODE;
		m.dev = o->image;
		path = cs_pc_code_addr(pc) & CS_CODE_JAVA ? "[java]" : "[python]";
	}
	r = builder__str(d->b, path, &m.path);
	return r ? r : builder__module(d->b, &m, ret);
}

/* What makes two frames in files the same one: CS_PC_EXACT is in `flags`, so its bit is free. */
static u64 frame_key(u64 pc, u32 flags)
{
	return (pc & ~CS_PC_EXACT) | (flags & FRAME_RETURN ? CS_PC_EXACT : 0);
}

/* Stacks are many and places few: each is looked up in the builder's tables once. */
static int add_file_frame(struct drain *d, u64 pc, u32 flags, u32 *ret)
{
	const struct mapped_file *f = mapped__at(&d->c->mapped, cs_pc_module_id(pc));
	enum frame_reason reason = FRAME_NOT_TRIED;
	u64 key = frame_key(pc, flags), id;
	u32 module;
	int r;

	if (map64__get(&d->frames, key, &id)) {
		*ret = (u32)id;
		return 0;
	}
	if (!f || (f->fd < 0 && f->id != CS_MODULE_ID_VDSO && !f->given))
		reason = FRAME_FILE_GONE;
	r = module_of_file(d, cs_pc_module_id(pc), &module);
	if (!r)
		r = builder__frame(d->b, module, cs_pc_off(pc), flags, reason, ret);
	return r ? r : map64__set(&d->frames, key, *ret);
}

/* One frame of a user stack. */
static int add_user_frame(struct drain *d, const struct owner *o, u64 pc, u32 flags, u32 *ret)
{
	bool code = pc & CS_PC_CODE;
	u32 module;
	int r;

	if (pc & CS_PC_MODULE)
		return add_file_frame(d, pc, flags, ret);
	r = module_of_memory(d, o, pc, &module);
	return r ? r : builder__frame(d->b, module, pc, code ? 0 : flags, FRAME_NOT_TRIED, ret);
}

/* How many frames at the leaf are those of tracing: all before __schedule. */
static u32 trim_len(const struct drain *d, const struct cs_stack *st)
{
	if (!d->schedule_start || st->flags & CS_STACK_SAMPLE)
		return 0;
	for (u32 i = 0; i < st->len && i < TRIM_MAX; i++)
		if (st->pc[i] >= d->schedule_start && st->pc[i] < d->schedule_end)
			return i;
	return 0;
}

static int push_frame(struct drain *d, u32 frame, u32 *stack)
{
	return builder__stack(d->b, *stack, frame, stack);
}

static int add_kernel_stack(struct drain *d, const struct cs_stack *st, u32 *ret)
{
	u32 id = 0, frame, first = trim_len(d, st);
	int r = 0;

	for (u32 i = st->len; !r && i-- > first;) {
		/* an interrupt hits between two instructions, and not behind a call */
		bool exact = !i && st->flags & CS_STACK_SAMPLE;

		r = builder__frame(d->b, d->kernel_module, st->pc[i],
				   FRAME_KERNEL | (exact ? 0 : FRAME_RETURN), FRAME_NOT_TRIED,
				   &frame);
		if (!r)
			r = push_frame(d, frame, &id);
	}
	if (!r && st->flags & CS_STACK_CUT)
		r = builder__stack_flags(d->b, id, STACK_CUT);
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

static int add_user_stack(struct drain *d, const struct cs_stack *st, const struct owner *o,
			  u32 *ret)
{
	u32 id = 0, frame = 0, module = 0;
	int r = 0;

	if (st->end) {
		u32 last = st->len ? st->len - 1 : 0;

		/* Where the walk ended is a clue. */
		if (st->len && st->pc[last] & CS_PC_MODULE)
			r = module_of_file(d, cs_pc_module_id(st->pc[last]), &module);
		if (!r)
			r = builder__truncated(d->b, module, (enum stack_end)st->end, &frame);
		if (!r)
			r = push_frame(d, frame, &id);
	}
	for (u32 i = st->len; !r && i-- > 0;) {
		if (is_lost(st, i))
			r = builder__frame(d->b, 0, st->pc[i], 0, FRAME_NO_MAPPING, &frame);
		else
			r = add_user_frame(d, o, st->pc[i], frame_flags(st, i), &frame);
		if (!r)
			r = push_frame(d, frame, &id);
	}
	*ret = id;
	return r;
}

/*
 * The builder's id of a stack; made once, or once for each program where it holds places that are
 * only that program's.
 */
static int stack_id(struct drain *d, u64 hash, const struct owner *o, u32 *ret)
{
	const struct cs_stack *st = hash ? stacks__find(&d->c->stacks, hash) : NULL;
	u64 key = hash, id;
	int r;

	*ret = 0;
	if (hash && !st)
		d->bare = true;
	if (!st)
		return 0;
	if (st->flags & CS_STACK_PRIVATE)
		key = hash ^ o->image * 0x9e3779b97f4a7c15ULL;
	if (map64__get(&d->made, key, &id)) {
		*ret = (u32)id;
		return 0;
	}
	r = st->flags & CS_STACK_USER ? add_user_stack(d, st, o, ret) :
					add_kernel_stack(d, st, ret);
	return r ? r : map64__set(&d->made, key, *ret);
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

/*
 * Which cgroup it was in, and the path of that. Where version 2 is not used, the kernel has all
 * threads in its root, which tells nothing.
 */
static int put_cgroup(struct drain *d, u64 id, struct profile_task *t)
{
	const char *path;
	int r = cgroup_paths__see(&d->c->cgroups, id);

	if (d->c->no_cgroup2 && id == CGROUP_ROOT_ID)
		return r;
	t->cgroup_id = id;
	path = cgroup_paths__find(&d->c->cgroups, id);
	return r || !path ? r : builder__str(d->b, path, &t->cgroup);
}

/* `idx`: of the record, and of its histograms. */
static int add_task(struct drain *d, size_t idx)
{
	const struct cs_task_record *rec = vec__at(&d->c->records, idx);
	struct profile_task t = { .tid = rec->tid, .tgid = rec->tgid };
	const struct capture *c = d->c;
	char comm[CS_COMM_LEN + 1] = "", group[CS_COMM_LEN + 1] = "";
	u64 sum;
	u32 id;
	int r;

	t.wall_ns = capture_clip(c, rec->begin_ns, rec->end_ns);
	if (!t.wall_ns)
		return 0;
	memcpy(comm, rec->comm, CS_COMM_LEN);
	memcpy(group, rec->group_comm, CS_COMM_LEN);
	t.start_boottime_ns = rec->start_boottime_ns;
	t.begin_ns = rec->begin_ns > c->begin_ns ? rec->begin_ns - c->begin_ns : 0;
	t.flags = (rec->flags & CS_TASK_KTHREAD ? TASK_KTHREAD : 0) |
		  (rec->flags & CS_TASK_EXITED && rec->end_ns < c->end_ns ? TASK_EXITED : 0) |
		  (rec->flags & CS_TASK_EXECED ? TASK_EXECED : 0) |
		  (rec->flags & CS_TASK_BORN && rec->begin_ns >= c->begin_ns ? TASK_BORN : 0);
	copy_totals(&t, &rec->totals);
	if (d->c->hist_unit_ns)
		task_hists__sums(&d->c->hists, idx, &t);
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
		r = put_cgroup(d, rec->cgroup_id, &t);
	if (!r)
		r = builder__task(d->b, &t, &id);
	if (!r && d->c->hist_unit_ns)
		r = task_hists__give(&d->c->hists, idx, id, d->b);
	if (!r)
		r = map64__set(&d->tasks, rec->id, (u64)rec->tgid << 32 | id);
	if (!r && d->has_objects)
		r = objects__add_thread(&d->objects, rec, id);
	return r ? r : map64__set(&d->images, rec->id, rec->image);
}

/*
 * For one more wait with stacks of its own. The room is taken as soon as it is allowed: the kernel
 * is asked now and then, and not at each wait.
 */
static bool has_room(struct drain *d)
{
	const u32 depth = 2 * CS_STACK_MAX;
	u64 more = d->full ? 0 : builder__growth(d->b, depth);

	if (more)
		d->full = !self_memory_allows(more) || builder__reserve(d->b, depth);
	return !d->full;
}

/* Samples of a thread on a CPU, which are no wait. */
static int add_hot(struct drain *d, const struct cs_wait_key *k, u64 samples)
{
	struct profile_hot h = { .sysno = k->sysno, .samples = samples };
	u64 task, image;
	struct owner owner;
	int r;

	if (!has_room(d) || !map64__get(&d->tasks, k->task, &task) ||
	    !map64__get(&d->images, k->task, &image)) {
		d->samples_lost += samples;
		return 0;
	}
	d->bare = false;
	h.task = (u32)task;
	owner.image = image;
	owner.tgid = (u32)(task >> 32);
	r = stack_id(d, k->ustack, &owner, &h.ustack);
	if (!r)
		r = stack_id(d, k->kstack, &owner, &h.kstack);
	if (d->bare)
		d->samples_bare += samples;
	return r ? r : builder__hot(d->b, &h);
}

static u32 object_of(struct drain *d, u32 object, u64 waits, u64 ns)
{
	u32 id = objects__at(&d->objects, object);

	if (id || !object || !d->objects.full)
		return id;
	d->objects_left_out += waits;
	d->objects_left_out_ns += ns;
	return objects__at(&d->objects, CS_OBJECT_OTHER);
}

static int add_wait(void *arg, const void *key, const void *value)
{
	struct drain *d = arg;
	const struct cs_wait_key *k = key;
	const struct cs_wait_sum *v = value;
	struct profile_wait w = { .sysno = k->sysno, .state = k->state, .flags = k->flags };
	u64 task, image, ns = v->blocked_ns + v->runq_ns;
	struct owner owner;
	int r;

	if (k->flags & CS_WAIT_ON_CPU)
		return add_hot(d, k, v->samples);
	if (!map64__get(&d->tasks, k->task, &task) || !map64__get(&d->images, k->task, &image)) {
		d->orphans += v->count;
		d->orphans_ns += ns;
		return 0;
	}
	if (!has_room(d)) {
		d->left_out += v->count;
		d->left_out_ns += ns;
		return 0;
	}
	d->bare = false;
	w.task = (u32)task;
	if (d->has_objects) {
		w.object = object_of(d, k->object, v->count, ns);
		objects__owner(&d->objects, k->owner, w.task, &w.owner, &w.owner_tid);
	}
	owner.image = image;
	owner.tgid = (u32)(task >> 32);
	r = stack_id(d, k->ustack, &owner, &w.ustack);
	if (!r)
		r = stack_id(d, k->kstack, &owner, &w.kstack);
	if (d->bare) {
		d->bare_cnt += v->count;
		d->bare_ns += ns;
	}
	w.blocked_ns = v->blocked_ns;
	w.runq_ns = v->runq_ns;
	w.count = v->count;
	w.max_ns = v->max_ns;
	w.samples = v->samples;
	w.var_us2 = v->var_us2;
	memcpy(w.hist, v->hist, sizeof(w.hist));
	if (!r)
		r = peers__add_waiter(&d->c->peers, w.object, owner.tgid);
	if (!r)
		r = builder__wait(d->b, &w);
	return r ? r : replicates__give(&d->c->replicates, k, v, d->b);
}

static int name_peer(void *arg, u32 object, const char *name)
{
	struct builder *b = arg;
	u32 str;
	int r = builder__str(b, name, &str);

	return r ? r : builder__object_peer(b, object, str);
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
	h->hist_unit_ns = c->hist_unit_ns;
	h->sides = c->sides;
	h->switches_seen = c->stats.switches;
	h->waits_chosen = c->stats.chosen;
	h->period_ns = period_log__mean_ns(&c->periods, c->end_ns);
	h->period_min_ns = c->periods.min_ns;
	h->period_max_ns = c->periods.max_ns;
	h->period_sum_ns = c->periods.sum_ns;
	h->period_changes = c->periods.changes;
	h->prog_runs = c->stats.self_runs - c->begin_stats.self_runs;
	h->prog_ns = c->stats.self_ns - c->begin_stats.self_ns;
	if (!c->stats.self_runs) {
		h->prog_runs = c->cost.runs;
		h->prog_ns = c->cost.ns;
	}
	h->self_cpu_ns = c->self_cpu_ns;
	h->kernel_bytes = c->memory_bytes;
	h->on_cpu_hz = c->on_cpu_hz;
	h->on_cpu_samples = c->stats.samples;
	builder__str(d->b, programs__describe(c->programs), &h->hooks);
}

static int give_files(struct drain *d)
{
	struct vec *files = &d->c->mapped.files;
	int r = 0;

	for (size_t i = 0; !r && i < files->len; i++) {
		struct mapped_file *f = vec__at(files, i);

		if (!f->id || f->fd < 0)
			continue;
		r = d->files->give_file(d->files->arg, &f->file, f->fd);
		f->fd = -1;
		f->given = true;
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
		r = python_codes__each(&c->codes, d->files->give_function, d->files->arg);
	if (!r)
		r = javas__each(&c->javas, d->files->give_function, d->files->arg);
	if (!r)
		r = code_places__give(&d->c->code_places, d->files->give_code, d->files->arg);
	if (!r)
		r = roots__give(&d->c->roots, d->files->give_root, d->files->arg);
	if (!r)
		r = builder__str(d->b, "[kernel]", &kernel.path);
	if (!r)
		r = builder__module(d->b, &kernel, &d->kernel_module);
	for (size_t i = 0; !r && i < c->records.len; i++)
		r = add_task(d, i);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	r = replicates__end(&d->c->replicates, c->end_ns, d->b);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	if (d->has_objects)
		r = objects__read(&d->objects, c->programs, &c->mapped, d->files, err);
	if (!r && (c->stats.object_lost || d->objects.full) && objects__add_other(&d->objects))
		r = err__nomem(err);
	if (!r)
		r = table_read(programs__waits_fd(c->programs), programs__wait_key_sz(c->programs),
			       sizeof(struct cs_wait_sum), add_wait, d, err);
	if (r)
		return r;
	r = peers__each(&d->c->peers, name_peer, d->b);
	if (r)
		return err__wrap(err, r, "cannot take in the trace: %s", err_str(r));
	fill_header(d);
	losses_add(d->b, &c->stats, c->cost.recursion_misses);
	builder__loss(d->b, LOSS_SAMPLES_LOST, d->samples_lost, 0);
	builder__loss(d->b, LOSS_SAMPLES_BARE, d->samples_bare, 0);
	if (c->on_cpu_hz)
		builder__share_on_cpu(d->b);
	builder__loss(d->b, LOSS_TABLES_FULL, c->mapped.budget_full + c->mapped.evicted, 0);
	builder__loss(d->b, LOSS_TABLES_LATE, mapped__waiting(&c->mapped), 0);
	builder__loss(d->b, LOSS_USER_MEMORY, d->left_out, d->left_out_ns);
	builder__loss(d->b, LOSS_OBJECTS_FULL, d->objects_left_out, d->objects_left_out_ns);
	builder__loss(d->b, LOSS_STACKS_FULL, d->bare_cnt, d->bare_ns);
	builder__loss(d->b, LOSS_TASK_RECORD, c->records_lost + c->records_missing,
		      c->records_lost_ns);
	builder__loss(d->b, LOSS_PEERS, c->peers_left_out, 0);
	builder__loss(d->b, LOSS_CODE_LOST, c->codes.lines_lost + c->codes.full + c->javas.full, 0);
	return builder__loss(d->b, LOSS_ORPHAN_WAIT, d->orphans, d->orphans_ns);
}

int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err)
{
	struct drain d = { .c = c, .b = b, .files = files };
	int r;

	map64__init(&d.made);
	map64__init(&d.frames);
	map64__init(&d.tasks);
	map64__init(&d.images);
	objects__init(&d.objects, b, &c->peers);
	d.has_objects = programs__wait_key_sz(c->programs) == sizeof(struct cs_wait_key);
	r = drain_all(&d, k, err);
	/* The largest of what is not needed any more, and names take memory. */
	stacks__done(&c->stacks);
	replicates__done(&c->replicates);
	map64__done(&d.made);
	map64__done(&d.frames);
	map64__done(&d.tasks);
	map64__done(&d.images);
	objects__done(&d.objects);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A builder is the arrays of the profile to be, each with a hash table beside it; freezing throws
 * the tables away and hands the arrays over, so nothing is copied and nothing can fail there but
 * the making of the rest waits before. Every id is checked when it comes in, not later: the order
 * of calls then proves that parents precede children and that no reference dangles, also when the
 * caller is a reader of a damaged file. Sums that leave 64 bits are refused for the same reason.
 */
#include "profile/builder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "profile/hot_share.h"
#include "profile/rest.h"

/* What makes two records equal is a prefix of them; the rest is told or added up later. */
#define FRAME_KEY_SZ offsetof(struct profile_frame, reason)
#define STACK_KEY_SZ offsetof(struct profile_stack, depth)
#define WAIT_KEY_SZ offsetof(struct profile_wait, blocked_ns)
#define HOT_KEY_SZ offsetof(struct profile_hot, on_ns)
#define BIN_KEY_SZ offsetof(struct profile_bin, count)

_Static_assert(sizeof(struct profile_module) == 48, "no padding in a key");
_Static_assert(FRAME_KEY_SZ == 28, "no padding in a key");
_Static_assert(STACK_KEY_SZ == 8, "no padding in a key");

_Static_assert(sizeof(struct profile_object) == 88, "no padding in a key");
_Static_assert(WAIT_KEY_SZ == 40, "no padding in a key");
_Static_assert(HOT_KEY_SZ == 24, "no padding in a key");
_Static_assert(BIN_KEY_SZ == 8, "no padding in a key");

struct builder {
	struct profile_header hdr;
	struct strtab strings;
	struct intern modules;
	struct intern frames;
	struct intern stacks;
	struct vec tasks;
	struct intern objects;
	struct intern waits;
	u32 last_wait;
	struct vec intervals; /* struct profile_interval */
	struct vec replicates; /* struct profile_replicate */
	struct intern hots;
	struct intern bins;
	struct profile_loss losses[LOSS_CNT];
	int error; /* the first one */
	const char *fault; /* the sentence of an -EINVAL */
};

struct builder *builder__new(void)
{
	struct builder *b = mem_alloc(sizeof(*b));

	if (!b)
		return NULL;
	vec__init(&b->tasks, sizeof(struct profile_task));
	vec__init(&b->intervals, sizeof(struct profile_interval));
	vec__init(&b->replicates, sizeof(struct profile_replicate));
	if (strtab__init(&b->strings) ||
	    intern__init(&b->modules, sizeof(struct profile_module),
			 sizeof(struct profile_module)) ||
	    intern__init(&b->frames, sizeof(struct profile_frame), FRAME_KEY_SZ) ||
	    intern__init(&b->stacks, sizeof(struct profile_stack), STACK_KEY_SZ) ||
	    intern__init(&b->objects, sizeof(struct profile_object),
			 sizeof(struct profile_object)) ||
	    intern__init(&b->waits, sizeof(struct profile_wait), WAIT_KEY_SZ) ||
	    intern__init(&b->hots, sizeof(struct profile_hot), HOT_KEY_SZ) ||
	    intern__init(&b->bins, sizeof(struct profile_bin), BIN_KEY_SZ) ||
	    !vec__push(&b->tasks)) {
		builder__free(b);
		return NULL;
	}
	return b;
}

void builder__free(struct builder *b)
{
	if (!b)
		return;
	strtab__done(&b->strings);
	intern__done(&b->modules);
	intern__done(&b->frames);
	intern__done(&b->stacks);
	intern__done(&b->objects);
	intern__done(&b->waits);
	intern__done(&b->hots);
	intern__done(&b->bins);
	vec__done(&b->tasks);
	vec__done(&b->intervals);
	vec__done(&b->replicates);
	mem_free(b);
}

static int invalid(struct builder *b, const char *fault)
{
	b->error = -EINVAL;
	b->fault = fault;
	return b->error;
}

/* Keeps the error of a call into a table. */
static int settle(struct builder *b, int r)
{
	b->error = r;
	return r;
}

static bool has_str(const struct builder *b, u32 str)
{
	return str < strtab__len(&b->strings);
}

int builder__str(struct builder *b, const char *s, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	return settle(b, strtab__add(&b->strings, s, ret_id));
}

int builder__module(struct builder *b, const struct profile_module *m, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	if (m->kind > MODULE_CODE)
		return invalid(b, "a module is of an unknown kind");
	if (!has_str(b, m->path) || !has_str(b, m->build_id))
		return invalid(b, "a module has a string that does not exist");
	return settle(b, intern__add(&b->modules, m, ret_id));
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
		return invalid(b, "a frame is in a module that does not exist");
	if (reason == FRAME_NAMED || (u32)reason >= FRAME_REASON_CNT ||
	    flags & (FRAME_TRUNCATED | FRAME_INLINED))
		return invalid(b, "a frame has no name and no reason for it");
	r = settle(b, intern__add(&b->frames, &f, ret_id));
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
		return invalid(b, "a frame is in a module that does not exist");
	if (!has_str(b, f->name) || !has_str(b, f->file))
		return invalid(b, "a frame has a string that does not exist");
	if (f->reason != FRAME_NAMED || !f->name)
		return invalid(b, "a frame has a name and a reason for none, or neither");
	if (f->flags & FRAME_TRUNCATED && (f->addr == STACK_END_ROOT || f->addr >= STACK_END_CNT))
		return invalid(b, "a stack is truncated for no known reason");
	return settle(b, intern__add(&b->frames, f, ret_id));
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
		return invalid(b, "a stack ends in a module that does not exist");
	if (end == STACK_END_ROOT || (u32)end >= STACK_END_CNT)
		return invalid(b, "a stack is truncated for no known reason");
	stack_end_describe(end, module_path(b, module), words, sizeof(words));
	snprintf(name, sizeof(name), stack_end_is_loss(end) ? "[truncated: %s]" : "[%s]", words);
	if (settle(b, strtab__add(&b->strings, name, &f.name)))
		return b->error;
	return settle(b, intern__add(&b->frames, &f, ret_frame));
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
		return invalid(b, "an inlined function is in a module that does not exist");
	if (!f.name || !has_str(b, f.name) || !has_str(b, f.file))
		return invalid(b, "an inlined function has no name, or one that does not exist");
	return settle(b, intern__add(&b->frames, &f, ret_frame));
}

static bool is_truncated(const struct builder *b, u32 frame)
{
	const struct profile_frame *f = intern__at(&b->frames, frame);

	return f->flags & FRAME_TRUNCATED;
}

int builder__stack(struct builder *b, u32 parent, u32 frame, u32 *ret_id)
{
	struct profile_stack s = { .parent = parent, .frame = frame };

	*ret_id = 0;
	if (b->error)
		return b->error;
	if (parent >= intern__len(&b->stacks))
		return invalid(b, "a stack has a parent that does not exist");
	if (!frame || frame >= intern__len(&b->frames))
		return invalid(b, "a stack has a frame that does not exist");
	if (parent && is_truncated(b, frame))
		return invalid(b, "a stack goes on behind the place where it is truncated");
	s.depth = ((const struct profile_stack *)intern__at(&b->stacks, parent))->depth + 1;
	return settle(b, intern__add(&b->stacks, &s, ret_id));
}

int builder__stack_flags(struct builder *b, u32 stack, u32 flags)
{
	struct profile_stack *s;

	if (b->error)
		return b->error;
	if (!stack || stack >= intern__len(&b->stacks))
		return invalid(b, "flags are for a stack that does not exist");
	s = intern__at(&b->stacks, stack);
	s->flags |= flags;
	return 0;
}

int builder__task(struct builder *b, const struct profile_task *t, u32 *ret_id)
{
	struct profile_task *copy;

	*ret_id = 0;
	if (b->error)
		return b->error;
	if (!has_str(b, t->comm) || !has_str(b, t->group_comm) || !has_str(b, t->cgroup))
		return invalid(b, "a thread has a string that does not exist");
	copy = vec__push(&b->tasks);
	if (!copy)
		return settle(b, -ENOMEM);
	*copy = *t;
	*ret_id = (u32)b->tasks.len - 1;
	return 0;
}

int builder__task_cgroup(struct builder *b, u32 task, u32 cgroup)
{
	struct profile_task *t;

	if (b->error)
		return b->error;
	if (!task || task >= b->tasks.len)
		return invalid(b, "a cgroup is of a thread that does not exist");
	if (!has_str(b, cgroup))
		return invalid(b, "a thread has a string that does not exist");
	t = vec__at(&b->tasks, task);
	t->cgroup = cgroup;
	return 0;
}

int builder__object(struct builder *b, const struct profile_object *o, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	if (!profile_object__is_valid(o))
		return invalid(b, "an object is of an unknown kind");
	if (!has_str(b, o->name) || !has_str(b, o->peer) || !has_str(b, o->file))
		return invalid(b, "an object has a string that does not exist");
	return settle(b, intern__add(&b->objects, o, ret_id));
}

int builder__object_peer(struct builder *b, u32 object, u32 peer)
{
	struct profile_object *o;

	if (b->error)
		return b->error;
	if (!object || object >= intern__len(&b->objects))
		return invalid(b, "a peer is of an object that does not exist");
	if (!has_str(b, peer))
		return invalid(b, "an object has a string that does not exist");
	o = intern__at(&b->objects, object);
	o->peer = peer;
	return 0;
}

/* False when a sum leaves its type; the sums are of no use then. */
static bool add_up(struct profile_wait *sum, const struct profile_wait *w)
{
	bool wrapped = false;
	u32 i;

	wrapped |= __builtin_add_overflow(sum->blocked_ns, w->blocked_ns, &sum->blocked_ns);
	wrapped |= __builtin_add_overflow(sum->runq_ns, w->runq_ns, &sum->runq_ns);
	wrapped |= __builtin_add_overflow(sum->count, w->count, &sum->count);
	for (i = 0; i < PROFILE_HIST_LEN; i++)
		wrapped |= __builtin_add_overflow(sum->hist[i], w->hist[i], &sum->hist[i]);
	wrapped |= __builtin_add_overflow(sum->samples, w->samples, &sum->samples);
	sum->var_us2 = estimate_add_var(sum->var_us2, w->var_us2);
	if (w->max_ns > sum->max_ns)
		sum->max_ns = w->max_ns;
	return !wrapped;
}

int builder__wait(struct builder *b, const struct profile_wait *w)
{
	u32 id, stacks_len = intern__len(&b->stacks), waits_len = intern__len(&b->waits);

	if (b->error)
		return b->error;
	if (w->task >= b->tasks.len)
		return invalid(b, "a wait is of a thread that does not exist");
	if (w->ustack >= stacks_len || w->kstack >= stacks_len)
		return invalid(b, "a wait has a stack that does not exist");
	if (w->object >= intern__len(&b->objects))
		return invalid(b, "a wait is for an object that does not exist");
	if (w->owner >= b->tasks.len || (w->owner && !w->owner_tid))
		return invalid(b, "a wait is for a thread that does not exist");
	if (w->state >= PROFILE_STATES)
		return invalid(b, "a wait is in a state that does not exist");
	if (settle(b, intern__add(&b->waits, w, &id)))
		return b->error;
	if (id < waits_len && !add_up(intern__at(&b->waits, id), w))
		return invalid(b, "equal waits add up to more than a number can hold");
	b->last_wait = id;
	return 0;
}

u32 builder__last_wait(const struct builder *b)
{
	return b->last_wait;
}

int builder__interval(struct builder *b, const struct profile_interval *iv)
{
	const struct profile_interval *last;
	struct profile_interval *copy;

	if (b->error)
		return b->error;
	last = b->intervals.len ? vec__at(&b->intervals, b->intervals.len - 1) : NULL;
	if (!iv->length_ns || (last && iv->begin_ns <= last->begin_ns))
		return invalid(b, "an interval is empty, or not behind the one before");
	copy = vec__push(&b->intervals);
	if (!copy)
		return settle(b, -ENOMEM);
	*copy = *iv;
	return 0;
}

u32 builder__intervals(const struct builder *b)
{
	return (u32)b->intervals.len;
}

int builder__replicate(struct builder *b, const struct profile_replicate *rep)
{
	struct profile_replicate *copy;

	if (b->error)
		return b->error;
	if (!rep->wait || rep->wait >= intern__len(&b->waits) || rep->interval >= b->intervals.len)
		return invalid(b, "a replicate is of a wait or interval that does not exist");
	if (!rep->ns)
		return 0;
	copy = vec__push(&b->replicates);
	if (!copy)
		return settle(b, -ENOMEM);
	*copy = *rep;
	return 0;
}

void builder__drop_replicates(struct builder *b)
{
	vec__done(&b->intervals);
	vec__done(&b->replicates);
}

int builder__hot(struct builder *b, const struct profile_hot *h)
{
	u32 id, stacks_len = intern__len(&b->stacks), hots_len = intern__len(&b->hots);
	struct profile_hot *sum;

	if (b->error)
		return b->error;
	if (!h->task || h->task >= b->tasks.len)
		return invalid(b, "samples are of a thread that does not exist");
	if (h->ustack >= stacks_len || h->kstack >= stacks_len)
		return invalid(b, "samples have a stack that does not exist");
	if (settle(b, intern__add(&b->hots, h, &id)))
		return b->error;
	if (id >= hots_len)
		return 0;
	sum = intern__at(&b->hots, id);
	if (__builtin_add_overflow(sum->on_ns, h->on_ns, &sum->on_ns) ||
	    __builtin_add_overflow(sum->samples, h->samples, &sum->samples))
		return invalid(b, "equal samples add up to more than a number can hold");
	sum->var_us2 = estimate_add_var(sum->var_us2, h->var_us2);
	return 0;
}

static int add_rest_hots(struct builder *b);

int builder__share_on_cpu(struct builder *b)
{
	struct hot_tally *by_task;

	if (b->error)
		return b->error;
	by_task = mem_array(b->tasks.len, sizeof(*by_task));
	if (!by_task)
		return settle(b, -ENOMEM);
	hot_share(intern__at(&b->hots, 0), intern__len(&b->hots), vec__at(&b->tasks, 0), by_task);
	mem_free(by_task);
	return add_rest_hots(b);
}

int builder__bin(struct builder *b, const struct profile_bin *bin)
{
	u32 id, len = intern__len(&b->bins);
	struct profile_bin *sum;

	if (b->error)
		return b->error;
	if (!bin->task || bin->task >= b->tasks.len)
		return invalid(b, "a histogram is of a thread that does not exist");
	if (bin->kind >= HIST_KINDS || bin->bucket >= HIST_BINS || !bin->count)
		return invalid(b, "a histogram has a count that does not exist");
	if (settle(b, intern__add(&b->bins, bin, &id)))
		return b->error;
	sum = intern__at(&b->bins, id);
	if (id < len && __builtin_add_overflow(sum->count, bin->count, &sum->count))
		return invalid(b, "histograms add up to more than a number can hold");
	return 0;
}

int builder__loss(struct builder *b, enum profile_loss_kind kind, u64 events, u64 ns)
{
	struct profile_loss *loss;

	if (b->error)
		return b->error;
	if ((u32)kind >= LOSS_CNT)
		return invalid(b, "a loss is of an unknown kind");
	loss = &b->losses[kind];
	if (__builtin_add_overflow(loss->events, events, &loss->events) ||
	    __builtin_add_overflow(loss->ns, ns, &loss->ns))
		return invalid(b, "losses add up to more than a number can hold");
	return 0;
}

u64 builder__growth(const struct builder *b, u32 depth)
{
	return intern__growth(&b->frames, depth) + intern__growth(&b->stacks, depth) +
	       intern__growth(&b->waits, 1) + intern__growth(&b->hots, 1);
}

int builder__reserve(struct builder *b, u32 depth)
{
	if (intern__reserve(&b->frames, depth) || intern__reserve(&b->stacks, depth) ||
	    intern__reserve(&b->waits, 1) || intern__reserve(&b->hots, 1))
		return -ENOMEM;
	return 0;
}

u64 builder__object_growth(const struct builder *b)
{
	return intern__growth(&b->objects, 1);
}

u64 builder__replicate_growth(const struct builder *b, u32 n)
{
	return vec__growth(&b->replicates, n);
}

struct profile_header *builder__header(struct builder *b)
{
	return &b->hdr;
}

static int add_rest_waits(struct builder *b)
{
	struct rest_listed *by_task;
	struct profile_wait w;
	u32 i;

	by_task = mem_array(b->tasks.len, sizeof(*by_task));
	if (!by_task)
		return settle(b, -ENOMEM);
	rest_list(intern__at(&b->waits, 0), intern__len(&b->waits), by_task);
	for (i = 1; i < b->tasks.len && !b->error; i++) {
		w = rest_wait(&b->hdr, vec__at(&b->tasks, i), &by_task[i]);
		w.task = i;
		if (w.blocked_ns || w.runq_ns)
			builder__wait(b, &w);
	}
	mem_free(by_task);
	return b->error;
}

/* Of each task, the time on a CPU that no hot has. */
static int add_rest_hots(struct builder *b)
{
	struct profile_hot rest = { .sysno = -1, .flags = HOT_NOT_SAMPLED };
	u64 *by_task = mem_array(b->tasks.len, sizeof(*by_task));
	u32 i;

	if (!by_task)
		return settle(b, -ENOMEM);
	for (i = 1; i < intern__len(&b->hots); i++) {
		const struct profile_hot *h = intern__at(&b->hots, i);

		by_task[h->task] += h->on_ns;
	}
	for (i = 1; i < b->tasks.len && !b->error; i++) {
		const struct profile_task *t = vec__at(&b->tasks, i);

		rest.task = i;
		rest.on_ns = t->on_ns > by_task[i] ? t->on_ns - by_task[i] : 0;
		if (rest.on_ns)
			builder__hot(b, &rest);
	}
	mem_free(by_task);
	return b->error;
}

static bool has_header_strs(const struct builder *b)
{
	const struct profile_header *h = &b->hdr;

	return has_str(b, h->host) && has_str(b, h->kernel) && has_str(b, h->arch) &&
	       has_str(b, h->version) && has_str(b, h->command) && has_str(b, h->target) &&
	       has_str(b, h->hooks) && has_str(b, h->boot) && has_str(b, h->selection);
}

/* Takes the array of a table and drops the table. */
static void *take(struct intern *in, u32 *ret_len)
{
	size_t len;
	void *items = vec__steal(&in->items, &len);

	*ret_len = (u32)len;
	intern__done(in);
	return items;
}

static void hand_over(struct builder *b, struct profile *p)
{
	size_t tasks_len, len;
	u32 i;

	p->hdr = b->hdr;
	p->strings = b->strings;
	b->strings = (struct strtab){ 0 };
	p->modules = take(&b->modules, &p->modules_len);
	p->frames = take(&b->frames, &p->frames_len);
	p->stacks = take(&b->stacks, &p->stacks_len);
	p->objects = take(&b->objects, &p->objects_len);
	p->waits = take(&b->waits, &p->waits_len);
	p->hots = take(&b->hots, &p->hots_len);
	p->bins = take(&b->bins, &p->bins_len);
	bins_sort(p->bins, p->bins_len);
	p->tasks = vec__steal(&b->tasks, &tasks_len);
	p->tasks_len = (u32)tasks_len;
	p->intervals = vec__steal(&b->intervals, &len);
	p->intervals_len = (u32)len;
	p->replicates = vec__steal(&b->replicates, &len);
	p->replicates_len = (u32)len;
	for (i = 0; i < LOSS_CNT; i++)
		p->losses[i] = b->losses[i];
	invalid(b, "the profile is already frozen");
}

static int order_replicates(struct builder *b)
{
	int r = replicates_sort(&b->replicates);

	while (!r && (b->intervals.len > PROFILE_INTERVALS_MAX ||
		      (b->replicates.len > PROFILE_REPLICATES_MAX && b->intervals.len > 1)))
		r = replicates_coarsen(&b->intervals, &b->replicates);
	return r ? invalid(b, "replicates add up to more than a number can hold") : 0;
}

static int finish(struct builder *b, struct profile *p)
{
	if (b->error)
		return b->error;
	if (!has_header_strs(b))
		return invalid(b, "the header has a string that does not exist");
	if (!p)
		return settle(b, -ENOMEM);
	if (order_replicates(b))
		return b->error;
	if (b->hdr.filtered)
		return 0;
	return add_rest_waits(b) || !b->hdr.on_cpu_hz ? b->error : add_rest_hots(b);
}

int builder__freeze(struct builder *b, struct profile **ret, struct err *err)
{
	struct profile *p = b->error ? NULL : mem_alloc(sizeof(*p));
	int r;

	r = finish(b, p);
	if (r) {
		mem_free(p);
		if (r == -ENOMEM)
			return err__nomem(err);
		return err__set(err, r, "cannot build a profile: %s", b->fault);
	}
	hand_over(b, p);
	profile__count_truncated(p);
	*ret = p;
	return 0;
}

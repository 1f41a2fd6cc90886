/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A builder is the arrays of the profile to be, each with a hash table beside it; freezing throws
 * the tables away and hands the arrays over, so nothing is copied and nothing can fail there but
 * the making of the rest waits before. Every id is checked when it comes in, not later: the order
 * of calls then proves that parents precede children and that no reference dangles, also when the
 * caller is a reader of a damaged file. Sums that leave 64 bits are refused for the same reason.
 */
#include "profile/builder_priv.h"

#include <errno.h>

#include "base/mem.h"

/* What makes two records equal is a prefix of them; the rest is set or added up later. */
#define FRAME_KEY_SZ offsetof(struct profile_frame, reason)
#define STACK_KEY_SZ offsetof(struct profile_stack, depth)
#define BIN_KEY_SZ offsetof(struct profile_bin, count)

_Static_assert(sizeof(struct profile_module) == 48, "no padding in a key");
_Static_assert(FRAME_KEY_SZ == 28, "no padding in a key");
_Static_assert(STACK_KEY_SZ == 8, "no padding in a key");

_Static_assert(sizeof(struct profile_object) == 88, "no padding in a key");
_Static_assert(BIN_KEY_SZ == 8, "no padding in a key");
_Static_assert(sizeof(struct profile_waker) == 44, "no padding in a key");

struct builder *builder__new(void)
{
	struct builder *b = mem_alloc(sizeof(*b));

	if (!b)
		return NULL;
	vec__init(&b->tasks, sizeof(struct profile_task));
	vec__init(&b->task_waits, sizeof(u64));
	vec__init(&b->intervals, sizeof(struct profile_interval));
	vec__init(&b->replicates, sizeof(struct profile_replicate));
	vec__init(&b->moments, sizeof(struct profile_moment));
	vec__init(&b->marks, sizeof(struct profile_mark));
	if (strtab__init(&b->strings) ||
	    intern__init(&b->modules, sizeof(struct profile_module),
			 sizeof(struct profile_module)) ||
	    intern__init(&b->frames, sizeof(struct profile_frame), FRAME_KEY_SZ) ||
	    intern__init(&b->stacks, sizeof(struct profile_stack), STACK_KEY_SZ) ||
	    intern__init(&b->objects, sizeof(struct profile_object),
			 sizeof(struct profile_object)) ||
	    intern__init(&b->waits, wait_row_type.sz, wait_row_type.key_sz) ||
	    intern__init(&b->hots, hot_row_type.sz, hot_row_type.key_sz) ||
	    intern__init(&b->wakers, sizeof(struct profile_waker), sizeof(struct profile_waker)) ||
	    intern__init(&b->wakes, wake_row_type.sz, wake_row_type.key_sz) ||
	    intern__init(&b->bins, sizeof(struct profile_bin), BIN_KEY_SZ) ||
	    intern__init(&b->measured, measured_row_type.sz, measured_row_type.key_sz) ||
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
	intern__done(&b->wakers);
	intern__done(&b->wakes);
	intern__done(&b->bins);
	intern__done(&b->measured);
	vec__done(&b->tasks);
	vec__done(&b->task_waits);
	vec__done(&b->intervals);
	vec__done(&b->replicates);
	vec__done(&b->moments);
	vec__done(&b->marks);
	mem_free(b);
}

int builder__refuse(struct builder *b, const char *fault)
{
	b->error = -EINVAL;
	b->fault = fault;
	return b->error;
}

int builder__settle(struct builder *b, int r)
{
	b->error = r;
	return r;
}

bool builder__has_str(const struct builder *b, u32 str)
{
	return str < strtab__len(&b->strings);
}

int builder__str(struct builder *b, const char *s, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	return builder__settle(b, strtab__add(&b->strings, s, ret_id));
}

int builder__task(struct builder *b, const struct profile_task *t, u32 *ret_id)
{
	struct profile_task *copy;

	*ret_id = 0;
	if (b->error)
		return b->error;
	if (!builder__has_str(b, t->comm) || !builder__has_str(b, t->group_comm) ||
	    !builder__has_str(b, t->cgroup) || !builder__has_str(b, t->container))
		return builder__refuse(b, "a thread has a string that does not exist");
	copy = vec__push(&b->tasks);
	if (!copy)
		return builder__settle(b, -ENOMEM);
	*copy = *t;
	*ret_id = (u32)b->tasks.len - 1;
	return 0;
}

int builder__task_waits(struct builder *b, u32 task, u64 waits)
{
	u64 *known;

	if (b->error)
		return b->error;
	if (!task || task >= b->tasks.len)
		return builder__refuse(b, "waits are counted of a thread that does not exist");
	while (b->task_waits.len <= task)
		if (!vec__push(&b->task_waits))
			return builder__settle(b, -ENOMEM);
	known = vec__at(&b->task_waits, task);
	*known = waits;
	return 0;
}

/* NULL: the error is in the builder. */
static struct profile_task *task_with_str(struct builder *b, u32 task, u32 str)
{
	if (b->error)
		return NULL;
	if (!task || task >= b->tasks.len) {
		builder__refuse(b, "a thread does not exist");
		return NULL;
	}
	if (!builder__has_str(b, str)) {
		builder__refuse(b, "a thread has a string that does not exist");
		return NULL;
	}
	return vec__at(&b->tasks, task);
}

int builder__task_cgroup(struct builder *b, u32 task, u32 cgroup)
{
	struct profile_task *t = task_with_str(b, task, cgroup);

	if (t)
		t->cgroup = cgroup;
	return b->error;
}

int builder__task_container(struct builder *b, u32 task, u32 container)
{
	struct profile_task *t = task_with_str(b, task, container);

	if (t)
		t->container = container;
	return b->error;
}

/* The gap of each thread: weeks of thousands of them are more than a number can hold. */
static bool is_of_gaps(enum profile_loss_kind kind)
{
	return kind == LOSS_GAP_WAITS || kind == LOSS_GAP_UNKNOWN;
}

int builder__loss(struct builder *b, enum profile_loss_kind kind, u64 events, u64 ns)
{
	struct profile_loss *loss;
	bool wraps;

	if (b->error)
		return b->error;
	if ((u32)kind >= LOSS_CNT)
		return builder__refuse(b, "a loss is of an unknown kind");
	loss = &b->losses[kind];
	wraps = __builtin_add_overflow(loss->ns, ns, &loss->ns);
	if (wraps && is_of_gaps(kind))
		loss->ns = ~0ULL;
	if (__builtin_add_overflow(loss->events, events, &loss->events) ||
	    (wraps && !is_of_gaps(kind)))
		return builder__refuse(b, "losses add up to more than a number can hold");
	return 0;
}

struct profile_header *builder__header(struct builder *b)
{
	return &b->hdr;
}

static bool has_header_strs(const struct builder *b)
{
	const struct profile_header *h = &b->hdr;

	return builder__has_str(b, h->host) && builder__has_str(b, h->kernel) &&
	       builder__has_str(b, h->arch) && builder__has_str(b, h->version) &&
	       builder__has_str(b, h->command) && builder__has_str(b, h->target) &&
	       builder__has_str(b, h->hooks) && builder__has_str(b, h->boot) &&
	       builder__has_str(b, h->selection) && builder__has_str(b, h->source) &&
	       builder__has_str(b, h->trigger);
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
	p->wakers = take(&b->wakers, &p->wakers_len);
	p->wakes = take(&b->wakes, &p->wakes_len);
	p->bins = take(&b->bins, &p->bins_len);
	p->measured = take(&b->measured, &p->measured_len);
	bins_sort(p->bins, p->bins_len);
	p->tasks = vec__steal(&b->tasks, &tasks_len);
	p->tasks_len = (u32)tasks_len;
	p->intervals = vec__steal(&b->intervals, &len);
	p->intervals_len = (u32)len;
	p->replicates = vec__steal(&b->replicates, &len);
	p->replicates_len = (u32)len;
	p->moments = vec__steal(&b->moments, &len);
	p->moments_len = (u32)len;
	moments_sort(p->moments, p->moments_len);
	p->marks = vec__steal(&b->marks, &len);
	p->marks_len = (u32)len;
	for (i = 0; i < LOSS_CNT; i++)
		p->losses[i] = b->losses[i];
	builder__refuse(b, "the profile is already frozen");
}

static int finish(struct builder *b, struct profile *p)
{
	if (b->error)
		return b->error;
	if (!has_header_strs(b))
		return builder__refuse(b, "the header has a string that does not exist");
	if (!p)
		return builder__settle(b, -ENOMEM);
	if (builder__order_replicates(b) ||
	    builder__settle(b, marks_sort(b->marks.data, b->marks.len)))
		return b->error;
	if (b->hdr.filtered)
		return 0;
	return builder__add_rest_waits(b) || !b->hdr.on_cpu_hz ? b->error :
								 builder__add_rest_hots(b);
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

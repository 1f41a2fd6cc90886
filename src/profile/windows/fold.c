/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread's name stays because rules for causes know some (the collectors of Java), and an hour
 * must have the causes of its minutes. Numbers in names would keep all threads of a pool apart.
 *
 * A folded task is found again in the next window by its start time, which is a hash of its names:
 * to profile_merge() it is one thread that goes on.
 */
#include "profile/windows/fold.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/builder.h"
#include "profile/windows/part.h"
#include "profile/windows/short_lives.h"
#include "profile/windows/task_sum.h"

#define NAME_SZ 64

/* Strings are ids in the builder. */
struct group {
	u32 group_comm;
	u32 comm;
	u32 cgroup;
	u32 is_kthread;
	u64 cgroup_id;
	/* not in the key */
	struct profile_task sum;
	u32 parts;
};

#define GROUP_KEY_SZ offsetof(struct group, sum)

struct folding {
	const struct profile *p;
	struct builder *b;
	struct part part;
	struct intern groups;
	u32 *task_ids; /* in the builder, by id in the profile */
	u32 first_group; /* its task in the builder */
	u32 most_parts; /* of a group */
	struct short_lives short_lives; /* who is folded, unless all are */
	bool all;
};

static void fold_name(const char *name, bool kthread, char buf[NAME_SZ])
{
	const char *slash = kthread ? strchr(name, '/') : NULL;
	size_t len = strlen(name), stem = len;

	while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
		stem--;
	if (slash)
		stem = (size_t)(slash - name) + 1;
	snprintf(buf, NAME_SZ, "%.*s%s", (int)stem, name, stem < len ? "*" : "");
}

static int add_name(struct folding *f, u32 str, bool kthread, u32 *ret_id)
{
	char name[NAME_SZ];

	fold_name(profile__str(f->p, str), kthread, name);
	return builder__str(f->b, name, ret_id);
}

static u64 hash_of(u64 h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (u8)*text) * 0x100000001b3ULL;
	return (h ^ 0xff) * 0x100000001b3ULL;
}

/* What the task of a group is before any thread is in it. */
static void begin_group(struct folding *f, struct group *g, const struct profile_task *t)
{
	u64 h = hash_of(0xcbf29ce484222325ULL, profile__str(f->p, t->group_comm));
	char name[NAME_SZ];

	if (t->comm != t->group_comm) {
		fold_name(profile__str(f->p, t->comm), g->is_kthread, name);
		h = hash_of(h, name);
	}
	h = hash_of(h, profile__str(f->p, t->cgroup)) ^ t->cgroup_id;
	g->sum = (struct profile_task){
		.comm = g->comm,
		.group_comm = g->group_comm,
		.cgroup = g->cgroup,
		.cgroup_id = g->cgroup_id,
		.start_boottime_ns = h,
	};
}

static int add_thread(struct folding *f, u32 id)
{
	const struct profile_task *t = &f->p->tasks[id];
	struct group key = { .is_kthread = t->flags & TASK_KTHREAD, .cgroup_id = t->cgroup_id }, *g;
	struct profile_task plain = *t;
	int r = key.is_kthread ? add_name(f, t->group_comm, true, &key.group_comm) :
				 part__str(&f->part, t->group_comm, &key.group_comm);

	if (!r && t->comm == t->group_comm)
		key.comm = key.group_comm;
	else if (!r)
		r = add_name(f, t->comm, key.is_kthread, &key.comm);
	if (!r)
		r = part__str(&f->part, t->cgroup, &key.cgroup);
	if (!r)
		r = part__str(&f->part, t->container, &plain.container);
	if (!r)
		r = intern__add(&f->groups, &key, &f->task_ids[id]);
	if (r)
		return r;
	g = intern__at(&f->groups, f->task_ids[id]);
	if (!g->parts)
		begin_group(f, g, t);
	g->parts += t->parts ? t->parts : 1;
	if (g->parts > f->most_parts)
		f->most_parts = g->parts;
	plain.flags &= TASK_KTHREAD;
	if (f->all) {
		plain.hist_on_ns = plain.hist_runq_ns = plain.hist_blocked_ns = 0;
		plain.parts = plain.threads = plain.processes = 0;
	} else {
		plain.parts = 1;
		plain.threads = !!(t->flags & TASK_EXITED);
		plain.processes = plain.threads && t->tid == t->tgid;
	}
	return task_sum__add(&g->sum, &plain) ? 0 : -EOVERFLOW;
}

static bool is_folded(const struct folding *f, u32 task)
{
	return f->all || short_lives__has(&f->short_lives, task);
}

static int keep_thread(struct folding *f, u32 id)
{
	struct profile_task t;
	int r = part__task(&f->part, id, &t);

	return r ? r : builder__task(f->b, &t, &f->task_ids[id]);
}

/* Those that stay come first, so that they keep their order. */
static int add_tasks(struct folding *f)
{
	u32 id;
	int r = 0;

	f->first_group = 1;
	for (u32 i = 1; i < f->p->tasks_len && !r; i++) {
		if (is_folded(f, i))
			continue;
		r = keep_thread(f, i);
		f->first_group++;
	}
	for (u32 i = 1; i < f->p->tasks_len && !r; i++) {
		if (!is_folded(f, i))
			continue;
		r = add_thread(f, i);
		f->task_ids[i] += f->first_group - 1;
	}
	for (u32 i = 1; i < intern__len(&f->groups) && !r; i++)
		r = builder__task(f->b, &((struct group *)intern__at(&f->groups, i))->sum, &id);
	return r;
}

/* The list of each thread may be off by so much, so the sum may be by as many times that. */
static int put_header(struct folding *f)
{
	struct profile_header *h = builder__header(f->b);
	int r = part__header(&f->part, h);

	if (!f->all)
		return r;
	h->unknown |= UNKNOWN_FOLDED;
	h->hist_unit_ns = 0;
	h->wakers = 0;
	h->max_moments = 0;
	if (f->most_parts > 1 &&
	    __builtin_mul_overflow(h->period_sum_ns, (u64)f->most_parts, &h->period_sum_ns))
		h->period_sum_ns = ~0ULL;
	return r;
}

/* What is of threads and of instants. */
static int add_rest(struct folding *f)
{
	int r = part__replicates(&f->part, 0);

	for (u32 i = 1; i < f->p->wakes_len && !r; i++)
		r = part__wake(&f->part, i, f->task_ids);
	for (u32 i = 1; i < f->p->bins_len && !r; i++)
		r = part__bin(&f->part, i, f->task_ids[f->p->bins[i].task]);
	return r;
}

static int fold(struct folding *f)
{
	int r = intern__init(&f->groups, sizeof(struct group), GROUP_KEY_SZ);

	f->b = builder__new();
	f->task_ids = mem_array(f->p->tasks_len, sizeof(*f->task_ids));
	if (r || !f->b || !f->task_ids)
		return -ENOMEM;
	r = part__init(&f->part, f->p, f->b);
	f->part.folded = f->all;
	if (!r && !f->all)
		r = short_lives__find(&f->short_lives, f->p);
	if (!r)
		r = add_tasks(f);
	if (!r)
		r = put_header(f);
	for (u32 i = 1; i < f->p->waits_len && !r; i++)
		r = part__wait(&f->part, i, f->task_ids);
	for (u32 i = 1; i < f->p->hots_len && !r; i++)
		r = part__hot(&f->part, i, f->task_ids);
	for (u32 i = 1; i < f->p->measured_len && !r; i++)
		r = part__measured(&f->part, i, f->task_ids);
	if (!r && !f->all)
		r = add_rest(f);
	return r ? r : part__losses(&f->part);
}

static int run(struct folding *f, struct profile **ret, struct err *err)
{
	int r = fold(f);

	/* the builder has the sentence for what it refused */
	if (!r || r == -EINVAL)
		r = builder__freeze(f->b, ret, err);
	else if (r == -EOVERFLOW)
		r = err__set(err, -EINVAL,
			     "times of threads add up to more than a number can hold");
	else
		r = err__nomem(err);
	part__done(&f->part);
	builder__free(f->b);
	intern__done(&f->groups);
	short_lives__done(&f->short_lives);
	mem_free(f->task_ids);
	return r;
}

int profile_fold(const struct profile *p, struct profile **ret, struct err *err)
{
	struct folding f = { .p = p, .all = true };

	return run(&f, ret, err);
}

int profile_fold_ended(const struct profile *p, struct profile **ret, struct err *err)
{
	struct folding f = { .p = p };

	if (p->moments_len || p->marks_len)
		return err__set(err, -EINVAL, "instants of threads are not kept without threads");
	return run(&f, ret, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of waits. The rows of a table are interned by their key, so one pass over the waits is
 * enough. Their order is total, down to the names, so equal profiles print equal tables.
 */
#include "analysis/model/top.h"

#include <errno.h>

#include "analysis/model/dominant.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/place.h"
#include "analysis/cause/syscall_name.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"

struct group_key {
	u32 cause;
	u32 class; /* of a place: only whether it is idle, as it is in no table then */
	u32 state; /* this and the next: TOP_BY_CAUSE only */
	s32 sysno; /* and of a place without `user` */
	u32 comm; /* string id; 0 when not grouped by it */
	u32 user; /* text id */
	u32 kernel; /* of waits outside system calls without `user` */
	u32 group; /* id in names; this and the next */
	u32 object; /* its label */
};

/* What stands for a place, whose waits may differ in it: that of its longest sum. */
struct leaf {
	u64 ns;
	u32 class;
	u32 state;
	s32 sysno;
	u32 kernel; /* text id */
	u32 library;
};

struct group {
	struct group_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 hot_ns;
	u64 count;
	u64 max_ns;
	u64 samples;
	u64 var_us2;
	u64 on_ns;
	u64 wall_ns;
	u64 idle_ns;
	bool summed;
	bool uncounted; /* some of it */
	struct leaf leaf;
	u64 hist[PROFILE_HIST_LEN];
};

struct grouping {
	const struct profile *p;
	enum top_by by;
	bool idle_apart;
	struct cause_memo *memo;
	struct causes causes;
	struct labels labels;
	struct places places;
	struct groups named; /* TOP_BY_GROUP */
	struct strtab names;
	struct intern groups;
	struct owner_times owner_times; /* TOP_BY_PLACE, and the next */
	struct dominant dominant; /* by id in groups */
	struct dominant_sum *owners; /* the same */
	u32 *label_of_object; /* id in names + 1; 0: not built yet */
	u32 *of_wait; /* group by wait id; in the arena of the top */
};

/* Objects with the same label are one, such as connections of clients on one host. */
static int object_of(struct grouping *g, u32 object, u32 *ret_label)
{
	char label[OBJECT_LABEL_SZ] = "";
	int r = 0;

	if (!g->label_of_object[object]) {
		if (object_says_something(g->p, object))
			object_label(g->p, object, label, sizeof(label));
		r = strtab__add(&g->names, label, &g->label_of_object[object]);
		g->label_of_object[object]++;
	}
	*ret_label = g->label_of_object[object] - 1;
	return r;
}

static int key_of(struct grouping *g, u32 wait, struct group_key *key)
{
	const struct profile_wait *w = &g->p->waits[wait];
	struct wait_stacks s = wait_stacks_of(g->p, wait, 0);
	char name[GROUP_NAME_SZ];
	int r;

	if (g->by == TOP_BY_GROUP) {
		groups__of_wait(&g->named, wait, name, sizeof(name));
		return strtab__add(&g->names, name, &key->group);
	}
	key->cause = causes__of(&g->causes, wait);
	key->class = causes__class(&g->causes, wait);
	if (g->by != TOP_BY_PLACE) {
		key->state = w->state;
		key->sysno = cause_has_syscall(key->cause) ? w->sysno : -1;
		return 0;
	}
	key->class = key->class == CLASS_IDLE ? CLASS_IDLE : CLASS_WORK;
	key->comm = g->p->tasks[w->task].group_comm;
	key->sysno = -1;
	r = object_of(g, w->object, &key->object);
	if (r)
		return r;
	r = places__user(&g->places, s.user, &key->user);
	if (r || *places__text(&g->places, key->user))
		return r;
	/* the system call says more of the program than where in the kernel it waited */
	if (cause_has_syscall(key->cause))
		key->sysno = w->sysno;
	return key->sysno < 0 ? places__kernel(&g->places, s.kernel, &key->kernel) : 0;
}

/* The order of waits must not matter, so the leaf with the smaller numbers wins among equals. */
static bool is_before(const struct leaf *a, const struct leaf *b)
{
	if (a->ns != b->ns)
		return a->ns > b->ns;
	if (a->sysno != b->sysno)
		return a->sysno < b->sysno;
	return a->state != b->state ? a->state < b->state : a->class < b->class;
}

static int add_leaf(struct grouping *g, struct group *group, u32 wait)
{
	const struct profile_wait *w = &g->p->waits[wait];
	struct wait_stacks s = wait_stacks_of(g->p, wait, 0);
	struct leaf leaf = { .ns = wait_ns(w), .state = w->state };
	int r;

	leaf.class = causes__class(&g->causes, wait);
	leaf.sysno = cause_has_syscall(group->key.cause) ? w->sysno : -1;
	if (group->leaf.ns && !is_before(&leaf, &group->leaf))
		return 0;
	r = places__kernel(&g->places, s.kernel, &leaf.kernel);
	if (!r)
		r = places__library(&g->places, s.user, &leaf.library);
	group->leaf = leaf;
	return r;
}

static bool is_idle_of_group(const struct grouping *g, u32 wait)
{
	return g->idle_apart && g->named.by != GROUP_BY_CLASS &&
	       causes__class(&g->causes, wait) == CLASS_IDLE;
}

static int add_task(struct grouping *g, u32 task)
{
	const struct profile_task *t = &g->p->tasks[task];
	struct group fresh = { 0 }, *group;
	char name[GROUP_NAME_SZ];
	u32 id;
	int r;

	groups__of_task(&g->named, task, name, sizeof(name));
	r = strtab__add(&g->names, name, &fresh.key.group);
	if (!r)
		r = intern__add(&g->groups, &fresh, &id);
	if (r)
		return r;
	group = intern__at(&g->groups, id);
	group->on_ns += t->on_ns;
	group->wall_ns += t->wall_ns;
	return 0;
}

/* Whether all of a thread's time on a CPU is in one group. */
static bool has_whole_threads(const struct grouping *g)
{
	if (g->by != TOP_BY_GROUP)
		return g->by == TOP_BY_CAUSE;
	return group_is_of_threads(g->named.by) || g->named.by == GROUP_BY_CAUSE ||
	       g->named.by == GROUP_BY_CLASS;
}

/* The shares of a thread's time on a CPU are estimated; their sum is exact. */
static bool is_exact(const struct grouping *g, const struct profile_wait *w)
{
	return w->flags & WAIT_ON_CPU && !g->p->hdr.filtered && has_whole_threads(g);
}

static int add_wait(struct grouping *g, u32 wait)
{
	const struct profile_wait *w = &g->p->waits[wait];
	struct group fresh = { 0 };
	struct group *group;
	u32 id, i;
	int r = key_of(g, wait, &fresh.key);

	if (!r)
		r = intern__add(&g->groups, &fresh, &id);
	if (r)
		return r;
	g->of_wait[wait] = id;
	group = intern__at(&g->groups, id);
	if (is_idle_of_group(g, wait)) {
		group->idle_ns += w->blocked_ns + w->runq_ns;
		return 0;
	}
	group->blocked_ns += w->blocked_ns;
	group->runq_ns += w->runq_ns;
	group->hot_ns += w->on_ns;
	group->count += w->count;
	group->summed |= (w->flags & WAIT_SUMMED) != 0;
	group->uncounted |= wait_is_uncounted(w);
	group->samples += w->samples;
	if (!is_exact(g, w))
		group->var_us2 = estimate_add_var(group->var_us2, w->var_us2);
	if (group->max_ns < w->max_ns)
		group->max_ns = w->max_ns;
	for (i = 0; i < PROFILE_HIST_LEN; i++)
		group->hist[i] += w->hist[i];
	if (g->by != TOP_BY_PLACE)
		return 0;
	r = add_leaf(g, group, wait);
	return r ? r : dominant__add(&g->dominant, g->p, id, wait);
}

u64 top_row__ns(const struct top_row *row)
{
	return row->blocked_ns + row->runq_ns + row->hot_ns;
}

static int copy_text(struct arena *a, const char *text, const char **ret_copy)
{
	*ret_copy = arena__strdup(a, text);
	return *ret_copy ? 0 : -ENOMEM;
}

/* Most of a row's time must be for it: the largest of many small parts says nothing. */
static bool is_dominant(const struct dominant_sum *sum, const struct top_row *row)
{
	return sum->ns && sum->ns >= (top_row__ns(row) + 1) / 2;
}

static int add_owner(const struct grouping *g, u32 group, struct arena *a, struct top_row *row)
{
	const struct dominant_sum *owner = &g->owners[group];
	struct profile_wait held = { .owner = owner->task, .owner_tid = owner->tid };
	char label[OBJECT_LABEL_SZ];

	row->owner_ns = owner->ns;
	if (!is_dominant(owner, row))
		return 0;
	row->owner_time = owner_times__of(&g->owner_times, owner->task);
	return copy_text(a, owner_label(g->p, &held, label, sizeof(label)), &row->owner);
}

static int to_row(const struct grouping *g, u32 id, struct arena *a, struct top_row *row)
{
	const struct group *group = intern__at(&g->groups, id);
	bool place = g->by == TOP_BY_PLACE;
	int r;

	row->cause = group->key.cause;
	row->class = place ? group->leaf.class : group->key.class;
	row->state = place ? group->leaf.state : group->key.state;
	row->syscall = syscall_name(profile__str(g->p, g->p->hdr.arch),
				    place ? group->leaf.sysno : group->key.sysno);
	row->idle_ns = group->idle_ns;
	row->blocked_ns = group->blocked_ns;
	row->runq_ns = group->runq_ns;
	row->hot_ns = group->hot_ns;
	row->count = group->uncounted ? 0 : group->count;
	row->max_ns = group->max_ns;
	row->is_of_tasks = profile_header__is_of_tasks(&g->p->hdr);
	row->summed = group->summed;
	row->samples = group->samples;
	row->var_us2 = group->var_us2;
	row->on_ns = group->on_ns;
	row->wall_ns = group->wall_ns;
	memcpy(row->hist, group->hist, sizeof(row->hist));
	if (g->by == TOP_BY_GROUP)
		return copy_text(a, strtab__get(&g->names, group->key.group), &row->group);
	if (g->by != TOP_BY_PLACE)
		return 0;
	r = copy_text(a, profile__str(g->p, group->key.comm), &row->comm);
	if (!r)
		r = copy_text(a, places__text(&g->places, group->leaf.library), &row->library);
	if (!r)
		r = copy_text(a, places__text(&g->places, group->key.user), &row->user);
	if (!r)
		r = copy_text(a, places__text(&g->places, group->leaf.kernel), &row->kernel);
	if (!r && *strtab__get(&g->names, group->key.object))
		r = copy_text(a, strtab__get(&g->names, group->key.object), &row->object);
	return r ? r : add_owner(g, id, a, row);
}

const char *top_row__hint(const struct top_row *row)
{
	if (row->class == CLASS_BAD)
		return "it blocks an event loop and everything it serves: "
		       "move it to another thread";
	if (row->class != CLASS_WORK)
		return "";
	return row->is_of_tasks ? cause_task_hint((enum cause)row->cause) :
				  cause_hint((enum cause)row->cause);
}

static int compare_u64_down(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int longest_first(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	int r = (x->class == CLASS_IDLE) - (y->class == CLASS_IDLE);

	if (!r)
		r = compare_u64_down(top_row__ns(x), top_row__ns(y));
	if (!r)
		r = compare_u64_down(x->idle_ns, y->idle_ns);
	if (!r)
		r = compare_u64_down(x->count, y->count);
	if (!r)
		r = strcmp(cause_name(x->cause), cause_name(y->cause));
	if (!r)
		r = (int)x->class - (int)y->class;
	if (!r)
		r = compare_text(x->syscall, y->syscall);
	if (!r)
		r = compare_u64_down(y->state, x->state);
	if (!r)
		r = compare_text(x->comm, y->comm);
	if (!r)
		r = compare_text(x->group, y->group);
	if (!r)
		r = compare_text(x->library, y->library);
	if (!r)
		r = compare_text(x->user, y->user);
	if (!r)
		r = compare_text(x->object, y->object);
	return r ? r : compare_text(x->kernel, y->kernel);
}

/* Converts groups to rows of the table. */
static int number_waits(const struct grouping *g, struct top *top)
{
	u32 *place = mem_array((size_t)top->len + 1, sizeof(*place)), i;

	if (!place)
		return -ENOMEM;
	for (i = 0; i < top->len; i++)
		place[top->rows[i].id] = i;
	for (i = 1; i < g->p->waits_len; i++)
		g->of_wait[i] = place[g->of_wait[i]];
	top->row_of_wait = g->of_wait;
	mem_free(place);
	return 0;
}

static int freeze(struct grouping *g, struct arena *a, struct top *top)
{
	u32 len = intern__len(&g->groups) - 1, i;
	int r;

	g->owners = mem_array(len + 1, sizeof(*g->owners));
	if (!g->owners)
		return -ENOMEM;

	top->rows = arena__array(a, len, sizeof(*top->rows));
	if (!top->rows)
		return -ENOMEM;
	if (g->by == TOP_BY_PLACE && owner_times__init(&g->owner_times, g->p, &g->causes))
		return -ENOMEM;
	if (g->by == TOP_BY_PLACE)
		dominant__of_groups(&g->dominant, g->owners, len + 1);
	for (i = 0; i < len; i++) {
		r = to_row(g, i + 1, a, &top->rows[i]);
		if (r)
			return r;
		top->rows[i].id = i + 1;
		top->blocked_ns += top->rows[i].blocked_ns;
		top->runq_ns += top->rows[i].runq_ns;
		top->hot_ns += top->rows[i].hot_ns;
		top->idle += top->rows[i].class == CLASS_IDLE;
	}
	top->len = len;
	if (len)
		qsort(top->rows, len, sizeof(*top->rows), longest_first);
	return number_waits(g, top);
}

static int gather(struct grouping *g, enum group_by named, struct arena *a, struct top *top)
{
	u32 i;
	int r = causes__recall(&g->causes, g->p, g->memo, NULL);

	g->of_wait = arena__array(a, g->p->waits_len, sizeof(*g->of_wait));
	g->label_of_object = mem_array((size_t)g->p->objects_len + 1, sizeof(u32));
	if (!g->of_wait || !g->label_of_object)
		r = -ENOMEM;
	if (!r)
		r = labels__init(&g->labels, g->p, NULL);
	if (!r)
		r = places__init(&g->places, g->p, &g->labels, NULL);
	if (!r)
		r = groups__init(&g->named, g->p, named, g->memo, NULL);
	if (!r)
		r = strtab__init(&g->names);
	if (!r)
		r = dominant__init(&g->dominant);
	if (!r)
		r = intern__init(&g->groups, sizeof(struct group), sizeof(struct group_key));
	for (i = 1; i < g->p->waits_len && !r; i++)
		r = add_wait(g, i);
	for (i = 1; i < g->p->tasks_len && !r && g->by == TOP_BY_GROUP; i++)
		r = group_is_of_threads(named) ? add_task(g, i) : 0;
	return r ? r : freeze(g, a, top);
}

static int build(struct grouping *g, enum group_by named, struct arena *a, struct top *ret_top)
{
	int r;

	memset(ret_top, 0, sizeof(*ret_top));
	r = gather(g, named, a, ret_top);
	intern__done(&g->groups);
	dominant__done(&g->dominant);
	owner_times__done(&g->owner_times);
	mem_free(g->label_of_object);
	mem_free(g->owners);
	strtab__done(&g->names);
	groups__done(&g->named);
	places__done(&g->places);
	labels__done(&g->labels);
	causes__done(&g->causes);
	return r;
}

int top__build(const struct profile *p, enum top_by by, struct cause_memo *memo, struct arena *a,
	       struct top *ret_top, struct err *err)
{
	struct grouping g = { .p = p, .by = by, .memo = memo };

	return build(&g, GROUP_BY_COMM, a, ret_top) ? err__nomem(err) : 0;
}

int top__build_groups(const struct profile *p, struct top_groups wish, struct cause_memo *memo,
		      struct arena *a, struct top *ret_top, struct err *err)
{
	struct grouping g = { .p = p, .by = TOP_BY_GROUP, .memo = memo };

	g.idle_apart = wish.idle_apart;
	return build(&g, wish.by, a, ret_top) ? err__nomem(err) : 0;
}

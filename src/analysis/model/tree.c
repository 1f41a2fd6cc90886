/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges stacks into a tree in one pass. The stacks of a profile are already a trie, so a stack
 * node below the same base always becomes the same tree node. This is cached, and each pair of
 * (base, stack node) is looked up by name only once. Below a new base only the leaf is cached: most
 * of these get no second stack. Nodes get ids in order of arrival, parents first, as preorder.h
 * requires, and in preorder, totals are one backward loop.
 */
#include "analysis/model/tree.h"

#include <errno.h>

#include "analysis/name/label.h"
#include "analysis/view/preorder.h"
#include "analysis/view/wait_stacks.h"
#include "analysis/view/wake_view.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/mem.h"
#include "profile/estimate.h"

/* A node while the tree grows; the first three fields are its key. Most are inner nodes. */
struct grow_node {
	u32 parent;
	u32 name;
	u32 kind;
	u32 sums; /* index; 0: none */
};

/* Of the waits at a node. */
struct grow_sums {
	u64 self_ns;
	u64 count;
	u64 samples;
	u64 on_ns;
	u64 on_samples;
	u64 var_us2;
	u64 exact_ns; /* groups, if totals are shown */
	bool uncounted;
};

struct grow {
	const struct profile *p;
	const struct tree_options *opt;
	struct groups groups;
	struct causes causes; /* if waits for work are kept apart */
	struct labels labels; /* with the names of groups and notes added */
	struct intern nodes;
	struct vec sums; /* struct grow_sums, [0] is zero */
	struct map64 known; /* base << 32 | stack: tree node, a cache */
	struct vec path; /* u32 stack nodes on the way to the root */
	u32 *of_wait; /* as in struct tree; contains ids until nodes are placed */
	u32 fresh; /* nodes from here on were created for the current wait */
};

static int child_of(struct grow *g, u32 parent, u32 name, u32 kind, u32 *ret_node)
{
	struct grow_node n = { .parent = parent, .name = name, .kind = kind };

	return intern__add(&g->nodes, &n, ret_node);
}

/* For the caller to add to; NULL when out of memory. */
static struct grow_sums *sums_of(struct grow *g, u32 node)
{
	struct grow_node *n = intern__at(&g->nodes, node);

	if (n->sums)
		return vec__at(&g->sums, n->sums);
	n->sums = (u32)g->sums.len;
	return vec__push(&g->sums);
}

static int child_named(struct grow *g, u32 parent, const char *name, u32 kind, u32 *ret_node)
{
	u32 id;
	int r = strtab__add(&g->labels.names, name, &id);

	return r ? r : child_of(g, parent, id, kind, ret_node);
}

/* A word between stacks: a mark, a reason, or the name of a waker. */
static enum tree_kind kind_of_note(const char *name)
{
	if (strcmp(name, WAKER_MARK) == 0)
		return TREE_MARK;
	return *name == '[' ? TREE_NOTE : TREE_WAKER;
}

enum tree_kind tree_kind_of_frame(const struct profile *p, u32 frame)
{
	const struct profile_frame *f = &p->frames[frame];

	if (f->flags & FRAME_NOTE)
		return kind_of_note(profile__str(p, f->name));
	if (f->flags & FRAME_KERNEL)
		return TREE_KERNEL;
	if (f->flags & FRAME_TRUNCATED)
		return TREE_TRUNCATED;
	if (f->flags & FRAME_INLINED)
		return TREE_INLINED;
	return p->modules[f->module].kind == MODULE_CODE ? TREE_CODE : TREE_USER;
}

static enum tree_kind kind_of_node(const struct profile *p, const struct profile_stack *s)
{
	if (s->flags & STACK_WAKER && !(p->frames[s->frame].flags & (FRAME_NOTE | FRAME_TRUNCATED)))
		return TREE_WAKER;
	return tree_kind_of_frame(p, s->frame);
}

/* Adds the frames of a stack below `base`. */
static int add_stack(struct grow *g, u32 base, u32 stack, u32 *ret_node)
{
	bool fresh = base >= g->fresh;
	u64 known = base;
	u32 at, node;
	int r;

	vec__reset(&g->path);
	for (at = stack; at; at = g->p->stacks[at].parent) {
		u32 *slot;

		if (!fresh && map64__get(&g->known, (u64)base << 32 | at, &known))
			break;
		slot = vec__push(&g->path);
		if (!slot)
			return -ENOMEM;
		*slot = at;
	}
	node = at ? (u32)known : base;
	while (g->path.len) {
		const struct profile_stack *s;

		at = *(u32 *)vec__at(&g->path, --g->path.len);
		s = &g->p->stacks[at];
		r = child_of(g, node, labels__id(&g->labels, s->frame), kind_of_node(g->p, s),
			     &node);
		if (!r && (!fresh || !g->path.len))
			r = map64__set(&g->known, (u64)base << 32 | at, node);
		if (r)
			return r;
	}
	*ret_node = node;
	return 0;
}

static int add_wait_group(struct grow *g, u32 wait, u32 parent, u32 *ret_node)
{
	char name[GROUP_NAME_SZ];

	groups__of_wait(&g->groups, wait, name, sizeof(name));
	return child_named(g, parent, name, TREE_GROUP, ret_node);
}

static int add_user_side(struct grow *g, const struct wait_stacks *s, u32 *node)
{
	if (s->user_missed)
		return child_named(g, *node, NOTE_MISSED_USER, TREE_NOTE, node);
	return s->user ? add_stack(g, *node, s->user, node) : 0;
}

static int add_kernel_side(struct grow *g, const struct wait_stacks *s, u32 *node)
{
	int r = 0;

	if (s->kernel_missed)
		return child_named(g, *node, NOTE_MISSED_KERNEL, TREE_NOTE, node);
	if (!s->kernel)
		return 0;
	if (g->opt->delimiter && s->user)
		r = child_named(g, *node, "-", TREE_MARK, node);
	if (!r && g->p->stacks[s->kernel].flags & STACK_CUT)
		r = child_named(g, *node, NOTE_CUT, TREE_NOTE, node);
	return r ? r : add_stack(g, *node, s->kernel, node);
}

/* Adds the frames of a stack from its leaf on, below *node. */
static int add_stack_up(struct grow *g, u32 stack, u32 *node)
{
	int r = 0;

	for (; stack && !r; stack = g->p->stacks[stack].parent) {
		const struct profile_stack *s = &g->p->stacks[stack];

		r = child_of(g, *node, labels__id(&g->labels, s->frame), kind_of_node(g->p, s),
			     node);
	}
	return r;
}

static int add_kernel_side_up(struct grow *g, const struct wait_stacks *s, u32 *node)
{
	int r;

	if (s->kernel_missed)
		return child_named(g, *node, NOTE_MISSED_KERNEL, TREE_NOTE, node);
	r = add_stack_up(g, s->kernel, node);
	if (!r && g->p->stacks[s->kernel].flags & STACK_CUT)
		r = child_named(g, *node, NOTE_CUT, TREE_NOTE, node);
	if (!r && g->opt->delimiter && s->user && s->kernel)
		r = child_named(g, *node, "-", TREE_MARK, node);
	return r;
}

/* One function both ran and waited: a leaf shows which. */
static int add_on_cpu(struct grow *g, const struct wait_stacks *s, u32 *node)
{
	if (!s->on_cpu || g->opt->view != VIEW_WALL)
		return 0;
	return child_named(g, *node, NOTE_ON_CPU, TREE_ON_CPU, node);
}

static int add_path_up(struct grow *g, u32 wait, const struct wait_stacks *s, u32 *node)
{
	int r = add_on_cpu(g, s, node);

	if (!r)
		r = add_kernel_side_up(g, s, node);
	if (!r && s->user_missed)
		r = child_named(g, *node, NOTE_MISSED_USER, TREE_NOTE, node);
	if (!r)
		r = add_stack_up(g, s->user, node);
	if (!r && s->lost)
		r = child_named(g, *node, s->lost, TREE_NOTE, node);
	return r ? r : add_wait_group(g, wait, *node, node);
}

/* -ENOMEM or 0. */
static int add_exact_ns(struct grow *g, u32 node, u64 ns)
{
	struct grow_sums *sums = sums_of(g, node);

	if (!sums)
		return -ENOMEM;
	sums->exact_ns += ns;
	return 0;
}

static int add_path(struct grow *g, u32 wait, const struct wait_stacks *s, u32 *node)
{
	const struct profile_wait *w = &g->p->waits[wait];
	int r = 0;

	if (g->opt->idle_apart && causes__class(&g->causes, wait) == CLASS_IDLE)
		r = child_named(g, *node, TREE_IDLE, TREE_GROUP, node);
	if (!r)
		r = add_wait_group(g, wait, *node, node);
	if (!r && !w->task) /* no thread is known, so no total */
		r = add_exact_ns(g, *node, wait_ns(w));
	if (!r && s->lost)
		r = child_named(g, *node, s->lost, TREE_NOTE, node);
	if (!r)
		r = add_user_side(g, s, node);
	if (!r)
		r = add_kernel_side(g, s, node);
	return r ? r : add_on_cpu(g, s, node);
}

static int add_wait(struct grow *g, u32 wait)
{
	const struct profile_wait *w = &g->p->waits[wait];
	struct wait_stacks s = wait_stacks_of(g->p, wait, g->opt->sides);
	struct grow_sums *n;
	u32 node = 0;
	int r;

	g->fresh = intern__len(&g->nodes);
	r = g->opt->invert ? add_path_up(g, wait, &s, &node) : add_path(g, wait, &s, &node);
	if (r)
		return r;
	g->of_wait[wait] = node;
	n = sums_of(g, node);
	if (!n)
		return -ENOMEM;
	n->self_ns += wait_ns(w);
	n->count += w->count;
	n->uncounted |= wait_is_uncounted(w);
	n->on_ns += w->on_ns;
	if (w->flags & WAIT_ON_CPU)
		n->on_samples += w->samples;
	else
		n->samples += w->samples;
	n->var_us2 = estimate_add_var(n->var_us2, w->var_us2);
	return 0;
}

/* If waits were filtered out, the list covers only part of the totals. */
static bool has_exact(const struct grow *g)
{
	bool estimated = profile__is_sampled(g->p) || g->opt->view >= VIEW_ON;

	return estimated && !g->p->hdr.filtered && !g->opt->invert && !g->opt->idle_apart &&
	       group_is_of_threads(g->groups.by);
}

/* A group appears even without a chosen wait. */
static int add_exact(struct grow *g, u32 task)
{
	const struct profile_task *t = &g->p->tasks[task];
	u64 ns = time_view_task_ns(g->opt->view, t);
	char name[GROUP_NAME_SZ];
	u32 node;
	int r;

	if (!ns)
		return 0;
	groups__of_task(&g->groups, task, name, sizeof(name));
	r = child_named(g, 0, name, TREE_GROUP, &node);
	return r ? r : add_exact_ns(g, node, ns);
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct grow *g = arg;
	const struct grow_node *x = intern__at(&g->nodes, *(const u32 *)a);
	const struct grow_node *y = intern__at(&g->nodes, *(const u32 *)b);
	int r;

	r = strcmp(strtab__get(&g->labels.names, x->name), strtab__get(&g->labels.names, y->name));
	if (r)
		return r;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* FNV-1a. The hash is in URLs, so it must never change. */
u64 tree_path_hash(u64 parent, u32 kind, const char *name)
{
	u64 h = (parent ^ kind) * 0x100000001b3ULL;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x100000001b3ULL;
	return h;
}

static u32 parent_of(const void *tree, u32 id)
{
	const struct grow *g = tree;

	return ((const struct grow_node *)intern__at(&g->nodes, id))->parent;
}

static void place_node(const struct grow *g, const struct preorder *o, u32 id, struct tree *t)
{
	const struct grow_node *from = intern__at(&g->nodes, id);
	const struct grow_sums *sums = vec__at(&g->sums, from->sums);
	struct tree_node *to, *parent;

	to = &t->nodes[o->place[id]];
	parent = &t->nodes[o->place[from->parent]];
	to->kind = from->kind;
	to->parent = o->place[from->parent];
	to->depth = parent->depth + 1;
	to->end = o->place[id] + o->size[id];
	to->self_ns = to->total_ns = sums->self_ns;
	to->count = sums->count;
	to->uncounted = sums->uncounted;
	to->samples = sums->samples;
	to->on_ns = sums->on_ns;
	to->on_samples = sums->on_samples;
	to->var_us2 = sums->var_us2;
	to->exact_ns = sums->exact_ns;
	if (to->depth > t->depth)
		t->depth = to->depth;
}

/* One copy of each name in the arena. */
static int copy_names(const struct grow *g, const struct preorder *o, struct arena *a,
		      struct tree *t)
{
	u32 names_len = strtab__len(&g->labels.names), i;
	char **names = mem_array(names_len, sizeof(*names));
	int r = names ? 0 : -ENOMEM;

	for (i = 0; i < t->len && !r; i++) {
		const struct grow_node *n = intern__at(&g->nodes, i);

		if (!names[n->name])
			names[n->name] = arena__strdup(a, strtab__get(&g->labels.names, n->name));
		if (!names[n->name])
			r = -ENOMEM;
		t->nodes[o->place[i]].name = names[n->name];
	}
	mem_free(names);
	return r;
}

/* Preorder: children come after their parents. */
static void add_up(const struct grow *g, struct tree *t)
{
	bool exact = has_exact(g);
	u32 i;

	for (i = t->len; i-- > 0;) {
		struct tree_node *n = &t->nodes[i], *parent = &t->nodes[n->parent];

		if (!exact || n->depth > 1)
			n->exact_ns = n->total_ns;
		else
			n->var_us2 = 0;
		if (n->uncounted)
			n->count = 0;
		if (!i)
			break;
		parent->total_ns += n->total_ns;
		parent->count += n->count;
		parent->uncounted |= n->uncounted;
		parent->samples += n->samples;
		parent->on_ns += n->on_ns;
		parent->on_samples += n->on_samples;
		parent->var_us2 = estimate_add_var(parent->var_us2, n->var_us2);
		if (exact && n->depth == 1)
			parent->exact_ns += n->exact_ns;
	}
}

static int finish(struct grow *g, const struct preorder *o, struct arena *a, struct tree *t)
{
	u32 i;
	int r;

	t->nodes[0].end = t->len;
	for (i = 0; i + 1 < t->len; i++)
		place_node(g, o, o->sorted[i], t);
	r = copy_names(g, o, a, t);
	if (r)
		return r;
	t->nodes[0].path_hash = TREE_ROOT_HASH;
	for (i = 1; i < t->len; i++) {
		struct tree_node *n = &t->nodes[i];

		n->path_hash = tree_path_hash(t->nodes[n->parent].path_hash, n->kind, n->name);
	}
	for (i = 1; i < g->p->waits_len; i++)
		g->of_wait[i] = o->place[g->of_wait[i]];
	t->of_wait = g->of_wait;
	add_up(g, t);
	return 0;
}

static int freeze(struct grow *g, struct arena *a, struct tree *t)
{
	struct preorder_of of = { .parent = parent_of, .compare = by_name, .tree = g };
	struct preorder o;
	int r;

	t->len = of.len = intern__len(&g->nodes);
	t->nodes = arena__array(a, t->len, sizeof(*t->nodes));
	r = preorder__init(&o, &of);
	if (!t->nodes)
		r = -ENOMEM;
	if (!r)
		r = finish(g, &o, a, t);
	preorder__done(&o);
	return r;
}

int tree__build(const struct profile *p, const struct tree_options *opt, struct arena *a,
		struct tree *ret_tree, struct err *err)
{
	struct grow g = { .p = p, .opt = opt };
	u32 i;
	int r;

	memset(ret_tree, 0, sizeof(*ret_tree));
	map64__init(&g.known);
	vec__init(&g.path, sizeof(u32));
	vec__init(&g.sums, sizeof(struct grow_sums));
	r = groups__init(&g.groups, p, opt->root, opt->memo, NULL);
	if (!r && opt->idle_apart)
		r = causes__recall(&g.causes, p, opt->memo, NULL);
	g.of_wait = arena__array(a, p->waits_len, sizeof(*g.of_wait));
	if (!g.of_wait || !vec__push(&g.sums))
		r = -ENOMEM;
	if (!r)
		r = labels__init(&g.labels, p, NULL);
	if (!r)
		r = intern__init(&g.nodes, sizeof(struct grow_node),
				 offsetof(struct grow_node, sums));
	for (i = 1; i < p->waits_len && !r; i++)
		r = add_wait(&g, i);
	for (i = 1; i < p->tasks_len && !r && has_exact(&g); i++)
		r = add_exact(&g, i);
	if (!r)
		r = freeze(&g, a, ret_tree);
	intern__done(&g.nodes);
	vec__done(&g.path);
	vec__done(&g.sums);
	map64__done(&g.known);
	labels__done(&g.labels);
	groups__done(&g.groups);
	causes__done(&g.causes);
	return r ? err__nomem(err) : 0;
}

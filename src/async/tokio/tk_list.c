/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To follow a list is a system call for each task. So those that were there before are read at
 * once, and the list is followed among these copies; only what is new, or does not fit together
 * because it changed meanwhile, is read on its own.
 */
#include "async/tokio/tk_list.h"

#include <errno.h>

#include "base/clock.h"

/* What is freed begins with a pointer, which is more. */
#define REFS_MAX (1U << 24)
#define BATCH (TASK_MEMORY_PIECES / 2)
/* A list that is changed under our hands is followed from its beginning so often. */
#define TRIES 8
/* So many copies are looked through for the next task: those between have ended. */
#define COPIES_AHEAD 8
/* Readings in which a place leads to no task. */
#define MISSES_MAX 2

/* A reading of one list. */
struct walk {
	struct tk_list *list;
	struct tk_layout *l;
	struct task_memory *mem;
	const struct tk_place *place;
	u64 owner; /* of its first task; 0: not known yet */
	u64 previous;
	size_t from; /* its first one in the nodes */
	size_t copy; /* where in `before` the next one should be */
};

void tk_list__init(struct tk_list *list)
{
	*list = (struct tk_list){ 0 };
	vec__init(&list->nodes, sizeof(struct tk_node));
	vec__init(&list->before, sizeof(struct tk_node));
}

void tk_list__done(struct tk_list *list)
{
	if (!list || !list->nodes.elem_sz)
		return;
	vec__done(&list->nodes);
	vec__done(&list->before);
}

bool tk_list__is_due(struct tk_list *list, u64 budget_ns)
{
	list->saved_ns += budget_ns;
	return list->saved_ns >= list->cost_ns;
}

static int failure(const struct task_memory *mem)
{
	return mem->denied ? -EACCES : -ESRCH;
}

static void take_header(struct tk_node *n, const u8 header[TK_HEADER_SZ])
{
	u64 refs;

	n->vtable = tk_word(header, TK_VTABLE);
	n->owner = tk_word(header, TK_OWNER);
	refs = tk_word(header, TK_STATE) >> TK_REF_SHIFT;
	n->ok = refs && refs <= REFS_MAX && n->owner;
}

static u64 links_of(const struct tk_layout *l, u64 at, const struct tk_type *type)
{
	return at + type->trailer + l->links;
}

void tk_node__read(struct tk_node *n, const struct tk_layout *l, struct task_memory *mem)
{
	u8 header[TK_HEADER_SZ];
	const struct tk_type *type;
	u64 links[2] = { 0 };

	n->ok = false;
	if (!n->at || n->at & 7 || !task_memory__read(mem, n->at, header, sizeof(header)))
		return;
	take_header(n, header);
	type = tk_layout__type(l, n->vtable);
	n->ok = n->ok && type &&
		task_memory__read(mem, links_of(l, n->at, type), links, sizeof(links));
	n->previous = links[0];
	n->next = links[1];
}

/* So many of those that are known, as of now. */
static void refresh(struct tk_node *nodes, size_t n, const struct tk_layout *l,
		    struct task_memory *mem)
{
	struct task_piece pieces[2 * BATCH];
	u8 headers[BATCH][TK_HEADER_SZ];
	u64 links[BATCH][2];

	for (size_t i = 0; i < n; i++) {
		const struct tk_type *type = tk_layout__type(l, nodes[i].vtable);

		pieces[2 * i] = (struct task_piece){ nodes[i].at, headers[i], TK_HEADER_SZ, false };
		pieces[2 * i + 1] = (struct task_piece){ type ? links_of(l, nodes[i].at, type) : 0,
							 links[i], TK_LINKS_SZ, false };
	}
	task_memory__read_pieces(mem, pieces, 2 * n);
	for (size_t i = 0; i < n; i++) {
		u64 vtable = nodes[i].vtable;

		nodes[i].ok = false;
		if (!pieces[2 * i].ok || !pieces[2 * i + 1].ok)
			continue;
		take_header(&nodes[i], headers[i]);
		nodes[i].ok = nodes[i].ok && nodes[i].vtable == vtable;
		nodes[i].previous = links[i][0];
		nodes[i].next = links[i][1];
	}
}

void tk_nodes__read(struct tk_node *nodes, size_t n, const struct tk_layout *l,
		    struct task_memory *mem)
{
	for (size_t i = 0; i < n; i += BATCH)
		refresh(nodes + i, n - i < BATCH ? n - i : BATCH, l, mem);
}

/* What was there before, as of now. */
static void refresh_all(struct tk_list *list, const struct tk_layout *l, struct task_memory *mem)
{
	struct vec before = list->nodes;

	list->nodes = list->before;
	list->before = before;
	vec__reset(&list->nodes);
	if (before.len)
		tk_nodes__read(vec__at(&before, 0), before.len, l, mem);
}

static bool fits(const struct walk *w, const struct tk_node *n)
{
	return n->ok && n->previous == w->previous && (!w->owner || n->owner == w->owner);
}

/* The copy of a task: lists mostly stay as they are, so it is one of the next. */
static struct tk_node *copy_of(struct walk *w, u64 at)
{
	for (size_t i = w->copy; i < w->list->before.len && i < w->copy + COPIES_AHEAD; i++) {
		struct tk_node *n = vec__at(&w->list->before, i);

		if (n->at != at)
			continue;
		w->copy = i + 1;
		return n;
	}
	return NULL;
}

/* The task at an address, if it is the next one of the list. */
static bool step(struct walk *w, u64 at, struct tk_node *ret)
{
	const struct tk_node *copy = copy_of(w, at);

	if (copy && fits(w, copy)) {
		*ret = *copy;
		return true;
	}
	*ret = (struct tk_node){ .at = at };
	tk_node__read(ret, w->l, w->mem);
	return fits(w, ret);
}

/* The next try reads it again. */
static void forget_copy(struct walk *w, u64 at)
{
	struct tk_node *n = w->copy ? vec__at(&w->list->before, w->copy - 1) : NULL;

	if (n && n->at == at)
		n->ok = false;
}

/*
 * A copy may be older than the removal of the task behind it: what `*at` should be now, by the task
 * before it or the words of the list. False: the same.
 */
static bool correct(struct walk *w, u64 *at)
{
	size_t len = w->list->nodes.len;
	struct tk_node *last = len > w->from ? vec__at(&w->list->nodes, len - 1) : NULL;
	struct tk_node now;
	u64 was = *at;

	if (!last)
		return task_memory__read(w->mem, w->place->at, at, sizeof(*at)) && *at != was;
	now = (struct tk_node){ .at = last->at };
	tk_node__read(&now, w->l, w->mem);
	if (!now.ok || now.previous != last->previous || now.owner != last->owner) {
		forget_copy(w, last->at);
		return false;
	}
	*last = now;
	*at = now.next;
	return *at != was;
}

/* The task at `*at`, or at what that is by now. */
static bool advance(struct walk *w, u64 *at, struct tk_node *ret)
{
	for (u32 i = 0; *at && i < TRIES; i++) {
		if (step(w, *at, ret))
			return true;
		if (!correct(w, at))
			return false;
	}
	return false;
}

/*
 * *ret_broken: it leads to what is no task of it. There is no circle, as each must point back to
 * the one before it, and the first to none. -ENOMEM or 0.
 */
static int follow(struct walk *w, u64 first, bool *ret_broken)
{
	struct vec *nodes = &w->list->nodes;
	struct tk_node n;

	w->previous = 0;
	for (u64 at = first; at; at = n.next) {
		struct tk_node *slot;

		*ret_broken = nodes->len >= TK_LIST_MAX || !advance(w, &at, &n);
		if (*ret_broken) {
			*ret_broken = at != 0;
			return 0;
		}
		slot = vec__push(nodes);
		if (!slot)
			return -ENOMEM;
		*slot = n;
		w->owner = n.owner;
		w->previous = at;
	}
	*ret_broken = false;
	return 0;
}

/* A copy of what another place holds, or that one. */
static bool was_read(const struct tk_layout *l, const struct tk_place *place, u64 first)
{
	const struct tk_place *other = vec__at(&l->places, 0);

	for (; first && other < place; other++) {
		if (other->first == first)
			return true;
	}
	return false;
}

static void count_lost(struct tk_list *list, struct tk_place *place, size_t found)
{
	list->lost += place->len > found ? place->len - found : 1;
}

static int read_list(struct tk_list *list, struct tk_layout *l, struct task_memory *mem,
		     struct tk_place *place)
{
	size_t from = list->nodes.len, copy = place->from;
	struct walk w = { .list = list, .l = l, .mem = mem, .place = place, .from = from };
	bool broken = true;
	int r = 0;

	place->from = from;
	for (u32 i = 0; !r && broken && i < TRIES; i++) {
		list->nodes.len = from;
		if (!task_memory__read(mem, place->at, &place->first, sizeof(place->first)))
			break;
		if (was_read(l, place, place->first))
			return 0;
		w.owner = place->owner;
		w.copy = copy;
		r = follow(&w, place->first, &broken);
	}
	place->missed = broken && list->nodes.len == from ? place->missed + 1 : 0;
	if (!broken)
		place->len = list->nodes.len - from;
	else if (!place->missed)
		count_lost(list, place, list->nodes.len - from);
	return r;
}

/* What is no list any more is of a runtime that has ended. */
static void drop_places(struct tk_layout *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->places.len; i++) {
		struct tk_place *place = vec__at(&l->places, i);

		if (place->missed < MISSES_MAX)
			*(struct tk_place *)vec__at(&l->places, kept++) = *place;
	}
	l->places.len = kept;
}

int tk_list__read(struct tk_list *list, struct tk_layout *l, struct task_memory *mem)
{
	u64 before_ns = clock_thread_cpu_ns();
	int r = 0;

	refresh_all(list, l, mem);
	list->lost = 0;
	for (size_t i = 0; !r && i < l->places.len; i++)
		r = read_list(list, l, mem, vec__at(&l->places, i));
	drop_places(l);
	list->saved_ns = 0;
	list->cost_ns = clock_thread_cpu_ns() - before_ns;
	return r ? r : mem->gone || mem->denied ? failure(mem) : 0;
}

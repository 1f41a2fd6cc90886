/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task is freed when it is over, and its memory may soon be another task. So what is in the lists
 * is read twice, and what differs in between is torn, and not read again: a second try would
 * succeed more often in long waits than in short ones.
 */
#include "async/tokio/tk_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "async/tokio/tk_search.h"
#include "base/clock.h"
#include "proc/maps.h"

#define JOIN_HANDLE "tokio::runtime::task::join::JoinHandle"

struct chunk {
	struct tk_reader *r;
	struct tk_tasks *t;
	struct task_memory *mem;
	const struct task_pass *pass;
	size_t n;
};

int tk_tasks__open(struct tk_tasks *t, int fd, const char *path, struct tk_shelf *shelf,
		   struct err *err)
{
	int r;

	*t = (struct tk_tasks){ .shelf = shelf };
	r = tk_program__open(&t->program, fd, path, err);
	if (r)
		return r;
	tk_layout__init(&t->layout);
	tk_list__init(&t->list);
	return 0;
}

void tk_tasks__done(struct tk_tasks *t)
{
	if (!t)
		return;
	tk_program__done(&t->program);
	tk_layout__done(&t->layout);
	tk_list__done(&t->list);
	*t = (struct tk_tasks){ 0 };
}

/* Once the types of its tasks are known. */
static int open_book(struct tk_tasks *t, const char *path)
{
	struct tk_book *book = NULL;
	struct vec polls;
	int r = 0;

	if (!t->shelf || t->book)
		return 0;
	vec__init(&polls, sizeof(u64));
	for (size_t i = 0; !r && i < t->layout.types.len; i++) {
		u64 *poll = vec__push(&polls);

		if (poll)
			*poll = ((const struct tk_type *)vec__at(&t->layout.types, i))->poll;
		else
			r = -ENOMEM;
	}
	if (!r)
		r = tk_shelf__get(t->shelf, t->program.image, path, polls.data, polls.len, &book);
	vec__done(&polls);
	t->book = book;
	return r;
}

/* The compiler must not have made one function of several types, and offsets must be the same. */
static const struct future_root *root_of(const struct tk_tasks *t, const struct tk_type *type)
{
	const struct vec *roots = &t->book->table.roots;

	if (!tk_program__is_single(&t->program, type->poll))
		return NULL;
	for (size_t i = 0; i < roots->len; i++) {
		const struct future_root *root = vec__at(roots, i);

		if (root->poll == type->poll && root->id == type->id &&
		    root->trailer == type->trailer)
			return root;
	}
	return NULL;
}

static void bind(struct tk_tasks *t)
{
	if (t->bound || !t->book || t->book->state != TK_BOOK_READ)
		return;
	for (size_t i = 0; i < t->layout.types.len; i++) {
		struct tk_type *type = vec__at(&t->layout.types, i);

		type->root = root_of(t, type);
	}
	t->bound = true;
}

static int find(struct tk_tasks *t, struct task_memory *mem, const struct maps *maps,
		struct err *err)
{
	const struct task_home home = task_home_of(maps);
	int r = 0;

	if (!home.program)
		return err__set(err, -EAGAIN, "its program is not mapped");
	if (!t->layout.types.len)
		r = tk_layout__find(&t->layout, &t->program, mem, &home, err);
	if (!r)
		r = open_book(t, home.program->path);
	if (!r)
		r = tk_search(&t->layout, mem, maps, &t->program, err);
	return r;
}

int tk_tasks__find(struct tk_tasks *t, struct task_memory *mem, struct err *err)
{
	struct maps maps;
	int r = 0;

	if (tk_search_is_due(&t->layout, clock_mono_ns())) {
		r = maps__read_all(&maps, mem->tgid, err);
		if (r)
			return r;
		r = find(t, mem, &maps, err);
		maps__done(&maps);
	}
	if (r || t->layout.places.len)
		return r;
	return err__set(err, -EAGAIN, "it has no tasks of Tokio now");
}

static u32 body_sz(const struct chunk *c, const struct tk_item *it)
{
	const struct vec *types = &c->t->book->table.types;
	const struct future_type *type = vec__at(types, it->type->root->type);

	return type->sz < TK_FUTURE_SZ ? type->sz : TK_FUTURE_SZ;
}

/* Headers and futures; `after`: the second time. */
static void read_items(struct chunk *c, bool after)
{
	struct task_piece pieces[2 * TK_CHUNK];
	size_t n = 0, of[TK_CHUNK];

	for (size_t i = 0; i < c->n; i++) {
		struct tk_item *it = &c->r->items[i];
		u8 *header = after ? it->after : it->before;

		of[i] = n;
		pieces[n++] = (struct task_piece){ it->node->at, header, TK_HEADER_SZ, false };
		if (it->type && it->type->root)
			pieces[n++] = (struct task_piece){ it->node->at + it->type->root->at,
							   it->body, body_sz(c, it), false };
	}
	task_memory__read_pieces(c->mem, pieces, n);
	for (size_t i = 0; i < c->n; i++) {
		struct tk_item *it = &c->r->items[i];
		size_t end = i + 1 < c->n ? of[i + 1] : n;

		*(after ? &it->again : &it->ok) = pieces[of[i]].ok && pieces[end - 1].ok;
	}
}

static enum task_state state_of(u64 state)
{
	if (state & TK_RUNNING)
		return TASK_RUNS;
	return state & TK_NOTIFIED ? TASK_READY : TASK_WAITS;
}

/* References come and go while it waits. */
static bool is_torn(const u8 *before, const u8 *after)
{
	return (tk_word(before, TK_STATE) & TK_FLAGS) != (tk_word(after, TK_STATE) & TK_FLAGS) ||
	       tk_word(before, TK_VTABLE) != tk_word(after, TK_VTABLE) ||
	       tk_word(before, TK_OWNER) != tk_word(after, TK_OWNER);
}

static void follow(struct chunk *c, const struct tk_item *it, struct tk_awaits *to)
{
	const struct future_root *root = it->type->root;
	const struct tk_body body = { .mem = c->mem,
				      .bias = c->t->layout.bias,
				      .at = it->node->at + root->at,
				      .bytes = it->body,
				      .sz = body_sz(c, it) };

	tk_awaits__read(to, &c->t->book->table, root->type, &body);
}

/* The task that a handle is of: "task shop::fetch"; it has a reference, so the task is there. */
static bool name_task(const struct chunk *c, u64 handle, char *buf, size_t sz)
{
	const struct tk_type *type;
	u8 header[TK_HEADER_SZ];
	u64 at;

	if (!task_memory__read(c->mem, handle, &at, sizeof(at)) ||
	    !task_memory__read(c->mem, at, header, sizeof(header)))
		return false;
	type = tk_layout__type(&c->t->layout, tk_word(header, TK_VTABLE));
	if (!type || !*type->name)
		return false;
	snprintf(buf, sz, "task %s", type->name);
	return true;
}

static void take_reason(const struct chunk *c, struct tk_item *it)
{
	const struct tk_awaits *a = &it->awaits;

	if (strcmp(a->leaf, JOIN_HANDLE) == 0 &&
	    name_task(c, a->leaf_at, it->reason, sizeof(it->reason)))
		return;
	snprintf(it->reason, sizeof(it->reason), "%.*s", TASK_REASON_SZ - 1,
		 *a->leaf ? a->leaf : "future");
}

static bool has_chain(const struct tk_item *it)
{
	return it->ok && it->type && it->type->root &&
	       !(tk_word(it->before, TK_STATE) & (TK_RUNNING | TK_COMPLETE)) &&
	       tk_word(it->before, TK_VTABLE) == it->type->addr;
}

/* Chains between the readings, and after them: what is behind pointers is read then. */
static void read_chains(struct chunk *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct tk_item *it = &c->r->items[i];

		if (!has_chain(it))
			continue;
		follow(c, it, &it->awaits);
		take_reason(c, it);
	}
	read_items(c, true);
	for (size_t i = 0; i < c->n; i++) {
		struct tk_item *it = &c->r->items[i];

		if (!has_chain(it) || !it->again)
			continue;
		follow(c, it, &c->r->second);
		it->changed = !tk_awaits__equal(&it->awaits, &c->r->second);
		if (it->awaits.far)
			it->again = task_memory__read(c->mem, it->node->at, it->after,
						      sizeof(it->after));
	}
}

/* The innermost functions, as many as are wanted. */
static void take_places(const struct chunk *c, const struct tk_awaits *a, struct task_seen *seen)
{
	const struct future_table *table = &c->t->book->table;
	u32 first = a->len > c->pass->depth ? a->len - c->pass->depth : 0;

	for (u32 i = first; i < a->len; i++) {
		const struct future_type *type = vec__at(&table->types, a->types[i]);
		const struct future_case *at = vec__at(&table->cases, a->awaits[i]);

		c->r->places[i - first] = (struct task_place){ type->name, at->file, at->line };
	}
	seen->places = c->r->places;
	seen->places_len = a->len - first;
	seen->cut = first;
}

/* A task that waits is at an .await; one that is ready may not have begun. */
static void take_chain(const struct chunk *c, const struct tk_item *it, struct task_seen *seen)
{
	bool bad = it->changed || it->awaits.end != TK_END_LEAF;

	if (seen->state == TASK_WAITS)
		seen->torn = seen->torn || bad;
	if (seen->torn || bad)
		return;
	take_places(c, &it->awaits, seen);
	if (seen->state == TASK_WAITS)
		seen->reason = it->reason;
}

static int show(struct chunk *c, const struct tk_item *it)
{
	const u8 *header = it->before;
	struct task_seen t = { .state = TASK_UNREAD, .weight = c->pass->one_in };
	u64 state = tk_word(header, TK_STATE);

	/* it was in a list a moment ago, and is over by now */
	if (!it->ok || !it->type || tk_word(header, TK_VTABLE) != it->type->addr ||
	    tk_word(header, TK_OWNER) != it->node->owner || state & TK_COMPLETE)
		return 0;
	t.state = state_of(state);
	t.torn = !it->again || is_torn(header, it->after);
	t.loop = it->node->owner;
	t.start = it->type->number;
	t.name = it->type->name;
	if (t.state == TASK_WAITS)
		t.reason = "future";
	if (has_chain(it))
		take_chain(c, it, &t);
	return c->pass->each(c->pass->arg, &t);
}

static int read_chunk(struct chunk *c)
{
	int r = 0;

	read_items(c, false);
	read_chains(c);
	for (size_t i = 0; !r && i < c->n; i++)
		r = show(c, &c->r->items[i]);
	return r;
}

static void add_item(struct chunk *c, const struct tk_node *node)
{
	struct tk_item *it = &c->r->items[c->n++];

	it->node = node;
	it->type = tk_layout__type(&c->t->layout, node->vtable);
	it->changed = false;
}

/* What could not be found is there all the same. */
static int show_lost(const struct tk_tasks *t, const struct task_pass *pass)
{
	struct task_seen lost = { .state = TASK_UNREAD, .weight = 1 };
	int r = 0;

	for (u64 i = 0; !r && i < t->list.lost; i++)
		r = pass->each(pass->arg, &lost);
	return r;
}

int tk_reader__pass(struct tk_reader *reader, struct tk_tasks *t, struct task_memory *mem,
		    const struct task_pass *pass, u64 *ret_len, u64 *ret_list_ns)
{
	struct chunk c = { .r = reader, .t = t, .mem = mem, .pass = pass };
	const struct vec *nodes = &t->list.nodes;
	u64 before_ns = clock_thread_cpu_ns();
	int r = 0;

	bind(t);
	if (tk_list__is_due(&t->list, pass->budget_ns / 2))
		r = tk_list__read(&t->list, &t->layout, mem);
	*ret_list_ns = clock_thread_cpu_ns() - before_ns;
	*ret_len = r ? 0 : nodes->len;
	for (size_t i = pass->random % pass->one_in; !r && i < nodes->len;) {
		for (c.n = 0; c.n < TK_CHUNK && i < nodes->len; i += pass->one_in)
			add_item(&c, vec__at(nodes, i));
		r = read_chunk(&c);
		if (!r && mem->gone)
			r = -ESRCH;
	}
	return r ? r : show_lost(t, pass);
}

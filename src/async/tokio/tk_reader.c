/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task is freed when it is over, and its memory may soon be another task. So what is in the lists
 * is read twice, and what differs in between is torn, and not read again: a second try would
 * succeed more often in long waits than in short ones.
 */
#include "async/tokio/tk_reader.h"

#include <errno.h>
#include <unistd.h>

#include "async/tokio/tk_search.h"
#include "base/clock.h"
#include "proc/maps.h"

struct chunk {
	struct tk_tasks *t;
	struct task_memory *mem;
	const struct task_pass *pass;
	const struct tk_node *nodes[TK_CHUNK];
	size_t n;
	u8 before[TK_CHUNK][TK_HEADER_SZ];
	u8 after[TK_CHUNK][TK_HEADER_SZ];
	bool ok[TK_CHUNK];
	bool again[TK_CHUNK];
};

int tk_tasks__open(struct tk_tasks *t, int fd, const char *path, struct err *err)
{
	int r;

	*t = (struct tk_tasks){ 0 };
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

static void read_headers(struct chunk *c, u8 to[TK_CHUNK][TK_HEADER_SZ], bool ok[TK_CHUNK])
{
	struct task_piece pieces[TK_CHUNK];

	for (size_t i = 0; i < c->n; i++)
		pieces[i] = (struct task_piece){ c->nodes[i]->at, to[i], TK_HEADER_SZ, false };
	task_memory__read_pieces(c->mem, pieces, c->n);
	for (size_t i = 0; i < c->n; i++)
		ok[i] = pieces[i].ok;
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

static int show(struct chunk *c, size_t i)
{
	const u8 *header = c->before[i];
	const struct tk_type *type = tk_layout__type(&c->t->layout, c->nodes[i]->vtable);
	struct task_seen t = { .state = TASK_UNREAD, .weight = c->pass->one_in };
	u64 state = tk_word(header, TK_STATE);

	/* it was in a list a moment ago, and is over by now */
	if (!c->ok[i] || !type || tk_word(header, TK_VTABLE) != type->addr ||
	    tk_word(header, TK_OWNER) != c->nodes[i]->owner || state & TK_COMPLETE)
		return 0;
	t.state = state_of(state);
	t.torn = !c->again[i] || is_torn(header, c->after[i]);
	t.loop = c->nodes[i]->owner;
	t.start = type->number;
	t.name = type->name;
	if (t.state == TASK_WAITS)
		t.reason = "future";
	return c->pass->each(c->pass->arg, &t);
}

static int read_chunk(struct chunk *c)
{
	int r = 0;

	read_headers(c, c->before, c->ok);
	read_headers(c, c->after, c->again);
	for (size_t i = 0; !r && i < c->n; i++)
		r = show(c, i);
	return r;
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

int tk_reader__pass(struct tk_tasks *t, struct task_memory *mem, const struct task_pass *pass,
		    u64 *ret_len, u64 *ret_list_ns)
{
	struct chunk c = { .t = t, .mem = mem, .pass = pass };
	const struct vec *nodes = &t->list.nodes;
	u64 before_ns = clock_thread_cpu_ns();
	int r = 0;

	if (tk_list__is_due(&t->list, pass->budget_ns / 2))
		r = tk_list__read(&t->list, &t->layout, mem);
	*ret_list_ns = clock_thread_cpu_ns() - before_ns;
	*ret_len = r ? 0 : nodes->len;
	for (size_t i = pass->random % pass->one_in; !r && i < nodes->len;) {
		for (c.n = 0; c.n < TK_CHUNK && i < nodes->len; i += pass->one_in)
			c.nodes[c.n++] = vec__at(nodes, i);
		r = read_chunk(&c);
		if (!r && mem->gone)
			r = -ESRCH;
	}
	return r ? r : show_lost(t, pass);
}

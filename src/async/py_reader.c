/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk of tasks is read step by step, each step of all of them in one call: weak references,
 * tasks, what they wait for, their coroutines from the outermost to the innermost; and then the
 * tasks and their outermost coroutines again. What differs by then is torn, and is not read again:
 * a second try would succeed more often in long waits than in short ones.
 */
#include "async/py_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "async/py_running.h"
#include "base/clock.h"
#include "base/hash.h"

#define STATE_ASCII_COMPACT 0x60
#define OWN_NAME "Task-"

struct chunk {
	struct py_reader *r;
	struct py_tasks *t;
	struct task_memory *mem;
	struct process *p;
	const struct task_pass *pass;
	size_t n;
};

int py_tasks__init(struct py_tasks *t, struct python_codes *records)
{
	t->layout = (struct py_layout){ 0 };
	py_types__init(&t->types);
	map64__init(&t->named);
	return py_codes__init(&t->codes, records);
}

void py_tasks__done(struct py_tasks *t)
{
	if (!t)
		return;
	py_types__done(&t->types);
	py_codes__done(&t->codes);
	map64__done(&t->named);
	*t = (struct py_tasks){ 0 };
}

void py_reader__init(struct py_reader *r)
{
	py_list__init(&r->list);
}

void py_reader__done(struct py_reader *r)
{
	if (r)
		py_list__done(&r->list);
}

static enum py_kind kind(const struct chunk *c, const u8 *object)
{
	return py_types__kind(&c->t->types, c->mem, py_word(object, PY_OB_TYPE));
}

static u64 field(const struct py_item *it, u16 off)
{
	return py_word(it->before, off);
}

static bool is_pending(const struct chunk *c, const u8 *future)
{
	return (u32)py_word(future, c->t->layout.off->state) == PY_FUTURE_PENDING;
}

/* One that is no weak reference any more was of a task that has ended. */
static void read_refs(struct chunk *c)
{
	struct task_piece pieces[PY_CHUNK];

	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		pieces[i] = (struct task_piece){ it->ref.addr, it->small, PY_SMALL_SZ, false };
	}
	task_memory__read_pieces(c->mem, pieces, c->n);
	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		it->at = it->ref.direct ? it->ref.addr : py_word(it->small, PY_HELD);
		it->dead = !pieces[i].ok || (!it->ref.direct && kind(c, it->small) != PY_WEAKREF) ||
			   !py_plausible(it->at);
	}
}

static void read_tasks(struct chunk *c)
{
	u32 sz = c->t->layout.off->name + sizeof(u64);
	struct task_piece pieces[PY_CHUNK];
	size_t of[PY_CHUNK], n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		it->ok = false;
		if (it->dead)
			continue;
		of[n] = i;
		pieces[n++] = (struct task_piece){ it->at, it->before, sz, false };
	}
	task_memory__read_pieces(c->mem, pieces, n);
	for (size_t i = 0; i < n; i++) {
		struct py_item *it = &c->r->items[of[i]];
		enum py_kind is = pieces[i].ok ? kind(c, it->before) : PY_OTHER;

		it->ok = is == PY_TASK;
		it->dead = is == PY_NONE || (it->ok && !is_pending(c, it->before));
	}
}

static void read_waiters(struct chunk *c)
{
	const struct py_offsets *off = c->t->layout.off;
	struct task_piece pieces[2 * PY_CHUNK];
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		it->waits_for = PY_OTHER;
		memset(it->waiter, 0, sizeof(it->waiter));
		memset(it->name, 0, sizeof(it->name));
		if (!it->ok || it->dead)
			continue;
		if (py_plausible(field(it, off->waiter)))
			pieces[n++] = (struct task_piece){ field(it, off->waiter), it->waiter,
							   off->state + sizeof(u32), false };
		if (py_plausible(field(it, off->name)))
			pieces[n++] =
				(struct task_piece){ field(it, off->name), it->name,
						     c->t->layout.python.str_ascii + PY_NAME_SZ,
						     false };
	}
	task_memory__read_pieces(c->mem, pieces, n);
	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		if (py_word(it->waiter, PY_OB_TYPE))
			it->waits_for = kind(c, it->waiter);
	}
}

/* The coroutine of the task that a task waits for. */
static u64 awaited_coro(struct chunk *c, const struct py_item *it)
{
	const struct py_offsets *off = c->t->layout.off;
	u64 coro;

	if (it->waits_for != PY_TASK ||
	    !task_memory__read(c->mem, field(it, off->waiter) + off->coro, &coro, sizeof(coro)))
		return 0;
	return coro;
}

static int read_chains(struct chunk *c)
{
	const struct py_reading reading = { &c->t->layout, &c->t->types, &c->t->codes, c->mem,
					    c->p };
	struct py_chain *chains[2 * PY_CHUNK];
	size_t n = 0;
	int r;

	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		if (!it->ok || it->dead)
			continue;
		py_chain__begin(&it->chain, field(it, reading.l->off->coro), c->pass->depth);
		py_chain__begin(&it->awaited, awaited_coro(c, it), 1);
		it->awaited.only_root = true;
		chains[n++] = &it->chain;
		if (it->awaited.want)
			chains[n++] = &it->awaited;
	}
	r = py_chains__read(chains, n, &reading);
	for (size_t i = 0; !r && i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		it->thread = (struct task_thread){ 0 };
		if (!it->ok || it->dead || it->chain.state != PY_CORO_RUNS)
			continue;
		r = py_running__read(&it->chain, &reading, &c->t->thread);
		if (!r && it->chain.thread)
			r = c->pass->look(c->pass->arg, it->chain.thread, &it->thread);
	}
	return r;
}

static void read_again(struct chunk *c)
{
	const struct py_offsets *off = c->t->layout.off;
	struct task_piece pieces[2 * PY_CHUNK];
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct py_item *it = &c->r->items[i];

		memset(it->after, 0xff, sizeof(it->after));
		memset(it->root, 0xff, sizeof(it->root));
		if (!it->ok || it->dead)
			continue;
		pieces[n++] =
			(struct task_piece){ it->at, it->after, off->name + sizeof(u64), false };
		if (it->chain.root_at)
			pieces[n++] = (struct task_piece){ it->chain.root_at, it->root,
							   it->chain.root_sz, false };
	}
	task_memory__read_pieces(c->mem, pieces, n);
}

static bool is_torn(const struct chunk *c, const struct py_item *it)
{
	const struct py_offsets *off = c->t->layout.off;

	return py_word(it->before, PY_OB_TYPE) != py_word(it->after, PY_OB_TYPE) ||
	       (u32)field(it, off->state) != (u32)py_word(it->after, off->state) ||
	       field(it, off->waiter) != py_word(it->after, off->waiter) ||
	       field(it, off->coro) != py_word(it->after, off->coro) ||
	       (it->chain.root_at && py_chain__is_torn(&it->chain, &c->t->layout, it->root));
}

/* A future that is done has put its task into the loop's queue. */
static enum task_state state_of(const struct chunk *c, const struct py_item *it)
{
	if (it->chain.state == PY_CORO_RUNS)
		return TASK_RUNS;
	if (!field(it, c->t->layout.off->waiter))
		return TASK_READY;
	return it->waits_for == PY_OTHER || is_pending(c, it->waiter) ? TASK_WAITS : TASK_READY;
}

bool py_task_name(const char *text, char ret[PY_NAME_SZ])
{
	size_t len = strlen(text), digits = 0;

	while (digits < len && isdigit((u8)text[len - 1 - digits]))
		digits++;
	if (!len || len >= PY_NAME_SZ - 1 ||
	    (digits && len - digits == sizeof(OWN_NAME) - 1 &&
	     strncmp(text, OWN_NAME, sizeof(OWN_NAME) - 1) == 0))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isprint((u8)text[i]))
			return false;
	}
	snprintf(ret, PY_NAME_SZ, "%.*s%s", (int)(len - digits), text, digits ? "*" : "");
	return true;
}

/* The name that the program gave it, as long as there are not too many of them. */
static bool given_name(struct chunk *c, const struct py_item *it, char ret[PY_NAME_SZ], u64 *hash)
{
	const struct cs_python *layout = &c->t->layout.python;
	u64 len = py_word(it->name, layout->str_len), known;
	char text[PY_NAME_SZ] = "";

	if ((py_word(it->name, layout->str_state) & STATE_ASCII_COMPACT) != STATE_ASCII_COMPACT ||
	    len >= sizeof(text))
		return false;
	memcpy(text, it->name + layout->str_ascii, len);
	if (!py_task_name(text, ret))
		return false;
	*hash = hash_bytes(ret, strlen(ret));
	if (map64__get(&c->t->named, *hash, &known))
		return true;
	return c->t->named.len < PY_NAMES_MAX && !map64__set(&c->t->named, *hash, 1);
}

static void say_reason(const struct chunk *c, const struct py_item *it, char *buf, size_t sz)
{
	const char *name = strtab__get(&c->t->codes.names, it->awaited.root_name);

	switch (it->waits_for) {
	case PY_TASK:
		snprintf(buf, sz, "task%s%s", *name ? " " : "", name);
		break;
	case PY_GATHERING:
		snprintf(buf, sz, "gather");
		break;
	default:
		snprintf(buf, sz, "future");
	}
}

static int show(struct chunk *c, struct py_item *it)
{
	struct task_seen t = { .state = TASK_UNREAD, .weight = it->ref.weight };
	char name[PY_NAME_SZ], reason[96];
	bool bad;

	if (it->dead)
		return 0;
	if (!it->ok)
		return c->pass->each(c->pass->arg, &t);
	t.torn = is_torn(c, it);
	bad = it->chain.bad && !t.torn;
	t.state = bad ? TASK_UNREAD : state_of(c, it);
	t.start = it->chain.root_code;
	t.name = strtab__get(&c->t->codes.names, it->chain.root_name);
	if (given_name(c, it, name, &t.start))
		t.name = name;
	if (t.state == TASK_WAITS) {
		say_reason(c, it, reason, sizeof(reason));
		t.reason = reason;
	}
	t.loop = field(it, PY_TASK_LOOP);
	t.thread = it->thread;
	if (!t.torn && !bad) {
		py_chain__frames(&it->chain, &c->r->frames);
		t.python = &c->r->frames;
		t.cut = it->chain.cut;
	}
	return c->pass->each(c->pass->arg, &t);
}

static int read_chunk(struct chunk *c)
{
	int r;

	read_refs(c);
	read_tasks(c);
	read_waiters(c);
	r = read_chains(c);
	if (!r)
		read_again(c);
	for (size_t i = 0; !r && i < c->n; i++)
		r = show(c, &c->r->items[i]);
	return r;
}

int py_reader__pass(struct py_reader *r, struct py_tasks *t, struct task_memory *mem,
		    struct process *p, const struct task_pass *pass, u64 *ret_len)
{
	const struct py_part part = { pass->one_in, pass->random };
	struct chunk c = { .r = r, .t = t, .mem = mem, .p = p, .pass = pass };
	int ret;

	ret = py_list__read(&r->list, &t->layout, &t->types, mem, &part);
	*ret_len = r->list.len;
	t->codes.now_ns = clock_mono_ns();
	for (size_t i = 0; !ret && i < r->list.refs.len;) {
		for (c.n = 0; c.n < PY_CHUNK && i < r->list.refs.len; i++)
			r->items[c.n++].ref = *(const struct py_ref *)vec__at(&r->list.refs, i);
		ret = read_chunk(&c);
		if (!ret && mem->gone)
			ret = -ESRCH;
	}
	return ret;
}

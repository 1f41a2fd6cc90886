/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vtable is constant data that the loader relocates, so it is read in memory: seven functions,
 * the first of which a symbol names, and then three offsets in the task.
 */
#include "async/tokio/tk_layout.h"

#include <errno.h>

#include "base/hash.h"

#define DATA_MAX_BYTES (256UL << 20)
#define VTABLE_WORDS 10
#define VTABLE_FUNCTIONS 7
#define VTABLE_DEALLOC 2
#define CHUNK_WORDS 4096
/* A scheduler follows the header, aligned to a pair of cache lines at most. */
#define SCHEDULER_MAX 256
#define SCHEDULER_SZ_MAX 256
#define TASK_MAX_SZ (64UL << 20)

struct finder {
	struct tk_layout *l;
	const struct tk_program *p;
	struct task_memory *mem;
	const struct task_home *home;
	const struct map_range *code;
	bool misfit; /* there is a pointer to a poll function where the rest does not fit */
};

void tk_layout__init(struct tk_layout *l)
{
	*l = (struct tk_layout){ 0 };
	vec__init(&l->types, sizeof(struct tk_type));
	map64__init(&l->by_addr);
	vec__init(&l->places, sizeof(struct tk_place));
}

void tk_layout__done(struct tk_layout *l)
{
	if (!l || !l->types.elem_sz)
		return;
	vec__done(&l->types);
	map64__done(&l->by_addr);
	vec__done(&l->places);
	*l = (struct tk_layout){ 0 };
}

bool tk_vtable_fits(const u64 words[VTABLE_WORDS], const struct map_range *code)
{
	u64 trailer = words[VTABLE_FUNCTIONS], scheduler = words[VTABLE_FUNCTIONS + 1],
	    id = words[VTABLE_FUNCTIONS + 2];

	for (u32 i = 0; i < VTABLE_FUNCTIONS; i++) {
		if (words[i] < code->start || words[i] >= code->end)
			return false;
	}
	return scheduler >= TK_HEADER_SZ && scheduler <= SCHEDULER_MAX && !(scheduler & 7) &&
	       id >= scheduler && id <= scheduler + SCHEDULER_SZ_MAX && !(id & 7) && trailer > id &&
	       trailer < TASK_MAX_SZ && !(trailer & 7);
}

static int add_type(struct finder *f, u64 at, const u64 *words)
{
	struct tk_type *t = vec__push(&f->l->types);

	if (!t)
		return -ENOMEM;
	*t = (struct tk_type){ .addr = at,
			       .poll = words[0] - f->l->bias,
			       .dealloc = words[VTABLE_DEALLOC] - f->l->bias,
			       .trailer = (u32)words[VTABLE_FUNCTIONS],
			       .id = (u32)words[VTABLE_FUNCTIONS + 2] };
	if (tk_program__type(f->p, t->poll, t->dealloc, t->name))
		t->number = hash_bytes(t->name, strlen(t->name));
	f->l->first = f->l->first && f->l->first < at ? f->l->first : at;
	f->l->last = f->l->last > at ? f->l->last : at;
	return map64__set(&f->l->by_addr, at, f->l->types.len - 1);
}

static bool is_poll(const struct finder *f, u64 word)
{
	u64 known;

	return word >= f->code->start && word < f->code->end &&
	       map64__get(&f->p->polls, word - f->l->bias, &known);
}

/* A chunk at a time, with the words that a vtable at its end needs. */
static int scan(struct finder *f, const struct map_range *m)
{
	u64 words[CHUNK_WORDS + VTABLE_WORDS];
	int r = 0;

	for (u64 at = m->start; !r && at < m->end; at += CHUNK_WORDS * sizeof(u64)) {
		u64 left = m->end - at;
		size_t n = (left < sizeof(words) ? left : sizeof(words)) / sizeof(u64);

		if (!task_memory__read(f->mem, at, words, n * sizeof(u64)))
			continue;
		for (size_t i = 0; !r && i < CHUNK_WORDS && i + VTABLE_WORDS <= n; i++) {
			if (!is_poll(f, words[i]))
				continue;
			if (tk_vtable_fits(words + i, f->code))
				r = add_type(f, at + i * sizeof(u64), words + i);
			else
				f->misfit = true;
		}
	}
	return r;
}

static int find(struct finder *f, struct err *err)
{
	int r = 0;

	f->code = task_home__code(f->home, f->p->image, &f->l->bias);
	if (!f->code)
		return err__set(err, -EAGAIN, "its program is not mapped");
	for (size_t i = 0; !r && i < f->home->maps->len; i++) {
		const struct map_range *m = &f->home->maps->ranges[i];

		if (!m->exec && task_home__has(f->home, m) && m->end - m->start <= DATA_MAX_BYTES)
			r = scan(f, m);
	}
	if (r)
		return err__nomem(err);
	if (!f->l->types.len && f->misfit)
		return err__set(err, -ENOTSUP, "its tasks do not look as those of Tokio %s should",
				f->p->version);
	return f->l->types.len ? 0 : err__set(err, -EAGAIN, "it has no tasks of Tokio yet");
}

int tk_layout__find(struct tk_layout *l, const struct tk_program *p, struct task_memory *mem,
		    const struct task_home *home, struct err *err)
{
	struct finder f = { .l = l, .p = p, .mem = mem, .home = home };

	return find(&f, err);
}

const struct tk_type *tk_layout__type(const struct tk_layout *l, u64 vtable)
{
	u64 idx;

	if (vtable < l->first || vtable > l->last || !map64__get(&l->by_addr, vtable, &idx))
		return NULL;
	return vec__at(&l->types, idx);
}

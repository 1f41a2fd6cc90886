/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set is a hash table, from a fifth to three fifths full. To read all of it costs more than the
 * few tasks for which there is time, so single slots are drawn in a random order without
 * repetition, until enough of them have an element. What is chosen is a random sample of a size
 * that is known beforehand; so equal weights give estimates without bias, and they add up to the
 * number of all.
 */
#include "async/py_list.h"

#include <errno.h>

#include "async/py_dict.h"

/* PySetObject, and its entries: an object and its hash. */
#define SET_USED 24
#define SET_MASK 32
#define SET_TABLE 40
#define SET_SZ 48
#define ENTRY_WORDS 2
#define ENTRY_SZ (ENTRY_WORDS * sizeof(u64))
#define HASH_DUMMY (~0ULL) /* an element was there and was removed */
#define BATCH 2048
#define DRAWS TASK_MEMORY_PIECES
#define MIX_ROUNDS 4

struct set {
	u64 len; /* slots, a power of two */
	u64 used;
	u64 running; /* of these: they are read anyway, and the others are chosen from */
	u64 table;
	bool direct;
};

/* What a reading of both sets has in common. */
struct reading {
	struct task_memory *mem;
	const struct py_part *part;
	struct vec *list;
	const struct py_current *current;
};

static int failure(const struct task_memory *mem)
{
	return mem->denied ? -EACCES : -ESRCH;
}

static int find_set(u64 at, struct py_types *types, struct task_memory *mem, struct set *ret)
{
	u8 head[SET_SZ];

	if (!task_memory__read(mem, at, head, sizeof(head)) ||
	    py_types__kind(types, mem, py_word(head, PY_OB_TYPE)) != PY_SET)
		return failure(mem);
	*ret = (struct set){ .len = py_word(head, SET_MASK) + 1,
			     .used = py_word(head, SET_USED),
			     .table = py_word(head, SET_TABLE) };
	return ret->len && ret->len <= PY_LIST_MAX && ret->used <= ret->len &&
			       !(ret->len & (ret->len - 1)) ?
		       0 :
		       -ESRCH;
}

static bool is_element(const u64 entry[ENTRY_WORDS])
{
	return py_plausible(entry[0]) && entry[1] != HASH_DUMMY;
}

static int take(const struct reading *r, const struct set *s, u64 addr)
{
	struct py_ref *ref = vec__push(r->list);

	if (!ref)
		return -ENOMEM;
	*ref = (struct py_ref){ .addr = addr, .weight = 1, .direct = s->direct };
	return 0;
}

static int read_all(const struct reading *r, const struct set *s)
{
	u64 entries[BATCH * ENTRY_WORDS];
	int ret = 0;

	for (u64 at = 0; !ret && at < s->len; at += BATCH) {
		u64 n = s->len - at < BATCH ? s->len - at : BATCH;

		/* a set that grows meanwhile has another table */
		if (!task_memory__read(r->mem, s->table + at * ENTRY_SZ, entries, n * ENTRY_SZ))
			return failure(r->mem);
		for (u64 i = 0; !ret && i < n; i++) {
			if (is_element(entries + i * ENTRY_WORDS))
				ret = take(r, s, entries[i * ENTRY_WORDS]);
		}
	}
	return ret;
}

/* Position `i` of the random order of `len` slots: each step can be undone, so none comes twice. */
static u64 draw(u64 i, u64 len, u64 seed)
{
	u32 half = (u32)(__builtin_ctzll(len) + 1) / 2;

	for (u32 round = 0; round < MIX_ROUNDS; round++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		i = (i * (seed >> 32 | 1) + (seed >> 7)) & (len - 1);
		i ^= i >> (half ? half : 1);
	}
	return i;
}

/* Whether an element of a set is a task that runs. */
static bool runs(const struct reading *r, const struct set *s, u64 addr)
{
	u64 task = addr;

	if (!r->current->len ||
	    (!s->direct && !task_memory__read(r->mem, addr + PY_HELD, &task, sizeof(task))))
		return false;
	for (size_t i = 0; i < r->current->len; i++) {
		if (r->current->at[i] == task)
			return true;
	}
	return false;
}

/* How many run of a set of eager tasks. It is small: they are in it for their first step. */
static u64 count_running(const struct reading *r, const struct set *s)
{
	u64 entries[BATCH * ENTRY_WORDS], n = s->len < BATCH ? s->len : BATCH, found = 0;

	if (!r->current->len || !task_memory__read(r->mem, s->table, entries, n * ENTRY_SZ))
		return 0;
	for (u64 i = 0; i < n; i++)
		found += is_element(entries + i * ENTRY_WORDS) &&
			 runs(r, s, entries[i * ENTRY_WORDS]);
	return found < s->used ? found : s->used;
}

/*
 * So many slots of the order at once; those with an element that does not run are taken until there
 * are `n`.
 */
static int draw_batch(const struct reading *r, const struct set *s, u64 first, u64 n, u64 *taken)
{
	u64 entries[DRAWS][ENTRY_WORDS], len = s->len - first < DRAWS ? s->len - first : DRAWS;
	struct task_piece pieces[DRAWS];
	int ret = 0;

	for (u64 i = 0; i < len; i++) {
		u64 slot = draw(first + i, s->len, r->part->seed);

		pieces[i] = (struct task_piece){ s->table + slot * ENTRY_SZ, entries[i], ENTRY_SZ,
						 false };
	}
	task_memory__read_pieces(r->mem, pieces, len);
	for (u64 i = 0; !ret && i < len && *taken < n; i++) {
		if (!pieces[i].ok)
			return failure(r->mem);
		if (!is_element(entries[i]) || runs(r, s, entries[i][0]))
			continue;
		ret = take(r, s, entries[i][0]);
		(*taken)++;
	}
	return ret;
}

/* Weights differ by 1 at most; which are larger is as random as the order. */
static void weigh(struct vec *list, u64 taken, u64 of)
{
	for (u64 i = 0; i < taken; i++) {
		struct py_ref *ref = vec__at(list, list->len - taken + i);

		ref->weight = (u32)(of / taken) + (i < of % taken);
	}
}

static int read_part(const struct reading *r, const struct set *s)
{
	u64 others = s->used - s->running, taken = 0;
	u64 n = (others + r->part->one_in - 1) / r->part->one_in;
	int ret = 0;

	if (r->part->one_in <= 1)
		return read_all(r, s);
	for (u64 first = 0; !ret && taken < n && first < s->len; first += DRAWS)
		ret = draw_batch(r, s, first, n, &taken);
	if (!ret)
		weigh(r->list, taken, others);
	return ret;
}

/*
 * A position that does not depend on what it runs, so that the task is read at as random an instant
 * as if it had been chosen by chance.
 */
static int insert(const struct reading *r, u64 task, u64 random)
{
	struct py_ref *refs = vec__push(r->list);
	size_t last = r->list->len - 1, at = random % r->list->len;

	if (!refs)
		return -ENOMEM;
	refs = vec__at(r->list, 0);
	refs[last] = refs[at];
	refs[at] = (struct py_ref){ .addr = task, .weight = 1, .direct = true, .certain = true };
	return 0;
}

/* Those that run are few, and the ones that all others wait for. */
static int add_current(const struct reading *r)
{
	u64 random = r->part->seed;
	int error = 0;

	for (size_t i = 0; !error && i < r->current->len; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		error = insert(r, r->current->at[i], random >> 16);
	}
	return error;
}

/* Both sets: a task that runs its first step at once is in that of eager ones. */
static int find_sets(const struct py_layout *l, struct py_types *types, const struct reading *r,
		     struct set sets[2], size_t *ret_len)
{
	u64 running = r->current->len;
	int error = find_set(l->scheduled, types, r->mem, &sets[0]);

	*ret_len = l->eager ? 2 : 1;
	if (!error && l->eager) {
		error = find_set(l->eager, types, r->mem, &sets[1]);
		sets[1].direct = true;
	}
	if (error)
		return error;
	if (l->eager) {
		sets[1].running = count_running(r, &sets[1]);
		running -= sets[1].running < running ? sets[1].running : running;
	}
	sets[0].running = running < sets[0].used ? running : sets[0].used;
	return 0;
}

void py_list__init(struct py_list *list)
{
	vec__init(&list->refs, sizeof(struct py_ref));
}

void py_list__done(struct py_list *list)
{
	if (list && list->refs.elem_sz)
		vec__done(&list->refs);
}

int py_list__read(struct py_list *list, const struct py_layout *l, struct py_types *types,
		  struct task_memory *mem, const struct py_part *part)
{
	const struct reading reading = { mem, part, &list->refs, &list->current };
	struct set sets[2];
	size_t len;
	int r;

	vec__reset(&list->refs);
	list->len = 0;
	list->current.len = part->one_in > 1 && l->current ?
				    py_dict__values(mem, &l->python, l->current, list->current.at,
						    PY_LOOPS_MAX) :
				    0;
	r = find_sets(l, types, &reading, sets, &len);
	for (size_t i = 0; !r && i < len; i++) {
		r = read_part(&reading, &sets[i]);
		list->len += r ? 0 : sets[i].used;
	}
	return r ? r : add_current(&reading);
}

u64 py_list__count(const struct py_layout *l, struct py_types *types, struct task_memory *mem)
{
	struct set s;

	return find_set(l->scheduled, types, mem, &s) ? 0 : s.used;
}

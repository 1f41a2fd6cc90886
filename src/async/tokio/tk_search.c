/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three readings of the memory that the process has allocated: for pointers to vtables, which
 * begin tasks, alive or freed; for pairs of pointers to the first and the last of a list of them;
 * and for arrays of such pairs, in which newer versions have the tasks of one runtime.
 */
#include "async/tokio/tk_search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "async/tokio/tk_list.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define PAGE_SZ 4096UL
#define CHUNK_PAGES 32UL
#define CHUNK_SZ (CHUNK_PAGES * PAGE_SZ)
/* Words behind a chunk that a match at its end may need. */
#define EXTRA_WORDS 8
#define PAGEMAP_PRESENT (1ULL << 63)
#define SEARCH_RARELY 200
#define SEARCH_EVERY_NS NSEC_PER_SEC
/* Searches in which there are tasks in a list, but no list: one may change while it is read. */
#define FAILURES_MAX 3
/* Since 1.36 a runtime has 2^n lists, each behind its lock: a word, then both pointers. */
#define SHARDED_MINOR 36
#define SHARD_SZ 24
#define SHARD_FIRST 8
#define SHARDS_MAX 65536
/* Words behind the pointer to the array, among which is its mask. */
#define MASK_WORDS 4
/* The number of the runtime is in the same struct: so many words before, or behind. */
#define OWNER_BEFORE 5
#define OWNER_AFTER 8

struct search {
	struct tk_layout *l;
	struct task_memory *mem;
	const struct maps *maps;
	int pagemap; /* -1: not readable */
	struct vec found; /* struct tk_node: what looks like a task */
	struct map64 by_addr; /* of these: index */
	struct map64 lasts; /* those that are the last ones of lists: index */
	u64 lasts_min, lasts_max; /* addresses of these */
	struct vec pairs; /* struct tk_place: what looks like a list */
	struct map64 places; /* addresses of the lists of the layout */
	u64 words[CHUNK_SZ / sizeof(u64) + EXTRA_WORDS];
};

/* Called for the words of a chunk; `n` without those that are extra. -ENOMEM or 0. */
typedef int words_fn(struct search *s, const u64 *words, size_t n, u64 at);

/* What the process allocates: neither files nor stacks. */
static bool is_allocated(const struct map_range *m)
{
	return !m->ino && !m->exec &&
	       (!*m->path || strcmp(m->path, "[heap]") == 0 || strncmp(m->path, "[anon", 5) == 0);
}

/* Pages that were never written, or are swapped out, stay as they are. */
static void find_present(const struct search *s, u64 at, size_t pages, bool ret[CHUNK_PAGES])
{
	u64 entries[CHUNK_PAGES];
	size_t sz = pages * sizeof(u64);
	bool known = s->pagemap >= 0 && pread(s->pagemap, entries, sz,
					      (off_t)(at / PAGE_SZ * sizeof(u64))) == (ssize_t)sz;

	for (size_t i = 0; i < pages; i++)
		ret[i] = !known || entries[i] & PAGEMAP_PRESENT;
}

static int read_run(struct search *s, u64 at, u64 sz, u64 end, words_fn *fn)
{
	size_t n = sz / sizeof(u64), extra = EXTRA_WORDS * sizeof(u64);

	memset(s->words + n, 0, extra);
	if (at + sz + extra > end || !task_memory__read(s->mem, at, s->words, sz + extra)) {
		if (!task_memory__read(s->mem, at, s->words, sz))
			return 0;
		memset(s->words + n, 0, extra);
	}
	return fn(s, s->words, n, at);
}

static int read_range(struct search *s, const struct map_range *m, words_fn *fn)
{
	bool present[CHUNK_PAGES];
	int r = 0;

	for (u64 at = m->start; !r && at < m->end; at += CHUNK_SZ) {
		u64 left = (m->end - at) / PAGE_SZ;
		size_t pages = left < CHUNK_PAGES ? left : CHUNK_PAGES, run = 0;

		find_present(s, at, pages, present);
		for (size_t i = 0; !r && i < pages; i += run ? run : 1) {
			for (run = 0; i + run < pages && present[i + run];)
				run++;
			if (run)
				r = read_run(s, at + i * PAGE_SZ, run * PAGE_SZ, m->end, fn);
		}
	}
	return r;
}

static int read_memory(struct search *s, words_fn *fn)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->maps->len; i++) {
		if (is_allocated(&s->maps->ranges[i]))
			r = read_range(s, &s->maps->ranges[i], fn);
		if (s->mem->gone || s->mem->denied)
			return s->mem->denied ? -EACCES : -ESRCH;
	}
	return r;
}

static int take_tasks(struct search *s, const u64 *words, size_t n, u64 at)
{
	for (size_t i = 0; i < n; i++) {
		struct tk_node *node;

		if (words[i] < s->l->first || words[i] > s->l->last ||
		    !tk_layout__type(s->l, words[i]))
			continue;
		node = vec__push(&s->found);
		if (!node)
			return -ENOMEM;
		node->at = at + i * sizeof(u64) - TK_VTABLE;
		node->vtable = words[i];
		if (map64__set(&s->by_addr, node->at, s->found.len - 1))
			return -ENOMEM;
	}
	return 0;
}

static struct tk_node *node_at(const struct search *s, u64 at)
{
	u64 idx;

	return map64__get(&s->by_addr, at, &idx) ? vec__at(&s->found, idx) : NULL;
}

/* Tasks of which both neighbours, of which there must be one, point back to them. */
static u32 count_linked(struct search *s)
{
	u32 linked = 0;

	tk_nodes__read(vec__at(&s->found, 0), s->found.len, s->l, s->mem);
	for (size_t i = 0; i < s->found.len; i++) {
		struct tk_node *n = vec__at(&s->found, i);
		const struct tk_node *before = node_at(s, n->previous);
		const struct tk_node *after = node_at(s, n->next);

		n->ok = n->ok && (before ? before->next == n->at : !n->previous) &&
			(after ? after->previous == n->at : !n->next);
		linked += n->ok && (before || after);
	}
	return linked;
}

/* Where in a trailer the pointers to neighbours are: the compiler chose the order. */
static u32 find_links(struct search *s)
{
	u32 best = s->l->links, most = count_linked(s);

	for (u32 i = 0; i < TK_LINKS_PLACES; i++) {
		u32 linked;

		s->l->links = i * sizeof(u64);
		linked = count_linked(s);
		if (linked <= most)
			continue;
		most = linked;
		best = s->l->links;
	}
	s->l->links = best;
	count_linked(s);
	return most;
}

static int find_lasts(struct search *s)
{
	for (size_t i = 0; i < s->found.len; i++) {
		const struct tk_node *n = vec__at(&s->found, i);

		if (!n->ok || n->next)
			continue;
		if (map64__set(&s->lasts, n->at, i))
			return -ENOMEM;
		s->lasts_min = s->lasts_min && s->lasts_min < n->at ? s->lasts_min : n->at;
		s->lasts_max = s->lasts_max > n->at ? s->lasts_max : n->at;
	}
	return 0;
}

static int add_place(struct search *s, u64 at, u64 owner)
{
	struct tk_place *place;
	u64 known;

	if (map64__get(&s->places, at, &known))
		return 0;
	place = vec__push(&s->l->places);
	if (!place)
		return -ENOMEM;
	*place = (struct tk_place){ .at = at, .owner = owner };
	return map64__set(&s->places, at, 1);
}

/* Those of earlier searches. */
static int know_places(struct search *s)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->l->places.len; i++)
		r = map64__set(&s->places, ((struct tk_place *)vec__at(&s->l->places, i))->at, 1);
	return r;
}

/* The pointers in the task before the last one are such a pair, too, if it is the second. */
static bool is_in_task(const struct search *s, u64 at)
{
	for (size_t i = 0; i < s->found.len; i++) {
		const struct tk_node *n = vec__at(&s->found, i);
		const struct tk_type *t = n->ok ? tk_layout__type(s->l, n->vtable) : NULL;

		if (t && at >= n->at && at < n->at + t->trailer + s->l->links + TK_LINKS_SZ)
			return true;
	}
	return false;
}

static int take_pairs(struct search *s, const u64 *words, size_t n, u64 at)
{
	for (size_t i = 0; i < n; i++) {
		struct tk_node first = { .at = words[i] };
		const struct tk_node *last;
		struct tk_place *pair;
		u64 idx;

		if (words[i + 1] < s->lasts_min || words[i + 1] > s->lasts_max || !words[i] ||
		    !map64__get(&s->lasts, words[i + 1], &idx))
			continue;
		last = vec__at(&s->found, idx);
		tk_node__read(&first, s->l, s->mem);
		if (!first.ok || first.previous || first.owner != last->owner ||
		    is_in_task(s, at + i * sizeof(u64)))
			continue;
		pair = vec__push(&s->pairs);
		if (!pair)
			return -ENOMEM;
		*pair = (struct tk_place){ .at = at + i * sizeof(u64), .owner = last->owner };
	}
	return 0;
}

/* Copies of such a pair, on stacks and in freed memory, have no number near them. */
static bool has_owner(const struct search *s, u64 at, u64 owner)
{
	u64 words[OWNER_BEFORE + OWNER_AFTER];

	if (!task_memory__read(s->mem, at - OWNER_BEFORE * sizeof(u64), words, sizeof(words)))
		return false;
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		if (words[i] == owner)
			return true;
	}
	return false;
}

/* Whether a pointer and a length, and what follows, are those of an array with the pair. */
static bool is_array(const u64 *words, u64 pair)
{
	u64 first = words[0] + SHARD_FIRST, len = words[1];

	if (pair < first || len & (len - 1) || (pair - first) % SHARD_SZ ||
	    (pair - first) / SHARD_SZ >= len)
		return false;
	for (u32 i = 2; i < 2 + MASK_WORDS; i++) {
		if (words[i] == len - 1)
			return true;
	}
	return false;
}

static int add_array(struct search *s, u64 at, u64 len, u64 owner)
{
	int r = 0;

	for (u64 i = 0; !r && i < len; i++)
		r = add_place(s, at + i * SHARD_SZ + SHARD_FIRST, owner);
	return r;
}

static int take_arrays(struct search *s, const u64 *words, size_t n, u64 at)
{
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		if (!words[i] || !words[i + 1] || words[i + 1] > SHARDS_MAX)
			continue;
		for (size_t k = 0; k < s->pairs.len; k++) {
			const struct tk_place *pair = vec__at(&s->pairs, k);

			if (!is_array(words + i, pair->at) ||
			    !has_owner(s, at + i * sizeof(u64), pair->owner))
				continue;
			r = add_array(s, words[i], words[i + 1], pair->owner);
			break;
		}
	}
	return r;
}

/* Before 1.36, and of a LocalSet, a list is in the struct that has the number. */
static int take_single(struct search *s)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->pairs.len; i++) {
		const struct tk_place *pair = vec__at(&s->pairs, i);

		if (has_owner(s, pair->at, pair->owner))
			r = add_place(s, pair->at, pair->owner);
	}
	return r;
}

static int run(struct search *s, const struct tk_program *p, struct err *err)
{
	int r = know_places(s);
	u32 linked;

	if (!r)
		r = read_memory(s, take_tasks);
	if (r)
		return r;
	linked = s->found.len ? find_links(s) : 0;
	r = find_lasts(s);
	s->l->count = s->found.len;
	if (!r && s->lasts.len)
		r = read_memory(s, take_pairs);
	if (!r && p->minor >= SHARDED_MINOR && s->pairs.len)
		r = read_memory(s, take_arrays);
	if (!r)
		r = take_single(s);
	s->l->failures = r || !linked || s->l->places.len ? 0 : s->l->failures + 1;
	if (s->l->failures >= FAILURES_MAX)
		return err__set(err, -ENOTSUP,
				"the lists of its tasks do not look as those of Tokio %s should",
				p->version);
	return r;
}

int tk_search(struct tk_layout *l, struct task_memory *mem, const struct maps *maps,
	      const struct tk_program *p, struct err *err)
{
	struct search *s = mem_alloc(sizeof(*s));
	u64 before_ns = clock_thread_cpu_ns();
	char path[32];
	int r;

	if (!s)
		return err__nomem(err);
	s->l = l;
	s->mem = mem;
	s->maps = maps;
	snprintf(path, sizeof(path), "/proc/%u/pagemap", mem->tgid);
	s->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	vec__init(&s->found, sizeof(struct tk_node));
	vec__init(&s->pairs, sizeof(struct tk_place));
	map64__init(&s->by_addr);
	map64__init(&s->lasts);
	map64__init(&s->places);
	r = run(s, p, err);
	if (s->pagemap >= 0)
		close(s->pagemap);
	vec__done(&s->found);
	vec__done(&s->pairs);
	map64__done(&s->by_addr);
	map64__done(&s->lasts);
	map64__done(&s->places);
	mem_free(s);
	l->searched_ns = clock_mono_ns();
	l->search_cost_ns = clock_thread_cpu_ns() - before_ns;
	log_debug("process %u: searched for tasks of Tokio, %llu us, %zu lists", mem->tgid,
		  l->search_cost_ns / NSEC_PER_USEC, l->places.len);
	return r;
}

bool tk_search_is_due(const struct tk_layout *l, u64 now_ns)
{
	u64 rest_ns = l->search_cost_ns * SEARCH_RARELY;

	return !l->searched_ns ||
	       now_ns - l->searched_ns >= (rest_ns > SEARCH_EVERY_NS ? rest_ns : SEARCH_EVERY_NS);
}

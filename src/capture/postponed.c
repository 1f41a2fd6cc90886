/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/postponed.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/self_memory.h"

/* A wait may be in the window in which it ended, and in the one before. */
#define WINDOWS_KEPT 2

struct postponed_entry {
	struct cs_postponed *rec; /* owned; only `len` of its bytes are there */
	u64 sz;
	u32 windows; /* closed since it came */
};

void postponed__init(struct postponed *p)
{
	*p = (struct postponed){ 0 };
	vec__init(&p->walks, sizeof(struct postponed_entry));
}

static void forget(struct postponed *p, struct postponed_entry *entry)
{
	p->bytes -= entry->sz;
	mem_free(entry->rec);
}

void postponed__done(struct postponed *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->walks.len; i++)
		forget(p, vec__at(&p->walks, i));
	vec__done(&p->walks);
}

int postponed__take(struct postponed *p, const struct cs_postponed *rec)
{
	u64 len = rec->len < CS_POSTPONED_SZ ? rec->len : CS_POSTPONED_SZ;
	u64 sz = offsetof(struct cs_postponed, bytes) + len;
	struct postponed_entry entry = { .sz = sz }, *slot;

	if (p->bytes + sz > POSTPONED_BYTES || !self_memory_allows(sz))
		return 0;
	entry.rec = mem_alloc(sz);
	slot = entry.rec ? vec__push(&p->walks) : NULL;
	if (!slot) {
		mem_free(entry.rec);
		return -ENOMEM;
	}
	memcpy(entry.rec, rec, sz);
	entry.rec->len = (u32)len;
	*slot = entry;
	p->bytes += entry.sz;
	return 0;
}

static int compare_maps(const void *a, const void *b)
{
	const struct cs_image_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* What the record knows of mappings, as the programs look them up. */
static void fill_maps(const struct cs_postponed *rec, const struct mapped *m,
		      struct cs_image_maps *to)
{
	/* An address in none of them stays unknown: the programs must not ask for more. */
	*to = (struct cs_image_maps){ .asked = 1 };
	for (u32 i = 0; i < rec->maps_len && i < CS_POSTPONED_MAPS; i++) {
		const struct cs_postponed_map *from = &rec->map[i];
		const struct mapped_file *f = from->module ? mapped__at(m, from->module) : NULL;
		struct cs_image_map *map = &to->map[to->len];

		if (!from->exec || (from->module && !f))
			continue;
		*map = (struct cs_image_map){
			.start = from->start, .end = from->end, .off = from->off, .file = f != NULL
		};
		if (f && f->id != CS_MODULE_ID_VDSO)
			map->key = f->key;
		to->len++;
	}
	qsort(to->map, to->len, sizeof(to->map[0]), compare_maps);
}

struct work {
	struct cs_postponed_walk walk;
	struct cs_image_maps maps;
};

/* More frames than before, and those before are still the same. */
static bool is_better(const struct cs_stack *before, const struct cs_stack *after)
{
	return after->end != CS_END_NO_TABLE && before->len <= after->len &&
	       !memcmp(before->pc, after->pc, before->len * sizeof(before->pc[0]));
}

static int walk_one(const struct postponed_entry *entry, struct work *work, struct stacks *stacks,
		    const struct mapped *m, const struct programs *programs)
{
	const struct cs_stack *before = stacks__find(stacks, entry->rec->stack);
	struct cs_stack after;
	u64 image = entry->rec->image;
	int fd, r = 0;

	if (!before)
		return 0;
	fd = programs__image_maps_fd(programs);
	fill_maps(entry->rec, m, &work->maps);
	memcpy(&work->walk.from, entry->rec,
	       offsetof(struct cs_postponed, bytes) + entry->rec->len);
	/* Where the programs find mappings by themselves, nobody else uses that table. */
	if (programs__mm_walk(programs))
		r = bpf_map_update_elem(fd, &image, &work->maps, BPF_ANY);
	if (!r)
		r = programs__walk_postponed(programs, &work->walk, &after);
	if (programs__mm_walk(programs))
		bpf_map_delete_elem(fd, &image);
	if (r)
		log_debug("a walk cannot be repeated: %s", err_str(r));
	else if (is_better(before, &after))
		r = stacks__replace(stacks, entry->rec->stack, &after);
	return r == -ENOMEM ? r : 0;
}

static void forget_old(struct postponed *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->walks.len; i++) {
		struct postponed_entry *entry = vec__at(&p->walks, i);

		if (++entry->windows < WINDOWS_KEPT)
			*(struct postponed_entry *)vec__at(&p->walks, kept++) = *entry;
		else
			forget(p, entry);
	}
	p->walks.len = kept;
}

int postponed__walk(struct postponed *p, struct stacks *stacks, const struct mapped *m,
		    const struct programs *programs)
{
	struct work *work;
	int r = 0;

	if (!p->walks.len)
		return 0;
	work = mem_alloc(sizeof(*work));
	if (!work)
		return -ENOMEM;
	for (size_t i = 0; !r && i < p->walks.len; i++)
		r = walk_one(vec__at(&p->walks, i), work, stacks, m, programs);
	mem_free(work);
	forget_old(p);
	return r;
}

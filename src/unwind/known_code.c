/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of call frame information pass through here on their way from elf/cfi, which knows nothing
 * about languages and C libraries, to the tables. Known ranges override or fill them.
 */
#include "unwind/known_code.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void known_code__init(struct known_code *k)
{
	vec__init(&k->ranges, sizeof(struct known_range));
}

void known_code__done(struct known_code *k)
{
	vec__done(&k->ranges);
}

int known_code__add(struct known_code *k, const struct image *img, u64 start, u64 end,
		    const struct cfi_rule *rule, bool fills)
{
	const struct image_segment *s = image__segment_at(img, start);
	struct known_range *range;

	if (!s || start - s->vaddr >= s->file_sz || end <= start || s->off > UINT64_MAX / 2 ||
	    k->ranges.len >= KNOWN_CODE_MAX)
		return 0;
	if (end - s->vaddr > s->file_sz)
		end = s->vaddr + s->file_sz;
	range = vec__push(&k->ranges);
	if (!range)
		return -ENOMEM;
	*range = (struct known_range){ .off = s->off + (start - s->vaddr),
				       .end = s->off + (end - s->vaddr),
				       .rule = *rule,
				       .fills = fills };
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct known_range *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->fills - y->fills;
}

/* Sorts and removes overlaps. */
static void settle(struct known_code *k)
{
	struct known_range *range = k->ranges.data;
	size_t kept = 0;

	if (!k->ranges.len)
		return;
	qsort(range, k->ranges.len, sizeof(*range), by_begin);
	for (size_t i = 0; i < k->ranges.len; i++)
		if (!kept || range[i].off >= range[kept - 1].end)
			range[kept++] = range[i];
	k->ranges.len = kept;
}

struct merging {
	const struct known_range *next; /* the next range, or the one that contains this row */
	const struct known_range *stop;
	bool inside;
	struct cfi_rule covered; /* the rule of the rows without ranges */
	cfi_row_fn fn;
	void *arg;
};

static u64 next_edge(const struct merging *m)
{
	return m->inside ? m->next->end : m->next->off;
}

/* Processes the ends and starts of ranges at `off`. */
static void pass_edges(struct merging *m, u64 off)
{
	while (m->next < m->stop && next_edge(m) == off) {
		m->next += m->inside;
		m->inside = !m->inside;
	}
}

static int give_row(const struct merging *m, u64 off)
{
	bool ours = m->inside && (!m->next->fills || m->covered.cfa == CFI_CFA_NONE);

	return m->fn(m->arg, off, ours ? &m->next->rule : &m->covered);
}

/* Emits a row for each edge before `off`. */
static int reach(struct merging *m, u64 off)
{
	int r = 0;

	while (!r && m->next < m->stop && next_edge(m) < off) {
		u64 at = next_edge(m);

		pass_edges(m, at);
		r = give_row(m, at);
	}
	return r;
}

static int take_row(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct merging *m = arg;
	int r = reach(m, off);

	m->covered = *rule;
	pass_edges(m, off);
	return r ? r : give_row(m, off);
}

int known_code__cfi_read(struct known_code *k, const struct image *img, const char *name,
			 cfi_row_fn fn, void *arg, struct err *err)
{
	struct merging m = { .fn = fn, .arg = arg };
	struct err why = { 0 };
	int r;

	settle(k);
	m.next = k->ranges.data;
	m.stop = k->ranges.len ? m.next + k->ranges.len : m.next;
	r = cfi_read(img, name, take_row, &m, &why);
	if (r && !(r == -ENODATA && k->ranges.len)) {
		if (err && why.code)
			*err = why;
		return r;
	}
	/* the last row marked the end of the information, and `covered` does too */
	return reach(&m, UINT64_MAX);
}

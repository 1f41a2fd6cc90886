/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a file must be contiguous, but its rows need not be: they are stored in pieces of
 * whole pages of rows, each inside one segment. Pieces are small enough to fit into the holes that
 * evicted tables leave, and large enough to be few.
 */
#include "unwind/table.h"

#include <errno.h>
#include <string.h>

#define PIECE_SZ (32U << 10)

static int alloc(struct place *p, struct space *s, u32 sz, bool whole, u32 *ret_addr)
{
	struct space_extent *e = vec__push(&p->extents);
	int r;

	if (!e)
		return -ENOMEM;
	sz = (sz + 7) & ~7U;
	r = space__alloc(s, sz, whole, ret_addr);
	if (r) {
		p->extents.len--;
		return r;
	}
	*e = (struct space_extent){ .addr = *ret_addr, .sz = sz };
	return 0;
}

static u32 rows_until(const struct table *t, u32 page)
{
	return *(const u32 *)vec__at(&t->pages, page);
}

/* Where the piece that begins with `page` ends: after as many pages as fit. */
static u32 end_of_piece(const struct table *t, u32 page)
{
	const u32 most = PIECE_SZ / sizeof(struct cs_unwind_row);
	u32 end = page + 1;

	while (end < table__page_cnt(t) && rows_until(t, end + 1) - rows_until(t, page) <= most)
		end++;
	return end;
}

/* An entry of the index. No entry crosses a segment boundary, but the index may. */
static void write_entry(const struct place *p, const struct space *s, u32 page, u32 rows, u32 len)
{
	struct cs_unwind_page entry = { .rows = len ? rows : 0, .len = len };

	memcpy(space__at(s, p->index + page * (u32)sizeof(entry)), &entry, sizeof(entry));
}

/* Writes the rows of [page, end) and their entries. */
static int write_piece(const struct table *t, struct place *p, struct space *s, u32 page, u32 end)
{
	const u32 row_sz = sizeof(struct cs_unwind_row);
	u32 first = rows_until(t, page), len = rows_until(t, end) - first, addr = 0;
	int r;

	if (len) {
		r = alloc(p, s, len * row_sz, true, &addr);
		if (r)
			return r;
		memcpy(space__at(s, addr), vec__at(&t->rows, first), (size_t)len * row_sz);
	}
	for (; page < end; page++)
		write_entry(p, s, page, addr + (rows_until(t, page) - first) * row_sz,
			    rows_until(t, page + 1) - rows_until(t, page));
	return 0;
}

static int write(const struct table *t, struct place *p, struct space *s)
{
	u32 page = 0;
	int r = alloc(p, s, p->pages * (u32)sizeof(struct cs_unwind_page), false, &p->index);

	while (!r && page < p->pages) {
		u32 end = end_of_piece(t, page);

		r = write_piece(t, p, s, page, end);
		page = end;
	}
	return r;
}

int table__place(const struct table *t, struct space *s, struct place *ret, struct err *err)
{
	struct place p = { .first_page = t->first_page, .pages = table__page_cnt(t) };
	int r;

	vec__init(&p.extents, sizeof(struct space_extent));
	r = write(t, &p, s);
	if (r) {
		place__free(&p, s);
		return r == -ENOSPC ? err__set(err, r, "no room left for unwind tables") :
				      err__nomem(err);
	}
	*ret = p;
	return 0;
}

void place__free(struct place *p, struct space *s)
{
	const struct space_extent *e;
	size_t i;

	if (!p)
		return;
	e = p->extents.data;
	for (i = 0; i < p->extents.len; i++)
		space__free(s, e[i].addr, e[i].sz);
	vec__done(&p->extents);
	*p = (struct place){ 0 };
}

u64 place__bytes(const struct place *p)
{
	const struct space_extent *e = p->extents.data;
	u64 sz = 0;
	size_t i;

	for (i = 0; i < p->extents.len; i++)
		sz += e[i].sz;
	return sz;
}

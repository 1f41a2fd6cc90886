/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns put similar values next to each other, which zstd compresses well, and a column can be
 * added without a new format. Numbers are LEB128; values that are usually small take a byte.
 */
#include "recording/block/column.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define LEB_SZ 10

static u32 put_uleb(u8 *p, u64 value)
{
	u32 n = 0;

	while (value >= 0x80) {
		p[n++] = (u8)(value | 0x80);
		value >>= 7;
	}
	p[n++] = (u8)value;
	return n;
}

static u64 zigzag(s64 value)
{
	return (u64)value << 1 ^ (u64)(value >> 63);
}

static s64 unzigzag(u64 value)
{
	return (s64)(value >> 1 ^ -(value & 1));
}

void section_out__init(struct section_out *s, u32 tag, u32 cols_len, u32 flags)
{
	u32 i;

	*s = (struct section_out){ .tag = tag, .flags = flags, .cols_len = cols_len };
	for (i = 0; i < cols_len; i++) {
		vec__init(&s->cols[i], 1);
		s->is_zero[i] = true;
	}
}

void section_out__done(struct section_out *s)
{
	u32 i;

	for (i = 0; s && i < s->cols_len; i++)
		vec__done(&s->cols[i]);
}

static int put_bytes(struct vec *v, const void *data, size_t sz)
{
	void *p = vec__push_n(v, sz);

	if (!p)
		return -ENOMEM;
	if (sz)
		memcpy(p, data, sz);
	return 0;
}

void section_out__bytes(struct section_out *s, u32 col, const void *data, size_t sz)
{
	if (sz)
		s->is_zero[col] = false;
	if (!s->error)
		s->error = put_bytes(&s->cols[col], data, sz);
}

void section_out__uleb(struct section_out *s, u32 col, u64 value)
{
	u8 leb[LEB_SZ];

	if (value)
		s->is_zero[col] = false;
	if (!s->error)
		s->error = put_bytes(&s->cols[col], leb, put_uleb(leb, value));
}

void section_out__zigzag(struct section_out *s, u32 col, s64 value)
{
	section_out__uleb(s, col, zigzag(value));
}

static int append_uleb(struct vec *block, u64 value)
{
	u8 leb[LEB_SZ];

	return put_bytes(block, leb, put_uleb(leb, value));
}

/* Column 0 determines the number of rows. */
static size_t stored_sz(const struct section_out *s, u32 col)
{
	return col && s->is_zero[col] ? 0 : s->cols[col].len;
}

int section_out__append(struct section_out *s, struct vec *block)
{
	const u64 head[] = { s->tag, s->flags, s->rows, s->cols_len };
	int r = s->error;
	u32 i;

	for (i = 0; i < ARRAY_LEN(head) && !r; i++)
		r = append_uleb(block, head[i]);
	for (i = 0; i < s->cols_len && !r; i++)
		r = append_uleb(block, (u64)stored_sz(s, i) << 1 | s->needed[i]);
	for (i = 0; i < s->cols_len && !r; i++)
		r = put_bytes(block, s->cols[i].data, stored_sz(s, i));
	return r;
}

/* The sizes of all columns; the first `known` are kept. */
static int read_columns(struct section_in *s, struct view *block, u64 cols_len, u32 known,
			bool needed)
{
	struct view sizes = *block;
	u64 i;

	/* over the sizes: each column has at least one byte there, so this ends */
	for (i = 0; i < cols_len && !block->bad; i++)
		view__uleb(block);
	for (i = 0; i < cols_len && !block->bad; i++) {
		u64 word = view__uleb(&sizes);
		const void *p = view__bytes(block, word >> 1);

		if (block->bad)
			break;
		if (i >= known && needed && word & 1)
			return -EOPNOTSUPP;
		if (i >= known)
			continue;
		s->has[i] = word >> 1;
		s->cols[i] = view__of(p, word >> 1);
	}
	return block->bad ? -EBADMSG : 0;
}

int section_in__next(struct section_in *s, struct view *block, const u8 *known, u32 known_len)
{
	while (view__left(block)) {
		u64 tag = view__uleb(block), flags = view__uleb(block), rows = view__uleb(block);
		u64 cols_len = view__uleb(block);
		u32 cols = tag < known_len ? known[tag] : 0;
		int r;

		memset(s, 0, sizeof(*s));
		if (block->bad || cols_len > view__left(block))
			return -EBADMSG;
		r = read_columns(s, block, cols_len, cols, cols > 0);
		if (r)
			return r;
		if (!cols && flags & SECTION_NEEDED)
			return -EOPNOTSUPP;
		if (!cols)
			continue;
		if (rows > UINT32_MAX - 1 || rows > view__left(&s->cols[0]))
			return -EBADMSG;
		s->tag = (u32)tag;
		s->rows = (u32)rows;
		return 1;
	}
	return block->bad ? -EBADMSG : 0;
}

u64 section_in__uleb(struct section_in *s, u32 col)
{
	return s->has[col] ? view__uleb(&s->cols[col]) : 0;
}

s64 section_in__zigzag(struct section_in *s, u32 col)
{
	return unzigzag(section_in__uleb(s, col));
}

const void *section_in__bytes(struct section_in *s, u32 col, size_t sz)
{
	/* a column with only empty values has no bytes */
	if (!s->has[col])
		return sz ? NULL : "";
	return view__bytes(&s->cols[col], sz);
}

int section_in__finish(const struct section_in *s)
{
	u32 i;

	for (i = 0; i < SECTION_COLUMNS; i++) {
		if (s->has[i] && (s->cols[i].bad || view__left(&s->cols[i])))
			return -EBADMSG;
	}
	return 0;
}

static u64 load(const void *row, const struct section_field *f)
{
	u64 wide;
	u32 narrow;

	if (f->sz == sizeof(wide)) {
		memcpy(&wide, (const char *)row + f->off, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, (const char *)row + f->off, sizeof(narrow));
	return narrow;
}

void section_out__fields(struct section_out *s, const struct section_field *fields, size_t len,
			 const void *row, const void *before)
{
	size_t i;

	for (i = 0; i < len; i++) {
		const struct section_field *f = &fields[i];

		if (f->delta)
			section_out__zigzag(s, f->col, (s64)(load(row, f) - load(before, f)));
		else
			section_out__uleb(s, f->col, load(row, f));
	}
}

int section_in__fields(struct section_in *s, const struct section_field *fields, size_t len,
		       void *row, const void *before)
{
	size_t i;

	for (i = 0; i < len; i++) {
		const struct section_field *f = &fields[i];
		u64 value = f->delta ? (u64)section_in__zigzag(s, f->col) + load(before, f) :
				       section_in__uleb(s, f->col);
		u32 narrow = (u32)value;

		if (f->sz == sizeof(value)) {
			memcpy((char *)row + f->off, &value, sizeof(value));
			continue;
		}
		if (narrow != value)
			return -EBADMSG;
		memcpy((char *)row + f->off, &narrow, sizeof(narrow));
	}
	return 0;
}

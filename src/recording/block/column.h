/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_COLUMN_H
#define RECORDING_BLOCK_COLUMN_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "base/view.h"

/*
 * What is inside a block: sections, one after the other. A section is a table stored by columns:
 *
 *	tag, flags, rows, number of columns			LEB128 each
 *	for each column: size in bytes * 2 + (1: needed)	LEB128
 *	the columns
 *
 * Columns and sections are numbered and only ever added. A reader passes over sections and columns
 * that it does not know, unless they are marked as needed: then it must refuse. A column of no
 * bytes is zero in every row, also one that an older writer did not know. Column 0 is always there
 * and has a byte or more for each row, so that a few bytes cannot claim millions of rows.
 */
#define SECTION_NEEDED 1 /* flag: who does not know the tag must not go on */
#define SECTION_COLUMNS 96

struct section_out {
	u32 tag;
	u32 flags;
	u32 rows; /* the caller counts */
	u32 cols_len;
	struct vec cols[SECTION_COLUMNS]; /* u8 */
	bool is_zero[SECTION_COLUMNS]; /* so far */
	bool needed[SECTION_COLUMNS]; /* a reader must know it */
	int error; /* sticky: -ENOMEM */
};

void section_out__init(struct section_out *s, u32 tag, u32 cols_len, u32 flags);
/* NULL is fine. */
void section_out__done(struct section_out *s);
void section_out__uleb(struct section_out *s, u32 col, u64 value);
/* Small numbers of either sign. */
void section_out__zigzag(struct section_out *s, u32 col, s64 value);
void section_out__bytes(struct section_out *s, u32 col, const void *data, size_t sz);
/* Appends the section to a block (a vec of u8). -ENOMEM, also of the calls before, or 0. */
int section_out__append(struct section_out *s, struct vec *block);

struct section_in {
	u32 tag;
	u32 rows;
	struct view cols[SECTION_COLUMNS];
	bool has[SECTION_COLUMNS]; /* bytes, and not zeros */
};

/*
 * The next section that a reader with `known[tag]` columns (0: a section it does not know) can
 * read; others are passed over. 1, 0 at the end, -EBADMSG for bytes that are no section, and
 * -EOPNOTSUPP for one that is needed and not known.
 */
int section_in__next(struct section_in *s, struct view *block, const u8 *known, u32 known_len);
u64 section_in__uleb(struct section_in *s, u32 col);
s64 section_in__zigzag(struct section_in *s, u32 col);
/* `sz` bytes, or NULL when there are less. */
const void *section_in__bytes(struct section_in *s, u32 col, size_t sz);
/* Was every column read to its end and no further? -EBADMSG or 0. */
int section_in__finish(const struct section_in *s);

/* A number of a struct that is stored as a column. */
struct section_field {
	u8 col;
	u8 sz; /* 4 or 8 */
	u16 off;
	bool delta; /* stored as difference from the row before */
};
#define SECTION_FIELD(column, type, member, is_delta)                                              \
	{                                                                                          \
		.col = (column), .sz = sizeof(((type *)0)->member), .off = offsetof(type, member), \
		.delta = (is_delta)                                                                \
	}

/* `before` is the row before, or one of zeros. */
void section_out__fields(struct section_out *s, const struct section_field *fields, size_t len,
			 const void *row, const void *before);
/* -EBADMSG for a number that does not fit its field. */
int section_in__fields(struct section_in *s, const struct section_field *fields, size_t len,
		       void *row, const void *before);

#endif

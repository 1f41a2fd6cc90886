/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three formats, all of them steps: advance by some bytes of code, and by some lines.
 *
 * 3.8, 3.9 (lnotab): pairs of bytes, code and signed lines. The lines apply before the code of the
 * next pair, and the last line applies to the end.
 *
 * 3.10: pairs of bytes, code and signed lines; the lines apply first, then the code has that line.
 * -128 lines: this code has no line.
 *
 * 3.11 on: entries of one head byte (1, kind:4, length - 1 in units:3) and data that depends on the
 * kind. We use only the lines and skip columns.
 *
 * Line numbers are added modulo 2^32; a result that is not positive is no line.
 */
#include "symbol/pyline.h"

#define VERSION(minor) (3U << 8 | (minor))

#define NO_LINE_310 (-128)

/* Kinds of 3.11's entries; smaller ones have no lines and one byte of columns. */
enum location_kind {
	LOCATION_ONE_LINE = 10, /* 0, 1 or 2 lines further: kind - 10; two bytes of columns */
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

static u32 positive(u32 line)
{
	return (s32)line > 0 ? line : 0;
}

static u32 find_38(u32 line, struct view table, bool cut, u32 at)
{
	u32 code = 0;

	while (view__left(&table) >= 2) {
		code += view__u8(&table);
		if (code > at)
			return positive(line);
		line += (u32)(s32)(__s8)view__u8(&table);
	}
	return cut ? 0 : positive(line);
}

static u32 find_310(u32 line, struct view table, u32 at)
{
	u32 end = 0;

	while (view__left(&table) >= 2) {
		u32 len = view__u8(&table);
		s32 step = (__s8)view__u8(&table);

		if (step != NO_LINE_310)
			line += (u32)step;
		end += len;
		if (end > at)
			return step == NO_LINE_310 ? 0 : positive(line);
	}
	return 0;
}

/* Six bits per byte, lowest first; bit 6 says that more follow. */
static u32 varint(struct view *v)
{
	u32 value = 0, shift = 0;
	u8 byte;

	do {
		byte = view__u8(v);
		if (shift < 32)
			value |= (u32)(byte & 0x3f) << shift;
		shift += 6;
	} while ((byte & 0x40) && !v->bad);
	return value;
}

/* The sign is the lowest bit. */
static u32 svarint(struct view *v)
{
	u32 value = varint(v);

	return value & 1 ? 0U - (value >> 1) : value >> 1;
}

/* Reads what follows the head of an entry: the line step, and whether the code has a line. */
static u32 location_step(struct view *v, u32 kind, bool *ret_has_line)
{
	u32 step = 0;

	*ret_has_line = kind != LOCATION_NONE;
	switch (kind) {
	case LOCATION_NONE:
		break;
	case LOCATION_LONG:
		step = svarint(v);
		varint(v); /* lines to the end */
		varint(v); /* first and last column */
		varint(v);
		break;
	case LOCATION_NO_COLUMNS:
		step = svarint(v);
		break;
	case LOCATION_ONE_LINE:
	case LOCATION_ONE_LINE + 1:
	case LOCATION_ONE_LINE + 2:
		step = kind - LOCATION_ONE_LINE;
		view__bytes(v, 2);
		break;
	default:
		view__u8(v);
	}
	return step;
}

static u32 find_311(u32 line, struct view table, u32 instr)
{
	u32 end = 0;
	bool has_line;

	while (view__left(&table)) {
		u8 head = view__u8(&table);

		line += location_step(&table, head >> 3 & 15, &has_line);
		end += (head & 7U) + 1;
		if (table.bad)
			return 0;
		if (end > instr)
			return has_line ? positive(line) : 0;
	}
	return 0;
}

u32 pyline_find(u32 version, u32 first_line, struct view table, bool cut, u32 instr)
{
	if (version >= VERSION(11) && version <= VERSION(13))
		return find_311(first_line, table, instr);
	if (version == VERSION(10))
		return find_310(first_line, table, instr * 2);
	if (version == VERSION(8) || version == VERSION(9))
		return find_38(first_line, table, cut, instr * 2);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What several formats need. */
#include "import/format.h"

#include <errno.h>
#include <string.h>

#include "import/name_hints.h"

int import_refuse(const struct input *in, int r, struct err *err)
{
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r == -EOVERFLOW)
		return input__fault(in, err, "times add up to more than a number can hold");
	return input__fault(in, err, "what it says cannot be a profile");
}

bool import_is_text(struct view head)
{
	const u8 *p;

	for (p = head.p; p < head.end; p++) {
		if (*p < ' ' && *p != '\n' && *p != '\t' && *p != '\r')
			return false;
	}
	return true;
}

bool import_head_line(struct view *head, struct view *ret)
{
	if (!view__line(head, ret))
		return false;
	if (view__left(ret) && ret->end[-1] == '\r')
		ret->end--;
	return true;
}

static bool is_digit(u8 c)
{
	return c >= '0' && c <= '9';
}

struct view import_trim(struct view v)
{
	view__blank(&v);
	while (view__left(&v) && (v.end[-1] == ' ' || v.end[-1] == '\t'))
		v.end--;
	return v;
}

/* Six digits at most count. */
static bool read_fraction(struct view *v, u32 *ret_millionths)
{
	u32 unit = 100000;

	*ret_millionths = 0;
	if (!view__left(v))
		return true;
	if (!view__accept(v, '.'))
		return false;
	for (; view__left(v) && is_digit(*v->p); v->p++) {
		*ret_millionths += (u32)(*v->p - '0') * unit;
		unit /= 10;
	}
	return !view__left(v);
}

bool import_take_number(struct view *line, u64 *ret_whole, u32 *ret_millionths)
{
	struct view rest = import_trim(*line), number = rest;

	number.p = number.end;
	while (number.p > rest.p && (is_digit(number.p[-1]) || number.p[-1] == '.'))
		number.p--;
	if (!view__left(&number) || !is_digit(*number.p))
		return false;
	rest.end = number.p;
	*ret_whole = view__dec(&number);
	if (number.bad || !read_fraction(&number, ret_millionths))
		return false;
	*line = rest;
	return true;
}

int import_ns(const struct import_options *opt, enum import_unit unit, u64 whole, u32 millionths,
	      u64 *ret_ns)
{
	static const u64 units[] = {
		[IMPORT_UNIT_US] = NSEC_PER_USEC,
		[IMPORT_UNIT_NS] = 1,
		[IMPORT_UNIT_MS] = NSEC_PER_MSEC,
	};
	u64 unit_ns = unit == IMPORT_UNIT_SAMPLES ? opt->period_ns : units[unit];
	unsigned __int128 ns = (unsigned __int128)whole * unit_ns +
			       (unsigned __int128)unit_ns * millionths / 1000000;

	*ret_ns = (u64)ns;
	return ns >> 63 ? -EOVERFLOW : 0;
}

bool import_split_last(struct view *v, char c, struct view *ret_rest)
{
	const u8 *at = view__left(v) ? memrchr(v->p, c, view__left(v)) : NULL;

	if (!at)
		return false;
	*ret_rest = view__of(at + 1, (size_t)(v->end - at) - 1);
	v->end = at;
	return true;
}

void import_take_offset(struct view *name, u64 *ret_off)
{
	struct view head = *name, off;

	*ret_off = 0;
	if (!import_split_last(&head, '+', &off) || !view_starts(&off, "0x"))
		return;
	off.p += 2;
	*ret_off = view__hex(&off);
	if (off.bad || view__left(&off))
		*ret_off = 0;
	else
		*name = head;
}

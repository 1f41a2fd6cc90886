/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge builds the new list beside the old one, strings included: a failure then leaves the old
 * one whole, and the paths of ranges that were covered do not stay in memory for ever in a process
 * that loads and unloads code all day.
 */
#include "proc/maps.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct merge {
	struct vec ranges;
	struct arena strings;
	const char *from; /* path copied last, and its copy */
	const char *copy;
};

/* Adds the part [start, end) of `range`. */
static int add_part(struct merge *to, const struct map_range *range, u64 start, u64 end)
{
	struct map_range *part;

	if (start >= end)
		return 0;
	if (range->path != to->from) {
		to->copy = arena__strdup(&to->strings, range->path);
		if (!to->copy)
			return -ENOMEM;
		to->from = range->path;
	}
	part = vec__push(&to->ranges);
	if (!part)
		return -ENOMEM;
	*part = *range;
	part->start = start;
	part->end = end;
	/* what has no file has no offset either: the kernel prints 0 for every part of it */
	if (map_range__is_file(range) || map_range__is_vdso(range))
		part->off += start - range->start;
	part->path = to->copy;
	return 0;
}

/* Of `old`, what `newer` leaves free from range *idx on; moves *idx to what may touch the next. */
static int add_uncovered(struct merge *to, const struct map_range *old, const struct maps *newer,
			 size_t *idx)
{
	u64 start = old->start;
	int r;

	while (*idx < newer->len && newer->ranges[*idx].start < old->end) {
		const struct map_range *over = &newer->ranges[*idx];

		r = add_part(to, old, start, over->start);
		if (r)
			return r;
		if (over->end > start)
			start = over->end;
		if (over->end > old->end)
			return 0;
		r = add_part(to, over, over->start, over->end);
		if (r)
			return r;
		++*idx;
	}
	return add_part(to, old, start, old->end);
}

static int merge_all(struct merge *to, const struct maps *old, const struct maps *newer)
{
	size_t i, idx = 0;
	int r;

	for (i = 0; i < old->len; i++) {
		r = 0;
		/* newer ranges that lie wholly before this one */
		for (; !r && idx < newer->len && newer->ranges[idx].end <= old->ranges[i].start;
		     idx++)
			r = add_part(to, &newer->ranges[idx], newer->ranges[idx].start,
				     newer->ranges[idx].end);
		if (!r)
			r = add_uncovered(to, &old->ranges[i], newer, &idx);
		if (r)
			return r;
	}
	for (; idx < newer->len; idx++) {
		r = add_part(to, &newer->ranges[idx], newer->ranges[idx].start,
			     newer->ranges[idx].end);
		if (r)
			return r;
	}
	return 0;
}

int maps__merge(struct maps *into, const struct maps *newer)
{
	struct merge to = { 0 };
	int r;

	vec__init(&to.ranges, sizeof(struct map_range));
	arena__init(&to.strings);
	r = merge_all(&to, into, newer);
	if (r) {
		vec__done(&to.ranges);
		arena__done(&to.strings);
		return r;
	}
	maps__done(into);
	into->ranges = vec__steal(&to.ranges, &into->len);
	into->strings = to.strings;
	return 0;
}

int maps__copy(struct maps *ret_m, const struct maps *from)
{
	maps__init(ret_m);
	return maps__merge(ret_m, from);
}

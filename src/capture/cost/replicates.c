/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums only grow, also while they are read: what one reading misses is in the next, and the last
 * interval gets the final content of the table, so the parts of a wait add up to its sum.
 *
 * A row belongs to one thread, which cannot wait for longer than an interval lasts. If a long wait
 * ends, everything beyond the interval's length belongs to earlier ones. This makes waits exact
 * that were open when the window began or ended and would otherwise be one lump at the end.
 */
#include "capture/cost/replicates.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/self_memory.h"

/* Readings may take one part in this many of a CPU's time. */
#define COST_PARTS 200
/* Fewer and longer intervals than this say nothing. */
#define INTERVALS_MIN 4

struct row {
	struct cs_wait_key key;
	u64 seen_ns;
};

_Static_assert(offsetof(struct row, seen_ns) == sizeof(struct cs_wait_key), "no padding in a key");

void replicates__init(struct replicates *rs, u64 every_ns)
{
	memset(rs, 0, sizeof(*rs));
	rs->next_ns = ~0ULL;
	vec__init(&rs->intervals, sizeof(struct profile_interval));
	vec__init(&rs->parts, sizeof(struct profile_replicate));
	if (every_ns && !intern__init(&rs->rows, sizeof(struct row), sizeof(struct cs_wait_key)))
		rs->every_ns = every_ns;
}

void replicates__done(struct replicates *rs)
{
	intern__done(&rs->rows);
	vec__done(&rs->intervals);
	vec__done(&rs->parts);
	mem_free(rs->first);
	memset(rs, 0, sizeof(*rs));
	rs->next_ns = ~0ULL;
}

static void give_up(struct replicates *rs)
{
	replicates__done(rs);
	vec__init(&rs->intervals, sizeof(struct profile_interval));
	vec__init(&rs->parts, sizeof(struct profile_replicate));
}

void replicates__begin(struct replicates *rs, u64 begin_ns, size_t key_sz)
{
	rs->key_sz = key_sz;
	rs->begin_ns = rs->last_ns = begin_ns;
	if (rs->every_ns)
		rs->next_ns = begin_ns + rs->every_ns;
}

static void coarsen(struct replicates *rs)
{
	rs->every_ns *= 2;
	if (replicates_coarsen(&rs->intervals, &rs->parts))
		give_up(rs);
}

static void make_room(struct replicates *rs)
{
	if (rs->intervals.len >= PROFILE_INTERVALS_MAX)
		coarsen(rs);
	while (rs->parts.len > PROFILE_REPLICATES_MAX) {
		if (rs->intervals.len < INTERVALS_MIN) {
			give_up(rs);
			return;
		}
		coarsen(rs);
	}
}

void replicates__next(struct replicates *rs, u64 now_ns)
{
	struct profile_interval *iv;

	if (!rs->every_ns || now_ns <= rs->last_ns)
		return;
	iv = vec__push(&rs->intervals);
	if (!iv) {
		give_up(rs);
		return;
	}
	iv->begin_ns = rs->last_ns - rs->begin_ns;
	iv->length_ns = now_ns - rs->last_ns;
	rs->last_ns = now_ns;
	rs->next_ns = now_ns + rs->every_ns;
}

/* Parts of a key that the table lacks are 0. */
static struct row row_of(const struct replicates *rs, const void *key)
{
	struct row row = { .seen_ns = 0 };

	memcpy(&row.key, key, rs->key_sz);
	return row;
}

int replicates__row(void *arg, const void *key, const void *sum)
{
	struct replicates *rs = arg;
	const struct cs_wait_sum *v = sum;
	struct profile_replicate *part;
	u64 ns = v->blocked_ns + v->runq_ns;
	struct row row, *known;
	u32 id;

	/* Samples on a CPU are not waits, and have no time. */
	if (!rs->every_ns || !ns)
		return 0;
	row = row_of(rs, key);
	if (!self_memory_allows(intern__growth(&rs->rows, 1) + vec__growth(&rs->parts, 1)) ||
	    intern__add(&rs->rows, &row, &id)) {
		give_up(rs);
		return 0;
	}
	known = intern__at(&rs->rows, id);
	if (ns <= known->seen_ns)
		return 0;
	part = vec__push(&rs->parts);
	if (!part) {
		give_up(rs);
		return 0;
	}
	*part = (struct profile_replicate){ id, (u32)rs->intervals.len - 1, ns - known->seen_ns };
	known->seen_ns = ns;
	return 0;
}

void replicates__read(struct replicates *rs, u64 cpu_ns)
{
	if (!rs->every_ns)
		return;
	make_room(rs);
	while (rs->every_ns && rs->intervals.len >= INTERVALS_MIN &&
	       cpu_ns * COST_PARTS > rs->every_ns)
		coarsen(rs);
	if (rs->every_ns)
		rs->next_ns = rs->last_ns + rs->every_ns;
}

/* A last interval much shorter than the others would be mostly noise. */
static void end_intervals(struct replicates *rs, u64 end_ns)
{
	struct profile_interval *last;

	if (rs->intervals.len && end_ns > rs->last_ns && end_ns - rs->last_ns < rs->every_ns / 2) {
		last = vec__at(&rs->intervals, rs->intervals.len - 1);
		last->length_ns += end_ns - rs->last_ns;
		rs->last_ns = end_ns;
	} else {
		replicates__next(rs, end_ns);
	}
}

static void find_rows(struct replicates *rs)
{
	u32 len = intern__len(&rs->rows);
	size_t i;

	rs->first = mem_array((size_t)len + 1, sizeof(u32));
	if (!rs->first || replicates_sort(&rs->parts)) {
		give_up(rs);
		return;
	}
	for (i = rs->parts.len; i-- > 0;)
		rs->first[((struct profile_replicate *)vec__at(&rs->parts, i))->wait] = (u32)i;
}

int replicates__end(struct replicates *rs, u64 end_ns, struct builder *b)
{
	int r = 0;
	size_t i;

	if (!rs->every_ns)
		return 0;
	end_intervals(rs, end_ns);
	if (rs->every_ns)
		find_rows(rs);
	for (i = 0; i < rs->intervals.len && !r; i++)
		r = builder__interval(b, vec__at(&rs->intervals, i));
	return r;
}

/* Fills `ns` by interval; the last one gets what came since. */
static void take_parts(const struct replicates *rs, u32 id, u64 sum_ns, u64 *ns)
{
	size_t i = id ? rs->first[id] : 0;
	u64 rest = sum_ns;

	memset(ns, 0, rs->intervals.len * sizeof(*ns));
	for (; id && i < rs->parts.len; i++) {
		const struct profile_replicate *part = vec__at(&rs->parts, i);

		if (part->wait != id)
			break;
		ns[part->interval] += part->ns;
		rest -= part->ns < rest ? part->ns : rest;
	}
	ns[rs->intervals.len - 1] += rest;
}

/* What does not fit into an interval belongs to the one before; the first keeps the rest. */
static void reach_back(const struct replicates *rs, u64 *ns)
{
	size_t i;

	for (i = rs->intervals.len; i-- > 1;) {
		u64 room = ((struct profile_interval *)vec__at(&rs->intervals, i))->length_ns;

		if (ns[i] <= room)
			continue;
		ns[i - 1] += ns[i] - room;
		ns[i] = room;
	}
}

int replicates__give(struct replicates *rs, const void *key, const struct cs_wait_sum *sum,
		     struct builder *b)
{
	u64 ns[PROFILE_INTERVALS_MAX + 1];
	struct row row;
	u32 i, id;
	int r = 0;

	if (!rs->every_ns || !rs->intervals.len)
		return 0;
	if (!self_memory_allows(builder__replicate_growth(b, (u32)rs->intervals.len))) {
		give_up(rs);
		builder__drop_replicates(b);
		return 0;
	}
	row = row_of(rs, key);
	id = intern__find(&rs->rows, &row);
	take_parts(rs, id, sum->blocked_ns + sum->runq_ns, ns);
	reach_back(rs, ns);
	for (i = 0; i < rs->intervals.len && !r; i++) {
		const struct profile_replicate rep = { builder__last_wait(b), i, ns[i] };

		r = builder__replicate(b, &rep);
	}
	return r;
}

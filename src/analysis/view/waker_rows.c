/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wakes of each wait are linked, so that the rows of one wait come out together. A row takes
 * its part of what is left of the wait, and the last one the remainder: sums are exact.
 */
#include "analysis/view/waker_rows.h"

#include <errno.h>

#include "base/map64.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "profile/wake_wait.h"

struct dividing {
	struct waker_rows *r;
	const struct profile *p;
	u32 *wait_of_wake;
	u32 *last_of_wait; /* the last wake of each wait; 0: none */
	u32 *before; /* by wake: the one before it, of the same wait */
	u32 *row_of_waker; /* of the wait at hand: rows before its first are of other waits */
};

static void link_wakes(struct dividing *d)
{
	u32 i;

	for (i = 1; i < d->p->wakes_len; i++) {
		u32 *last = &d->last_of_wait[d->wait_of_wake[i]];

		d->before[i] = *last;
		*last = i;
	}
}

/* The times and the count of each waker of a wait. */
static void add_wakers(struct dividing *d, u32 wait)
{
	struct waker_rows *r = d->r;
	u32 first = r->rows_len, at;

	for (at = d->last_of_wait[wait]; at; at = d->before[at]) {
		const struct profile_wake *wake = &d->p->wakes[at];
		u32 *known = &d->row_of_waker[wake->waker];
		struct profile_wait *row;

		if (*known < first)
			*known = r->rows_len++;
		row = &r->rows[*known];
		row->waker = wake->waker;
		if (wake->doing == DOING_WOKEN)
			row->runq_ns += wake->ns;
		else
			row->blocked_ns += wake->ns;
		row->count += wake->count;
		r->row_of_wake[at] = *known;
	}
}

/* Takes the part of a row out of what is left of the histogram. */
static void take_hist(struct profile_wait *left, struct profile_wait *row)
{
	u64 sum = 0, taken = 0;
	u32 h;

	for (h = 0; h < PROFILE_HIST_LEN; h++) {
		sum += left->hist[h];
		row->hist[h] = (u32)(units_part(sum, row->count, left->count) - taken);
		taken += row->hist[h];
	}
	for (h = 0; h < PROFILE_HIST_LEN; h++)
		left->hist[h] -= row->hist[h];
}

/* At least one sample for a row with a count, as long as there are any. */
static u64 samples_of(const struct profile_wait *left, const struct profile_wait *row)
{
	u64 samples = units_part(left->samples, row->count, left->count);

	return samples || !row->count || !left->samples ? samples : 1;
}

/* The sums of `row` are set; `left` is what other rows have not taken yet. */
static void take_part(struct profile_wait *left, struct profile_wait *row)
{
	const struct profile_wait sums = *row;
	u64 ns = sums.blocked_ns + sums.runq_ns;

	*row = *left;
	row->waker = sums.waker;
	row->blocked_ns = sums.blocked_ns;
	row->runq_ns = sums.runq_ns;
	row->count = sums.count;
	row->samples = samples_of(left, row);
	if (!row->samples && !(row->flags & WAIT_LOST))
		row->count = 0;
	row->var_us2 = units_part(left->var_us2, row->samples, left->samples);
	row->max_ns = !sums.count ? 0 : left->max_ns < ns ? left->max_ns : ns;
	take_hist(left, row);
	left->blocked_ns -= row->blocked_ns;
	left->runq_ns -= row->runq_ns;
	left->count -= row->count;
	left->samples -= row->samples;
	left->var_us2 -= row->var_us2;
}

static void divide(struct dividing *d, u32 wait)
{
	struct waker_rows *r = d->r;
	struct profile_wait left = d->p->waits[wait];
	u32 first = r->rows_len, i;

	add_wakers(d, wait);
	for (i = first; i < r->rows_len; i++)
		take_part(&left, &r->rows[i]);
	/* The rest, which no known waker ended: of a wait without wakers, all of it. */
	if (left.blocked_ns || left.runq_ns || left.on_ns || left.count || first == r->rows_len) {
		u64 ns = left.blocked_ns + left.runq_ns;

		if (first != r->rows_len && left.max_ns > ns)
			left.max_ns = ns;
		r->rows[r->rows_len++] = left;
	}
	for (i = first; i < r->rows_len; i++)
		r->wait_of_row[i] = wait;
}

static int divide_all(struct dividing *d)
{
	const struct profile *p = d->p;
	struct waker_rows *r = d->r;
	size_t most = (size_t)p->waits_len + p->wakes_len;
	u32 i;

	r->rows = mem_array(most, sizeof(*r->rows));
	r->wait_of_row = mem_array(most, sizeof(*r->wait_of_row));
	r->row_of_wake = mem_array(p->wakes_len, sizeof(*r->row_of_wake));
	d->before = mem_array(p->wakes_len, sizeof(*d->before));
	d->last_of_wait = mem_array(p->waits_len, sizeof(*d->last_of_wait));
	d->row_of_waker = mem_array(p->wakers_len, sizeof(*d->row_of_waker));
	if (!r->rows || !r->wait_of_row || !r->row_of_wake || !d->before || !d->last_of_wait ||
	    !d->row_of_waker || wake_waits(p, &d->wait_of_wake))
		return -ENOMEM;
	link_wakes(d);
	r->rows_len = 1;
	for (i = 1; i < p->waits_len; i++)
		divide(d, i);
	return 0;
}

static u64 wait_and_waker(u32 wait, u32 waker)
{
	return (u64)wait << 32 | waker;
}

/* The row of each wait and waker: by who ended it, or that of the rest. */
static int find_rows(const struct waker_rows *r, struct map64 *ret)
{
	int error = 0;

	for (u32 i = 1; i < r->rows_len && !error; i++)
		error = map64__set(ret, wait_and_waker(r->wait_of_row[i], r->rows[i].waker), i);
	return error;
}

/* One whose waker has no row, because its wake was lost, is lost as well. */
static int divide_moments(struct waker_rows *r, const struct profile *p)
{
	struct map64 rows;
	u32 len = 0;
	int error;

	map64__init(&rows);
	error = find_rows(r, &rows);
	r->moments = mem_array(p->moments_len, sizeof(*r->moments));
	if (!r->moments)
		error = -ENOMEM;
	for (u32 i = 0; i < p->moments_len && !error; i++) {
		struct profile_moment m = p->moments[i];
		u64 row;

		if (!map64__get(&rows, wait_and_waker(m.wait, m.waker), &row) &&
		    !map64__get(&rows, wait_and_waker(m.wait, 0), &row)) {
			r->copy.losses[LOSS_MOMENTS].events++;
			r->copy.losses[LOSS_MOMENTS].ns += m.blocked_ns + m.runq_ns;
			continue;
		}
		m.wait = (u32)row;
		r->moments[len++] = m;
	}
	map64__done(&rows);
	r->copy.moments = r->moments;
	r->copy.moments_len = len;
	return error;
}

int waker_rows__init(struct waker_rows *r, const struct profile *p, struct err *err)
{
	struct dividing d = { .r = r, .p = p };
	int result;

	memset(r, 0, sizeof(*r));
	result = divide_all(&d);
	mem_free(d.wait_of_wake);
	mem_free(d.last_of_wait);
	mem_free(d.before);
	mem_free(d.row_of_waker);
	r->copy = *p;
	r->copy.waits = r->rows;
	r->copy.waits_len = r->rows_len;
	r->copy.wakes_len = 1;
	r->copy.intervals_len = r->copy.replicates_len = 0;
	r->p = &r->copy;
	if (!result && p->moments_len)
		result = divide_moments(r, p);
	return result ? err__nomem(err) : 0;
}

bool waker_rows_are_divided(const struct profile *p)
{
	return p->hdr.wakers && p->wakes_len <= 1;
}

void waker_rows__mark_parts(struct waker_rows *r)
{
	for (u32 i = 1; i < r->rows_len; i++)
		r->rows[i].part_of = r->wait_of_row[i];
}

void waker_rows__done(struct waker_rows *r)
{
	if (!r)
		return;
	mem_free(r->rows);
	mem_free(r->wait_of_row);
	mem_free(r->row_of_wake);
	mem_free(r->moments);
	memset(r, 0, sizeof(*r));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days differ by more than windows of one day do: other people use the machine. So windows alone
 * would find something every day. Days alone, a handful of numbers, would believe in any that
 * happen to be alike. Hence both.
 *
 * Neighbouring windows resemble each other, which makes the mean of an hour less certain than its
 * windows suggest: their variance is multiplied by (1 + r) / (1 - r), of a first-order process with
 * the autocorrelation r.
 */
#include "analysis/regress/regress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "analysis/diff/diff_family.h"
#include "analysis/regress/student.h"
#include "base/clock.h"
#include "base/mem.h"

/* Of the autocorrelation that is believed. */
#define RESEMBLANCE_MAX 0.9

struct finding {
	const struct regress_rows *rr;
	struct regress *out;
	u32 days_len; /* including day 0 */
	u64 *day_ns; /* recorded, by day */
	u32 *place; /* by slot: its number in the test of windows, by side; ~0: none */
	u32 slots[2]; /* such slots of each side */
	u64 *total[2]; /* of each key; before and after */
	u32 *row_of_key; /* from 1 on; 0: not tested */
	u32 *key_of_row;
	u32 rows;
	double *rates[2]; /* by row, then place */
	double *ns; /* by row, then day */
	double *p_days, *p_windows; /* adjusted, by row */
	struct regress_item *items; /* by row */
};

static const struct regress_slot *slot_at(const struct finding *f, size_t idx)
{
	return vec__at(&f->rr->slots, idx);
}

/* Before is side 0. */
static u32 side_of(const struct regress_slot *slot)
{
	return slot->day == 0;
}

static int look_at_slots(struct finding *f, struct err *err)
{
	size_t len = f->rr->slots.len;

	for (size_t i = 0; i < len; i++) {
		if (slot_at(f, i)->day >= f->days_len)
			f->days_len = slot_at(f, i)->day + 1;
	}
	f->day_ns = mem_array((size_t)f->days_len + 1, sizeof(*f->day_ns));
	f->place = mem_array(len + 1, sizeof(*f->place));
	if (!f->day_ns || !f->place)
		return err__nomem(err);
	for (size_t i = 0; i < len; i++) {
		const struct regress_slot *slot = slot_at(f, i);
		u32 side = side_of(slot);

		f->day_ns[slot->day] += slot->length_ns;
		f->out->windows[side]++;
		f->out->seconds[side] += (double)slot->length_ns / NSEC_PER_SEC;
		f->place[i] = slot->is_sum || !slot->length_ns ? ~0U : f->slots[side]++;
	}
	for (u32 d = 1; d < f->days_len; d++)
		f->out->days += f->day_ns[d] > 0;
	if (!f->days_len || !f->day_ns[0])
		return err__set(err, -ENOENT, "there are no windows in that time");
	if (!f->out->days)
		return err__set(err, -ENOENT,
				"there are no windows in the same time of the days before");
	f->out->by_days = f->out->days >= REGRESS_DAYS_MIN;
	f->out->by_windows = f->slots[0] >= DIFF_TEST_MIN && f->slots[1] >= DIFF_TEST_MIN;
	return 0;
}

static const struct regress_cell *cell_at(const struct finding *f, size_t idx)
{
	return vec__at(&f->rr->cells, idx);
}

static const struct regress_key *key_at(const struct finding *f, u32 key)
{
	return intern__at(&f->rr->keys, key);
}

/* The rows that are large enough on either side, causes before functions. */
static int choose_rows(struct finding *f)
{
	u32 keys = intern__len(&f->rr->keys);
	double all[2] = { 0 };

	for (u32 side = 0; side < 2; side++) {
		f->total[side] = mem_array((size_t)keys + 1, sizeof(u64));
		if (!f->total[side])
			return -ENOMEM;
	}
	f->row_of_key = mem_array((size_t)keys + 1, sizeof(u32));
	f->key_of_row = mem_array((size_t)keys + 1, sizeof(u32));
	if (!f->row_of_key || !f->key_of_row)
		return -ENOMEM;
	for (size_t i = 0; i < f->rr->cells.len; i++) {
		const struct regress_cell *c = cell_at(f, i);
		u32 side = side_of(slot_at(f, c->slot));

		f->total[side][c->key] += c->ns;
		if (key_at(f, c->key)->kind == REGRESS_CAUSE)
			all[side] += (double)c->ns;
	}
	for (u32 kind = 0; kind < REGRESS_KINDS; kind++) {
		for (u32 k = 1; k < keys; k++) {
			bool heavy = (double)f->total[0][k] > REGRESS_WEIGHT_MIN * all[0] ||
				     (double)f->total[1][k] > REGRESS_WEIGHT_MIN * all[1];

			if (key_at(f, k)->kind != kind || !heavy)
				continue;
			f->key_of_row[f->rows] = k;
			f->row_of_key[k] = ++f->rows;
		}
	}
	f->out->rate[0] = all[0] / f->out->seconds[0];
	f->out->rate[1] = all[1] / f->out->seconds[1];
	return 0;
}

static int fill_rows(struct finding *f)
{
	for (u32 side = 0; side < 2; side++) {
		f->rates[side] =
			mem_array((size_t)f->rows * f->slots[side] + 1, sizeof(*f->rates[side]));
		if (!f->rates[side])
			return -ENOMEM;
	}
	f->ns = mem_array((size_t)f->rows * f->days_len + 1, sizeof(*f->ns));
	if (!f->ns)
		return -ENOMEM;
	for (size_t i = 0; i < f->rr->cells.len; i++) {
		const struct regress_cell *c = cell_at(f, i);
		const struct regress_slot *slot = slot_at(f, c->slot);
		u32 row = f->row_of_key[c->key], side = side_of(slot);

		if (!row)
			continue;
		f->ns[(size_t)(row - 1) * f->days_len + slot->day] += (double)c->ns;
		if (f->place[c->slot] != ~0U)
			f->rates[side][(size_t)(row - 1) * f->slots[side] + f->place[c->slot]] +=
				(double)c->ns * NSEC_PER_SEC / (double)slot->length_ns;
	}
	return 0;
}

/* The variance of the mean of a series; negative if it is too short to tell. */
static double variance_of_mean(const double *x, u32 len)
{
	double mean = 0, own = 0, next = 0, r;

	if (len < DIFF_TEST_MIN)
		return -1;
	for (u32 i = 0; i < len; i++)
		mean += x[i] / len;
	for (u32 i = 0; i < len; i++) {
		own += (x[i] - mean) * (x[i] - mean);
		if (i)
			next += (x[i] - mean) * (x[i - 1] - mean);
	}
	if (!(own > 0))
		return 0;
	r = next / own < RESEMBLANCE_MAX ? next / own : RESEMBLANCE_MAX;
	r = r > 0 ? r : 0;
	return own / (len - 1) / len * (1 + r) / (1 - r);
}

/* The mean of those variances over the days before; 0 if no day has windows. */
static double variance_within(const struct finding *f, u32 row)
{
	const double *x = f->rates[0] + (size_t)row * f->slots[0];
	double sum = 0, v;
	u32 known = 0, begin = 0, end = 0, day = 0;

	for (size_t i = 0; i < f->rr->slots.len; i++) {
		if (f->place[i] == ~0U || side_of(slot_at(f, i)))
			continue;
		if (slot_at(f, i)->day != day) {
			v = variance_of_mean(x + begin, end - begin);
			sum += v > 0 ? v : 0;
			known += v >= 0;
			begin = end;
		}
		day = slot_at(f, i)->day;
		end++;
	}
	v = variance_of_mean(x + begin, end - begin);
	sum += v > 0 ? v : 0;
	known += v >= 0;
	return known ? sum / known : 0;
}

/* Sets the rates and the error of an item, and gives its p between days. */
static double compare_days(const struct finding *f, u32 row, struct regress_item *it)
{
	const double *ns = f->ns + (size_t)row * f->days_len;
	double mean = 0, squares = 0, within, now, between, se2;
	u32 n = f->out->days;

	for (u32 d = 1; d < f->days_len; d++)
		mean += f->day_ns[d] ? ns[d] * NSEC_PER_SEC / (double)f->day_ns[d] / n : 0;
	for (u32 d = 1; d < f->days_len; d++) {
		double gap = f->day_ns[d] ? ns[d] * NSEC_PER_SEC / (double)f->day_ns[d] - mean : 0;

		squares += gap * gap;
	}
	between = n > 1 ? squares / (n - 1) : 0;
	within = variance_within(f, row);
	now = variance_of_mean(f->rates[1] + (size_t)row * f->slots[1], f->slots[1]);
	se2 = (between > within ? between : within) / n + (between > now ? between : now);
	it->rate[0] = mean;
	it->rate[1] = ns[0] * NSEC_PER_SEC / (double)f->day_ns[0];
	it->error = sqrt(se2 > 0 ? se2 : 0);
	if (!f->out->by_days)
		return 1;
	/* equal days, except for rounding */
	se2 += 1e-12 * (mean * mean + it->rate[1] * it->rate[1]) + 1e-300;
	return student_above((it->rate[1] - mean) / sqrt(se2), n - 1);
}

static int test_windows(struct finding *f, u32 from, u32 to)
{
	struct diff_sides *sides = mem_array((size_t)(to - from) + 1, sizeof(*sides));
	int r;

	if (!sides)
		return -ENOMEM;
	for (u32 i = from; i < to; i++) {
		for (u32 k = 0; k < 2; k++) {
			sides[i - from].at[k] = f->rates[k] + (size_t)i * f->slots[k];
			sides[i - from].len[k] = f->slots[k];
		}
	}
	r = diff_family_test(sides, to - from, f->p_windows + from);
	mem_free(sides);
	return r;
}

static u32 kind_of_row(const struct finding *f, u32 row)
{
	return key_at(f, f->key_of_row[row])->kind;
}

static int test(struct finding *f)
{
	u32 from = 0, to;
	int r = 0;

	f->p_days = mem_array((size_t)f->rows + 1, sizeof(*f->p_days));
	f->p_windows = mem_array((size_t)f->rows + 1, sizeof(*f->p_windows));
	f->items = mem_array((size_t)f->rows + 1, sizeof(*f->items));
	if (!f->p_days || !f->p_windows || !f->items)
		return -ENOMEM;
	for (u32 i = 0; i < f->rows; i++)
		f->p_days[i] = compare_days(f, i, &f->items[i]);
	for (u32 kind = 0; kind < REGRESS_KINDS && !r; kind++) {
		for (to = from; to < f->rows && kind_of_row(f, to) == kind;)
			to++;
		if (f->out->by_days)
			r = diff_test_adjust(f->p_days + from, to - from);
		if (!r && f->out->by_windows)
			r = test_windows(f, from, to);
		from = to;
	}
	return r;
}

static bool is_found(const struct finding *f, u32 row)
{
	const struct regress_item *it = &f->items[row];

	if (!f->out->by_days && !f->out->by_windows)
		return false;
	if (f->out->by_days && f->p_days[row] > REGRESS_FALSE_PART)
		return false;
	if (f->out->by_windows && f->p_windows[row] > DIFF_FALSE_PART)
		return false;
	return it->rate[1] - it->rate[0] > REGRESS_EFFECT_MIN * it->rate[1];
}

static double cost_of(const struct regress_item *it)
{
	return it->rate[1] - it->rate[0];
}

static int by_cost(const void *a, const void *b)
{
	const struct regress_item *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (cost_of(x) > cost_of(y) || cost_of(x) < cost_of(y))
		return cost_of(x) > cost_of(y) ? -1 : 1;
	return strcmp(x->process, y->process);
}

static int take_found(struct finding *f, struct arena *a)
{
	struct regress *out = f->out;

	out->tested = f->rows;
	out->items = arena__array(a, (size_t)f->rows + 1, sizeof(*out->items));
	if (!out->items)
		return -ENOMEM;
	for (u32 i = 0; i < f->rows; i++) {
		const struct regress_key *key = key_at(f, f->key_of_row[i]);
		struct regress_item *it = &f->items[i];

		if (!is_found(f, i))
			continue;
		it->kind = key->kind;
		it->cause = key->cause;
		it->process = strtab__get(&f->rr->names, key->process);
		it->function = strtab__get(&f->rr->names, key->function);
		it->module = strtab__get(&f->rr->names, key->module);
		it->p = fmax(out->by_days ? f->p_days[i] : 0,
			     out->by_windows ? f->p_windows[i] : 0);
		out->items[out->len++] = *it;
	}
	qsort(out->items, out->len, sizeof(*out->items), by_cost);
	return 0;
}

static void end(struct finding *f)
{
	mem_free(f->day_ns);
	mem_free(f->place);
	mem_free(f->total[0]);
	mem_free(f->total[1]);
	mem_free(f->row_of_key);
	mem_free(f->key_of_row);
	mem_free(f->rates[0]);
	mem_free(f->rates[1]);
	mem_free(f->ns);
	mem_free(f->p_days);
	mem_free(f->p_windows);
	mem_free(f->items);
}

int regress__find(const struct regress_rows *rr, struct arena *a, struct regress *ret,
		  struct err *err)
{
	struct finding f = { .rr = rr, .out = ret };
	int r;

	memset(ret, 0, sizeof(*ret));
	r = look_at_slots(&f, err);
	if (!r && (choose_rows(&f) || fill_rows(&f) || test(&f) || take_found(&f, a)))
		r = err__nomem(err);
	end(&f);
	return r;
}

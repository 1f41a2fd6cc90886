/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From replicates to verdicts. Only items with some weight get a row of seconds; otherwise most
 * tests would be of rows that nobody looks at, and each test costs the others power. Total, idle
 * and causes; functions; and paths are three families, each adjusted separately, because they
 * answer three questions.
 */
#include "analysis/diff/diff_priv.h"

#include <errno.h>
#include <math.h>

#include "analysis/diff/diff_family.h"
#include "analysis/diff/thread_time.h"
#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

struct testing {
	struct differing *df;
	u32 rows; /* of items */
	double *values[2]; /* by row, then second */
	double *factor[2]; /* by interval: converts ns to the rate; 0: nothing was recorded */
	double *p; /* by row */
};

static bool has_weight(const struct diff_item *it, const struct diff_item *total)
{
	u32 side;

	for (side = 0; side < 2; side++) {
		if (it->ns[side] &&
		    (double)it->ns[side] >= DIFF_WEIGHT_MIN * (double)total->ns[side])
			return true;
	}
	return false;
}

static void number(struct testing *t, struct diff_item *items, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!has_weight(&items[i], &t->df->d->total))
			continue;
		items[i].verdict = DIFF_UNKNOWN;
		items[i].row = ++t->rows;
	}
}

/* Rows that are shown. */
static void number_functions(struct testing *t)
{
	const struct diff_paths *paths = &t->df->paths;
	u32 i;

	for (i = 1; i < intern__len(&paths->symbols); i++) {
		const struct diff_symbol *s = intern__at(&paths->symbols, i);

		if (diff_symbol_is_function(s))
			number(t, &t->df->by_symbol[i], 1);
	}
}

static u64 recorded_ns(const struct profile *p)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < p->intervals_len; i++)
		sum += p->intervals[i].length_ns;
	return sum;
}

/* Rates of intervals have the same unit as those of items. */
static int set_factors(struct testing *t, u32 side)
{
	const struct profile *p = t->df->p[side];
	double units = t->df->d->units[side], all = (double)recorded_ns(p);
	double *factor = mem_array((size_t)p->intervals_len + 1, sizeof(*factor));
	u32 i;

	t->factor[side] = factor;
	if (!factor || (t->df->opt->per == DIFF_PER_THREAD && thread_time_of_intervals(p, factor)))
		return -ENOMEM;
	for (i = 0; i < p->intervals_len; i++) {
		double ns = (double)p->intervals[i].length_ns;

		if (t->df->opt->per == DIFF_PER_THREAD)
			ns = factor[i];
		if (t->df->opt->per == DIFF_PER_REQUEST)
			ns = ns * units * 1e9 / all;
		factor[i] = ns > 0 ? 1e9 / ns : 0;
		t->df->d->intervals[side] += ns > 0;
	}
	return 0;
}

struct filling {
	struct testing *t;
	u32 side;
	u32 second;
	double value;
};

static void fill(void *arg, struct diff_item *it)
{
	const struct filling *f = arg;
	u32 len = f->t->df->d->intervals[f->side];

	if (it->row)
		f->t->values[f->side][(size_t)(it->row - 1) * len + f->second] += f->value;
}

/*
 * The idle part of a wait for work is known only in total, and assumed to be the same fraction in
 * each interval.
 */
static void fill_wait(struct testing *t, u32 side, const struct profile_replicate *rep, u32 second)
{
	u64 all_ns = wait_ns(&t->df->p[side]->waits[rep->wait]);
	u64 counted_ns = t->df->d->counted_ns[side][rep->wait];
	double value = (double)rep->ns * t->factor[side][rep->interval];
	double counted = counted_ns < all_ns ? value * ((double)counted_ns / (double)all_ns) :
					       value;
	struct filling f = { t, side, second, counted };

	if (counted_ns || !all_ns)
		diff_each_item(t->df, side, rep->wait, fill, &f);
	f.value = value - counted;
	if (counted_ns < all_ns)
		fill(&f, &t->df->d->idle);
}

static int fill_side(struct testing *t, u32 side)
{
	const struct profile *p = t->df->p[side];
	u32 *second = mem_array((size_t)p->intervals_len + 1, sizeof(*second)), i, n = 0;

	t->values[side] =
		mem_array((size_t)t->rows * t->df->d->intervals[side] + 1, sizeof(double));
	if (!second || !t->values[side]) {
		mem_free(second);
		return -ENOMEM;
	}
	for (i = 0; i < p->intervals_len; i++) {
		second[i] = n;
		n += t->factor[side][i] > 0;
	}
	for (i = 0; i < p->replicates_len; i++) {
		const struct profile_replicate *rep = &p->replicates[i];
		double factor = t->factor[side][rep->interval];

		if (factor > 0)
			fill_wait(t, side, rep, second[rep->interval]);
	}
	mem_free(second);
	return 0;
}

static void judge(struct diff_item *it, double p)
{
	double change = diff_item__change(it);
	double most = it->rate[0] > it->rate[1] ? it->rate[0] : it->rate[1];

	it->p = p;
	it->verdict = DIFF_NOISE;
	if (p <= DIFF_FALSE_PART && fabs(change) >= DIFF_EFFECT_MIN * most)
		it->verdict = change > 0 ? DIFF_MORE : DIFF_LESS;
}

/* Rows `from` up to `to`. */
static int test_family(struct testing *t, u32 from, u32 to)
{
	const u32 *len = t->df->d->intervals;
	struct diff_sides *rows = mem_array((size_t)(to - from) + 1, sizeof(*rows));
	u32 i, k;
	int r;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < to - from; i++) {
		for (k = 0; k < 2; k++) {
			rows[i].at[k] = t->values[k] + (size_t)(from + i) * len[k];
			rows[i].len[k] = len[k];
		}
	}
	r = diff_family_test(rows, to - from, t->p + from);
	mem_free(rows);
	return r;
}

static void judge_all(const struct testing *t, struct diff_item *items, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (items[i].row)
			judge(&items[i], t->p[items[i].row - 1]);
	}
}

static int test_families(struct testing *t, const u32 *ends)
{
	u32 from = 0, i;
	int r = 0;

	t->p = mem_array((size_t)t->rows + 1, sizeof(*t->p));
	if (!t->p)
		return -ENOMEM;
	for (i = 0; i < 3 && !r; i++) {
		r = test_family(t, from, ends[i]);
		from = ends[i];
	}
	return r;
}

static int test(struct testing *t, const u32 *ends)
{
	struct differing *df = t->df;
	u32 side;
	int r = 0;

	for (side = 0; side < 2 && !r; side++)
		r = set_factors(t, side);
	if (r)
		return r;
	df->d->tested = df->d->intervals[0] >= DIFF_TEST_MIN &&
			df->d->intervals[1] >= DIFF_TEST_MIN;
	if (!df->d->tested)
		return 0;
	for (side = 0; side < 2 && !r; side++)
		r = fill_side(t, side);
	if (!r)
		r = test_families(t, ends);
	if (r)
		return r;
	judge_all(t, &df->d->total, 1);
	judge_all(t, &df->d->idle, 1);
	judge_all(t, df->by_cause, CAUSE_CNT);
	judge_all(t, df->by_symbol, intern__len(&df->paths.symbols));
	judge_all(t, df->by_path, intern__len(&df->paths.paths));
	return 0;
}

int diff_test_items(struct differing *df)
{
	struct testing t = { .df = df };
	u32 ends[3];
	int r;

	number(&t, &df->d->total, 1);
	number(&t, &df->d->idle, 1);
	number(&t, df->by_cause, CAUSE_CNT);
	ends[0] = t.rows;
	number_functions(&t);
	ends[1] = t.rows;
	/* path 0 is the total */
	number(&t, df->by_path + 1, intern__len(&df->paths.paths) - 1);
	ends[2] = t.rows;
	r = test(&t, ends);
	mem_free(t.values[0]);
	mem_free(t.values[1]);
	mem_free(t.factor[0]);
	mem_free(t.factor[1]);
	mem_free(t.p);
	return r;
}

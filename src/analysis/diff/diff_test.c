/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waited time per second is mostly zero and sometimes large, so a test that assumes a distribution
 * does not work. If before and after do not differ, any assignment of seconds to them is as likely
 * as the real one. So assignments are drawn, and those at least as far apart are counted. The
 * distance is Welch's t, which keeps the test valid for means even if one side varies more than the
 * other (Janssen, 1997).
 *
 * Consecutive seconds are not independent; blocks of them nearly are. Neighbours in a series are
 * merged in pairs until they are no longer correlated.
 *
 * Most series do not differ, which shows soon: drawing ends after HITS_MAX assignments at least as
 * far apart (Besag and Clifford, 1991). The random numbers are seeded from the data.
 */
#include "analysis/diff/diff_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define HITS_MAX 40
/* Per side; with fewer blocks, merging stops: with five, p can be as low as 0.008. */
#define BLOCKS_MIN 5
/* Autocorrelation that chance exceeds in one of 20 cases, times the root of the length. */
#define RESEMBLANCE 1.64

/* Values of both sides in sequence. */
struct pool {
	double *at;
	u32 len[2];
};

static double mean_of(const double *x, u32 len)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < len; i++)
		sum += x[i];
	return sum / len;
}

/* Autocorrelation at a distance of one; 0 for a constant. */
static double resemblance(const double *x, u32 len)
{
	double mean = mean_of(x, len), own = 0, next = 0;
	u32 i;

	for (i = 0; i < len; i++) {
		own += (x[i] - mean) * (x[i] - mean);
		if (i)
			next += (x[i] - mean) * (x[i - 1] - mean);
	}
	return own > 0 ? next / own : 0;
}

static bool depends(const struct pool *p)
{
	u32 a = p->len[0], b = p->len[1];
	double r = (resemblance(p->at, a) * a + resemblance(p->at + a, b) * b) / (a + b);

	return r > RESEMBLANCE / sqrt(a + b);
}

/* Drops a last value without a neighbour. */
static void pair_up(struct pool *p)
{
	u32 from = 0, to = 0, side, i;

	for (side = 0; side < 2; side++) {
		u32 len = p->len[side];

		for (i = 0; i + 1 < len; i += 2)
			p->at[to++] = (p->at[from + i] + p->at[from + i + 1]) / 2;
		p->len[side] = len / 2;
		from += len;
	}
}

/* Sums of one side, from which the distance is computed. */
struct moments {
	double sum;
	double squares;
};

static void add(struct moments *m, double x)
{
	m->sum += x;
	m->squares += x * x;
}

static double variance(const struct moments *m, u32 len)
{
	double v = (m->squares - m->sum * m->sum / len) / (len - 1);

	return v > 0 ? v : 0;
}

/* Constant sides are infinitely far apart, except for rounding. */
static double distance(const struct moments *a, u32 a_len, const struct moments *b, u32 b_len)
{
	double gap = fabs(a->sum / a_len - b->sum / b_len);
	double error = variance(a, a_len) / a_len + variance(b, b_len) / b_len;
	double least = 1e-18 * (a->squares / a_len + b->squares / b_len);

	return gap > 0 ? gap / sqrt(error + least + 1e-300) : 0;
}

/* splitmix64 (Steele, Lea and Flood, 2014) */
static u64 draw(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static u32 draw_below(u64 *state, u32 n)
{
	return (u32)(((draw(state) >> 32) * n) >> 32);
}

static u64 seed_of(const struct pool *p)
{
	u64 h = 0xcbf29ce484222325ULL, bits;
	u32 i;

	for (i = 0; i < p->len[0] + p->len[1]; i++) {
		memcpy(&bits, &p->at[i], sizeof(bits));
		h = (h ^ bits) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	return h ^ p->len[0];
}

/* Draws which values belong to the first side, and returns the distance of the sides. */
static double shuffled_distance(struct pool *p, const struct moments *all, u64 *state)
{
	u32 n = p->len[0] + p->len[1], i;
	struct moments a = { 0 }, b;

	for (i = 0; i < p->len[0]; i++) {
		u32 other = i + draw_below(state, n - i);
		double x = p->at[other];

		p->at[other] = p->at[i];
		p->at[i] = x;
		add(&a, x);
	}
	b = (struct moments){ all->sum - a.sum, all->squares - a.squares };
	return distance(&a, p->len[0], &b, p->len[1]);
}

static double permute(struct pool *p, u32 rounds)
{
	struct moments side[2] = { 0 }, all;
	u64 state = seed_of(p);
	double seen;
	u32 hits = 0, i;

	for (i = 0; i < p->len[0] + p->len[1]; i++)
		add(&side[i >= p->len[0]], p->at[i]);
	all = (struct moments){ side[0].sum + side[1].sum, side[0].squares + side[1].squares };
	seen = distance(&side[0], p->len[0], &side[1], p->len[1]);
	/* sums added in another order must not count as smaller */
	seen -= seen * 1e-9;
	for (i = 0; i < rounds; i++) {
		hits += shuffled_distance(p, &all, &state) >= seen;
		if (hits == HITS_MAX)
			return (double)hits / (i + 1);
	}
	return (hits + 1.0) / (rounds + 1.0);
}

double diff_test_p(const struct diff_sides *s, u32 rounds)
{
	struct pool p = { .len = { s->len[0], s->len[1] } };
	double result;

	if (s->len[0] < DIFF_TEST_MIN || s->len[1] < DIFF_TEST_MIN)
		return 1;
	p.at = mem_array((size_t)s->len[0] + s->len[1], sizeof(*p.at));
	if (!p.at)
		return -1;
	memcpy(p.at, s->at[0], s->len[0] * sizeof(*p.at));
	memcpy(p.at + s->len[0], s->at[1], s->len[1] * sizeof(*p.at));
	while (p.len[0] >= 2 * BLOCKS_MIN && p.len[1] >= 2 * BLOCKS_MIN && depends(&p))
		pair_up(&p);
	result = permute(&p, rounds);
	mem_free(p.at);
	return result;
}

static int by_p(const void *a, const void *b, void *arg)
{
	const double *p = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	if (p[x] < p[y] || p[x] > p[y])
		return p[x] < p[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

int diff_test_adjust(double *p, u32 len)
{
	u32 *order = mem_array((size_t)len + 1, sizeof(*order)), i;
	double least = 1;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		order[i] = i;
	qsort_r(order, len, sizeof(*order), by_p, p);
	for (i = len; i-- > 0;) {
		double q = p[order[i]] * len / (i + 1);

		if (q < least)
			least = q;
		p[order[i]] = least;
	}
	mem_free(order);
	return 0;
}

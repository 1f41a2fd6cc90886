/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest p that can be seen depends on the number of permutations. The p that is needed
 * depends on the number of rows, and on how many of them differ as much: if many do, few
 * permutations suffice. So many permutations are drawn only for rows that few could not separate
 * from chance and that no permutation matched.
 */
#include "analysis/diff/diff_family.h"

#include <errno.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "base/map64.h"
#include "base/mem.h"

/* Permutations: enough that the best of a family can be found, within bounds. */
#define ROUNDS_MIN 5000
#define ROUNDS_MAX 100000
#define ROUNDS_EACH 40

struct family {
	const struct diff_sides *rows;
	u32 len;
	u32 *question; /* by row */
	u32 *row; /* by question */
	u32 questions;
	double *p; /* by question */
	double *adjusted;
};

static u64 hash_of(const struct diff_sides *s)
{
	u64 h = 0xcbf29ce484222325ULL, bits;
	u32 side, i;

	for (side = 0; side < 2; side++) {
		for (i = 0; i < s->len[side]; i++) {
			memcpy(&bits, &s->at[side][i], sizeof(bits));
			h = (h ^ bits) * 0x100000001b3ULL;
			h ^= h >> 29;
		}
	}
	return h;
}

static bool are_equal(const struct diff_sides *a, const struct diff_sides *b)
{
	return !memcmp(a->at[0], b->at[0], a->len[0] * sizeof(double)) &&
	       !memcmp(a->at[1], b->at[1], a->len[1] * sizeof(double));
}

/* Two unequal rows with the same hash are two tests; a third one may be tested twice. */
static int find_questions(struct family *f)
{
	struct map64 seen;
	u32 i;
	int r = 0;

	map64__init(&seen);
	for (i = 0; i < f->len && !r; i++) {
		u64 hash = hash_of(&f->rows[i]), same;

		if (map64__get(&seen, hash, &same) &&
		    are_equal(&f->rows[i], &f->rows[f->row[same]])) {
			f->question[i] = (u32)same;
			continue;
		}
		f->question[i] = f->questions;
		f->row[f->questions] = i;
		r = map64__set(&seen, hash, f->questions++);
	}
	map64__done(&seen);
	return r;
}

static int adjust(struct family *f)
{
	memcpy(f->adjusted, f->p, f->questions * sizeof(*f->p));
	return diff_test_adjust(f->adjusted, f->questions);
}

static int ask(struct family *f, u32 question, u32 rounds)
{
	f->p[question] = diff_test_p(&f->rows[f->row[question]], rounds);
	return f->p[question] < 0 ? -ENOMEM : 0;
}

/* Whether more permutations could change the result. */
static bool is_open(const struct family *f, u32 question)
{
	return f->p[question] <= 1.5 / ROUNDS_MIN && f->adjusted[question] > DIFF_FALSE_PART;
}

static int test(struct family *f)
{
	int r = find_questions(f);
	u32 rounds, i;

	rounds = f->questions < ROUNDS_MAX / ROUNDS_EACH ? f->questions * ROUNDS_EACH : ROUNDS_MAX;
	for (i = 0; i < f->questions && !r; i++)
		r = ask(f, i, ROUNDS_MIN);
	if (!r)
		r = adjust(f);
	for (i = 0; i < f->questions && !r && rounds > ROUNDS_MIN; i++) {
		if (is_open(f, i))
			r = ask(f, i, rounds);
	}
	return r ? r : adjust(f);
}

int diff_family_test(const struct diff_sides *rows, u32 len, double *ret_p)
{
	struct family f = { .rows = rows, .len = len };
	u32 i;
	int r = -ENOMEM;

	f.question = mem_array((size_t)len + 1, sizeof(*f.question));
	f.row = mem_array((size_t)len + 1, sizeof(*f.row));
	f.p = mem_array((size_t)len + 1, sizeof(*f.p));
	f.adjusted = mem_array((size_t)len + 1, sizeof(*f.adjusted));
	if (f.question && f.row && f.p && f.adjusted)
		r = test(&f);
	for (i = 0; i < len && !r; i++)
		ret_p[i] = f.adjusted[f.question[i]];
	mem_free(f.question);
	mem_free(f.row);
	mem_free(f.p);
	mem_free(f.adjusted);
	return r;
}

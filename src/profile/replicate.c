/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Halving the number of intervals whenever there are too many keeps a day as small as a minute, and
 * loses nothing that a test needs: some dozens are enough, and long ones depend less on each other.
 */
#include "profile/replicate.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/profile.h"

static int by_wait_and_interval(const void *a, const void *b)
{
	const struct profile_replicate *x = a, *y = b;

	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return x->interval < y->interval ? -1 : x->interval > y->interval;
}

int replicates_sort(struct vec *replicates)
{
	struct profile_replicate *r = replicates->data;
	size_t len = 0, i;

	if (!replicates->len)
		return 0;
	qsort(r, replicates->len, sizeof(*r), by_wait_and_interval);
	for (i = 1; i < replicates->len; i++) {
		if (by_wait_and_interval(&r[len], &r[i]))
			r[++len] = r[i];
		else if (__builtin_add_overflow(r[len].ns, r[i].ns, &r[len].ns))
			return -EOVERFLOW;
	}
	replicates->len = len + 1;
	return 0;
}

int replicates_coarsen(struct vec *intervals, struct vec *replicates)
{
	struct profile_interval *at = intervals->data;
	struct profile_replicate *r = replicates->data;
	size_t i;

	for (i = 0; i < intervals->len; i++) {
		if (!(i & 1))
			at[i / 2] = at[i];
		else if (__builtin_add_overflow(at[i / 2].length_ns, at[i].length_ns,
						&at[i / 2].length_ns))
			return -EOVERFLOW;
	}
	intervals->len = (intervals->len + 1) / 2;
	for (i = 0; i < replicates->len; i++)
		r[i].interval /= 2;
	return replicates_sort(replicates);
}

/* They are in the order of waits, so what is of one wait is together. */
void profile__join_intervals(struct profile *p)
{
	u32 i, len = 0;

	for (i = 1; i < p->intervals_len; i++)
		p->intervals[0].length_ns += p->intervals[i].length_ns;
	for (i = 0; i < p->replicates_len; i++) {
		struct profile_replicate *r = &p->replicates[i];

		if (len && p->replicates[len - 1].wait == r->wait)
			p->replicates[len - 1].ns += r->ns;
		else
			p->replicates[len++] = (struct profile_replicate){ r->wait, 0, r->ns };
	}
	p->replicates_len = len;
	p->intervals_len = p->intervals_len > 0;
}

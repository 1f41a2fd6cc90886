/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/moment.h"

#include <stdlib.h>

static int by_end(const void *a, const void *b)
{
	const struct profile_moment *x = a, *y = b;

	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->wait > y->wait) - (x->wait < y->wait);
}

void moments_sort(struct profile_moment *moments, size_t len)
{
	if (len > 1)
		qsort(moments, len, sizeof(*moments), by_end);
}

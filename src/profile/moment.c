/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/moment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

/* From one half-sorted array to the other: stable, unlike qsort(). */
static void merge(const struct profile_mark *from, struct profile_mark *to, size_t len,
		  size_t width)
{
	size_t begin, i, j, k;

	for (begin = 0; begin < len; begin += 2 * width) {
		size_t mid = begin + width < len ? begin + width : len;
		size_t end = mid + width < len ? mid + width : len;

		for (i = begin, j = mid, k = begin; k < end; k++)
			to[k] = j >= end || (i < mid && from[i].at_ns <= from[j].at_ns) ?
					from[i++] :
					from[j++];
	}
}

int marks_sort(struct profile_mark *marks, size_t len)
{
	struct profile_mark *from = marks, *to, *other;
	size_t width;

	if (len < 2)
		return 0;
	other = mem_array(len, sizeof(*other));
	if (!other)
		return -ENOMEM;
	to = other;
	for (width = 1; width < len; width *= 2) {
		struct profile_mark *swap = from;

		merge(from, to, len, width);
		from = to;
		to = swap;
	}
	if (from != marks)
		memcpy(marks, from, len * sizeof(*marks));
	mem_free(other);
	return 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool mark_trace_bytes(const char *text, u8 ret[MARK_TRACE_BYTES])
{
	for (size_t i = 0; i < MARK_TRACE_BYTES; i++) {
		int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		ret[i] = (u8)(high << 4 | low);
	}
	return !text[2 * MARK_TRACE_BYTES];
}

void mark_trace_text(const u8 bytes[MARK_TRACE_BYTES], char ret[2 * MARK_TRACE_BYTES + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < MARK_TRACE_BYTES; i++) {
		ret[2 * i] = digits[bytes[i] >> 4];
		ret[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret[2 * MARK_TRACE_BYTES] = '\0';
}

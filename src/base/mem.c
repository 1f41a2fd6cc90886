/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All allocation is here for two reasons: sizes are multiplied in one place, which checks for
 * overflow, and a test can make any single allocation fail, which is the only way to prove that no
 * caller leaks when memory runs out. The countdown is atomic because a resolver may allocate in
 * several threads; while it is off, it costs one relaxed load.
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Atomic u64 fail_countdown;
static atomic_bool fail_fired;

/* Counts one allocation; true if it is the one that must fail. */
static bool must_fail(void)
{
	u64 left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

	while (left) {
		if (!atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
			continue;
		if (left > 1)
			return false;
		atomic_store(&fail_fired, true);
		return true;
	}
	return false;
}

void *mem_alloc(size_t sz)
{
	return mem_array(1, sz);
}

void *mem_array(size_t n, size_t elem_sz)
{
	size_t sz;

	/* a pointer difference cannot express more than PTRDIFF_MAX */
	if (__builtin_mul_overflow(n, elem_sz, &sz) || sz > PTRDIFF_MAX)
		return NULL;
	if (must_fail())
		return NULL;
	return calloc(1, sz ? sz : 1);
}

void *mem_resize(void *p, size_t n, size_t elem_sz)
{
	size_t sz;

	if (__builtin_mul_overflow(n, elem_sz, &sz) || sz > PTRDIFF_MAX)
		return NULL;
	if (must_fail())
		return NULL;
	/* realloc(p, 0) may free p and return NULL, which a caller would take for a failure */
	return realloc(p, sz ? sz : 1);
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

char *mem_strndup(const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *copy;

	copy = mem_alloc(n + 1);
	if (copy)
		memcpy(copy, s, n);
	return copy;
}

void mem_free(void *p)
{
	free(p);
}

void mem_fail_nth(u64 nth)
{
	atomic_store(&fail_fired, false);
	atomic_store(&fail_countdown, nth);
}

bool mem_fail_fired(void)
{
	return atomic_load(&fail_fired);
}

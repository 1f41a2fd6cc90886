/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capacity doubles, so that n pushes copy less than 2n elements. Elements are zeroed when handed
 * out, not when memory is allocated: a vec that was reset must not show old elements.
 */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* The first capacity is this many bytes, but at least one element. */
#define FIRST_SZ 256

void vec__init(struct vec *v, size_t elem_sz)
{
	*v = (struct vec){ .elem_sz = elem_sz };
}

void vec__done(struct vec *v)
{
	if (!v)
		return;
	mem_free(v->data);
	vec__init(v, v->elem_sz);
}

void vec__reset(struct vec *v)
{
	v->len = 0;
}

/* The capacity for `need` elements; 0 if it overflows. */
static size_t cap_for(const struct vec *v, size_t need)
{
	size_t cap = v->cap;

	if (!cap)
		cap = v->elem_sz < FIRST_SZ ? FIRST_SZ / v->elem_sz : 1;
	while (cap && cap < need)
		cap = cap > SIZE_MAX / 2 ? 0 : cap * 2;
	return cap;
}

u64 vec__growth(const struct vec *v, size_t n)
{
	return v->cap - v->len >= n ? 0 : (u64)cap_for(v, v->len + n) * v->elem_sz;
}

/* Makes room for `need` elements. */
static bool reserve(struct vec *v, size_t need)
{
	size_t cap;
	void *data;

	if (need <= v->cap)
		return true;
	cap = cap_for(v, need);
	if (!cap)
		return false;
	data = mem_resize(v->data, cap, v->elem_sz);
	if (!data)
		return false;
	v->data = data;
	v->cap = cap;
	return true;
}

bool vec__reserve(struct vec *v, size_t n)
{
	size_t len;

	return !__builtin_add_overflow(v->len, n, &len) && reserve(v, len);
}

void *vec__push(struct vec *v)
{
	void *elem;

	if (v->len == v->cap)
		return vec__push_n(v, 1);
	elem = vec__at(v, v->len++);
	memset(elem, 0, v->elem_sz);
	return elem;
}

void *vec__push_n(struct vec *v, size_t n)
{
	void *first;
	size_t len;

	/* one element is reserved even for n == 0, because NULL must mean failure */
	if (__builtin_add_overflow(v->len, n, &len) || !reserve(v, len ? len : 1))
		return NULL;
	first = (char *)v->data + v->len * v->elem_sz;
	memset(first, 0, n * v->elem_sz);
	v->len = len;
	return first;
}

void *vec__at(const struct vec *v, size_t idx)
{
	return (char *)v->data + idx * v->elem_sz;
}

void *vec__steal(struct vec *v, size_t *ret_len)
{
	void *data = v->data;

	*ret_len = v->len;
	vec__init(v, v->elem_sz);
	return data;
}

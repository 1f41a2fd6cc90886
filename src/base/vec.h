/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/types.h"

/*
 * A growable array of elements of one size; the only user of mem_resize() in the project. Pointers
 * into it are valid until the next push.
 */
struct vec {
	void *data;
	size_t len;
	size_t cap;
	size_t elem_sz;
};

void vec__init(struct vec *v, size_t elem_sz);
/* Frees the memory; the vec is empty and may be used again. NULL is fine. */
void vec__done(struct vec *v);
/* Forgets the elements, keeps the memory. */
void vec__reset(struct vec *v);
/* A new zeroed element at the end, or NULL when out of memory. */
void *vec__push(struct vec *v);
/* `n` new zeroed elements at the end (the first of them is returned), or NULL. */
void *vec__push_n(struct vec *v, size_t n);
/* Bytes that a push of `n` would allocate for the new array; 0 if there is room. */
u64 vec__growth(const struct vec *v, size_t n);
/* Makes room for `n` more, so that pushing them allocates nothing; false when out of memory. */
bool vec__reserve(struct vec *v, size_t n);
/* Element `idx`, which must exist. */
void *vec__at(const struct vec *v, size_t idx);
/* The caller takes the array and frees it with mem_free(); the vec is empty afterwards. */
void *vec__steal(struct vec *v, size_t *ret_len);

#endif

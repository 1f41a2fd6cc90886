/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/types.h"

/*
 * A growable array of elements of one size; the only user of mem_resize() in the project.
 * Pointers into it live until the next push.
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
/* A new zeroed element at the end, or NULL when memory is short. */
void *vec__push(struct vec *v);
/* `n` new zeroed elements at the end (the first of them is returned), or NULL. */
void *vec__push_n(struct vec *v, size_t n);
/* Bytes of the new array that a push of `n` would take; 0 when there is room. */
u64 vec__growth(const struct vec *v, size_t n);
/* Room for `n` more, so that their pushes take no memory; false when there is none. */
bool vec__reserve(struct vec *v, size_t n);
/* Element `idx`, which must exist. */
void *vec__at(const struct vec *v, size_t idx);
/* Gives the array away: the caller frees it with mem_free(); the vec is empty afterwards. */
void *vec__steal(struct vec *v, size_t *ret_len);

#endif

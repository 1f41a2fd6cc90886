/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/types.h"

/*
 * The only calls to malloc. All return NULL if memory is short or the size overflows; the caller
 * returns -ENOMEM. Memory is zeroed, so that half-built objects can be freed.
 */
void *mem_alloc(size_t sz);
void *mem_array(size_t n, size_t elem_sz);
/* Grows or shrinks; the new tail is NOT zeroed; `p` stays valid on failure. */
void *mem_resize(void *p, size_t n, size_t elem_sz);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len);
void mem_free(void *p);

/*
 * For tests: the `nth` allocation from now on (1 = the next) fails, and only that one. 0 turns it
 * off. mem_fail_fired() tells whether it failed.
 */
void mem_fail_nth(u64 nth);
bool mem_fail_fired(void);

#endif

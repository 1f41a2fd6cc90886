/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_DICT_H
#define ASYNC_PY_DICT_H

#include "abi/python.h"
#include "async/task/task_memory.h"
#include "base/types.h"

/*
 * The value of a key in a dict, which is known to be one. False: it has no such key, or cannot be
 * read. Keys are strings of ASCII.
 */
bool py_dict__get(struct task_memory *mem, const struct cs_python *layout, u64 dict,
		  const char *key, u64 *ret);
/* The values of a dict, at most `max` of them; how many there are. Keys may be anything. */
size_t py_dict__values(struct task_memory *mem, const struct cs_python *layout, u64 dict, u64 *ret,
		       size_t max);

#endif

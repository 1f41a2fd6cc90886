/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_PY_CODES_H
#define ASYNC_PY_CODES_H

#include "async/py_layout.h"
#include "base/map64.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "visit/process.h"
#include "visit/python_code.h"

/* A function of a program. */
struct py_code {
	u64 addr; /* of its code object */
	u64 number; /* in stacks */
	u64 checked_ns; /* when it was read last */
	u32 name; /* of py_codes.names: qualified since 3.11 */
	u32 locals; /* variables in its frame; 0 to 3.10 */
};

/*
 * The functions of a process, by the addresses of their code objects. Memory is reused, so each is
 * read again after a second.
 */
struct py_codes {
	struct map64 by_addr; /* to an index */
	struct vec codes; /* struct py_code */
	struct strtab names;
	struct python_codes *records; /* borrowed: names and lines for whoever names frames */
	u64 now_ns; /* of the pass */
};

/* `records` is borrowed. -ENOMEM or 0. */
int py_codes__init(struct py_codes *pc, struct python_codes *records);
/* NULL and all zero are fine. */
void py_codes__done(struct py_codes *pc);
/*
 * The function of a code object of the process; NULL: it is something else, or unreadable. Valid
 * until the next call. -ENOMEM or 0.
 */
int py_codes__get(struct py_codes *pc, struct process *p, const struct py_layout *l, u64 addr,
		  const struct py_code **ret);

#endif

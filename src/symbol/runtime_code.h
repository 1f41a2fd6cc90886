/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RUNTIME_CODE_H
#define SYMBOL_RUNTIME_CODE_H

#include "base/err.h"
#include "base/vec.h"
#include "proc/code_place.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

/* The names of code that processes made at run time, from perf maps and jitdumps. */
struct runtime_codes {
	struct vec list; /* struct runtime_code * */
};

/* Of one process. */
struct runtime_code {
	struct code_place place;
	struct perfmap *map; /* NULL: none was found yet */
	struct jitdump *dump;
	u64 pass; /* when it was last brought up to date */
};

void runtime_codes__init(struct runtime_codes *rc);
/* NULL is fine. */
void runtime_codes__done(struct runtime_codes *rc);

/*
 * What was kept open of a process that may be gone; takes what is in `place`, which is empty then,
 * also on error. -ENOMEM or 0.
 */
int runtime_codes__give(struct runtime_codes *rc, struct code_place *place);
/*
 * The names of a process, brought up to date if they were not yet in this `pass`: a process that
 * lives is looked at again, files that grew are read on. What was read stays when they are gone.
 * NULL when memory is short.
 */
const struct runtime_code *runtime_codes__get(struct runtime_codes *rc, u32 tgid, u64 pass);

/* *ret_name lives until the next runtime_codes__get(). */
bool runtime_code__find(const struct runtime_code *code, u64 addr, const char **ret_name,
			u64 *ret_start);
/* The source line; jitdumps have them, perf maps do not. */
bool runtime_code__line(const struct runtime_code *code, u64 addr, const char **ret_file,
			u32 *ret_line);

#endif

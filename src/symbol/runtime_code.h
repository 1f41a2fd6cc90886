/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RUNTIME_CODE_H
#define SYMBOL_RUNTIME_CODE_H

#include "base/err.h"
#include "base/vec.h"
#include "proc/code_place.h"
#include "proc/ended.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

/* The names of processes' JIT-compiled code, from perf maps and jitdumps. */
struct runtime_codes {
	struct vec list; /* struct runtime_code * */
};

/* Of one process. */
struct runtime_code {
	struct code_place place;
	struct perfmap *map; /* NULL: none found yet */
	struct jitdump *dump;
	u64 pass; /* when it was last updated */
	u64 told; /* functions dropped and already reported */
	u32 unread; /* files whose end the last update did not reach */
};

void runtime_codes__init(struct runtime_codes *rc);
/* NULL is fine. */
void runtime_codes__done(struct runtime_codes *rc);

/*
 * What was kept open for a process that may have exited. Takes and empties `place`, also on error.
 * -ENOMEM or 0.
 */
int runtime_codes__give(struct runtime_codes *rc, struct code_place *place);
/*
 * The names of a process, updated once per `pass`: a live process is looked at again, files that
 * grew are read further. What was read stays when they are gone. NULL when out of memory.
 */
const struct runtime_code *runtime_codes__get(struct runtime_codes *rc, u32 tgid, u64 pass);

/*
 * How many functions of the processes of this `pass` were dropped and not yet reported: for a
 * profile's LOSS_CODE_FULL, which adds up over windows.
 */
u64 runtime_codes__tell_dropped(struct runtime_codes *rc, u64 pass);
/* How many of their files have an end that this `pass` did not reach: LOSS_CODE_UNREAD. */
u64 runtime_codes__unread(const struct runtime_codes *rc, u64 pass);

/* Forgets processes that have ended; what they had no room for was reported before. */
void runtime_codes__forget(struct runtime_codes *rc, const struct ended *ended);

/* *ret_name lives until the next runtime_codes__get(). */
bool runtime_code__find(const struct runtime_code *code, u64 addr, const char **ret_name,
			u64 *ret_start);
/* The source line; jitdumps have them, perf maps do not. */
bool runtime_code__line(const struct runtime_code *code, u64 addr, const char **ret_file,
			u32 *ret_line);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * Names of a process's JIT-compiled code, from the text it writes to /tmp/perf-PID.map: lines of
 * "START SIZE NAME", start and size in hex.
 */
struct perfmap;

/* An empty one, which has read nothing. -ENOMEM. */
int perfmap__new(struct perfmap **ret, struct err *err);
/* NULL is fine. */
void perfmap__free(struct perfmap *pm);

/*
 * Adds the lines of a text. Skips invalid lines, and a last line without its end (it is being
 * written). Where two entries overlap, the later line is right: the code was replaced. If
 * code_log.h allows no more lines, those covered by later ones are dropped; a line that still does
 * not fit is counted by perfmap__dropped(). -ENOMEM.
 */
int perfmap__add(struct perfmap *pm, struct view text, struct err *err);
/*
 * Reads what was appended to `fd` since the last call. If the file was replaced, or rewritten from
 * its start, everything is replaced. 1 if it stopped before the end, as growing__read() does;
 * -ENOMEM, or a read error.
 */
int perfmap__update(struct perfmap *pm, int fd, struct err *err);

/* *ret_name lives until more is added. */
bool perfmap__find(const struct perfmap *pm, u64 addr, const char **ret_name, u64 *ret_start);
/* Number of lines that are known. */
size_t perfmap__len(const struct perfmap *pm);
/* Number of lines that did not fit. */
u64 perfmap__dropped(const struct perfmap *pm);

#endif

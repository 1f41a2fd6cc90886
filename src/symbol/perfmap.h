/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * Names of code that a process made at run time, from the text it writes to /tmp/perf-PID.map:
 * lines of "START SIZE NAME", start and size in hex.
 */
struct perfmap;

/* An empty one, which has read nothing. -ENOMEM. */
int perfmap__new(struct perfmap **ret, struct err *err);
/* NULL is fine. */
void perfmap__free(struct perfmap *pm);

/*
 * Adds the lines of a text. Lines that make no sense, and a last line without its end (it is being
 * written), are left out. Where two entries overlap the later line is right: the code was replaced.
 * More than code_log.h allows is left out, and told to log_debug(). -ENOMEM.
 */
int perfmap__add(struct perfmap *pm, struct view text, struct err *err);
/*
 * Reads what `fd` has beyond what was read before. A file that is another one by now, or was
 * written anew from its start, replaces everything. -ENOMEM, or an error of reading.
 */
int perfmap__update(struct perfmap *pm, int fd, struct err *err);

/* *ret_name lives until more is added. */
bool perfmap__find(const struct perfmap *pm, u64 addr, const char **ret_name, u64 *ret_start);
/* Number of lines that are known. */
size_t perfmap__len(const struct perfmap *pm);

#endif

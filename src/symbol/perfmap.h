/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_PERFMAP_H
#define SYMBOL_PERFMAP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * Names of code that a process made at run time, from the text it writes to /tmp/perf-PID.map:
 * lines of "START SIZE NAME", start and size in hex. Immutable.
 */
struct perfmap;

/*
 * Lines that make no sense, and a last line without its end (it is being written), are left out.
 * Where two entries overlap the later line is right: the code was replaced. -ENOMEM is the one
 * error.
 */
int perfmap__parse(struct perfmap **ret, struct view text, struct err *err);
/*
 * The map of a live process: /tmp/perf-PID.map in its root, PID being its number in its own PID
 * namespace. -ENOENT when there is none or the process is gone; -EPERM when the file belongs to
 * somebody else than the process' user or root; -EFBIG; -ENOMEM.
 */
int perfmap__read(u32 tgid, struct perfmap **ret, struct err *err);
/* NULL is fine. */
void perfmap__free(struct perfmap *pm);

/* *ret_name lives as long as the object. */
bool perfmap__find(const struct perfmap *pm, u64 addr, const char **ret_name, u64 *ret_start);

#endif

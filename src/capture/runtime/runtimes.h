/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_RUNTIMES_H
#define CAPTURE_RUNTIME_RUNTIMES_H

#include "capture/runtime/runtime.h"

#define RUNTIMES_CNT 7

/* All runtimes; the host of another one comes first: a JVM may load Python. */
extern const struct runtime *const runtimes[RUNTIMES_CNT];

/* The first runtime whose file is mapped; NULL: none. */
const struct runtime *runtimes_by_file(const struct maps *maps);
/* The runtime of a process: by its files, or by what is in them. NULL: none is known. */
const struct runtime *runtimes_find(const struct runtime_process *p);
/* What to tell about code of `rt`; NULL: about code of unknown origin. */
void runtimes_advise(const struct runtime *rt, const struct runtime_process *p,
		     struct runtime_advice *a);
/* The module that an interpreted function is shown in; `addr` as from cs_pc_code_addr(). */
const char *runtimes_code_label(u64 addr);

#endif

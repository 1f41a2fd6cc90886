/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_ENDINGS_H
#define CAPTURE_MAPPING_ENDINGS_H

#include "abi/task.h"
#include "base/map64.h"
#include "base/vec.h"
#include "proc/ended.h"

/*
 * Which programs have ended, from the records of their threads. A record alone does not tell: other
 * threads of the process may go on, traced or not, so the process is looked for. One that has ended
 * meanwhile may still have rows in the window at hand, so it is reported with the next one. Not
 * thread-safe.
 */
struct endings {
	struct vec waiting; /* struct ending, each image once */
	struct map64 images; /* those that are waiting */
};

void endings__init(struct endings *e);
void endings__done(struct endings *e);
/* Each record of the window at hand. -ENOMEM or 0. */
int endings__see(struct endings *e, const struct cs_task_record *rec);
/*
 * Behind the last record of a window: the programs of earlier windows that have ended and that this
 * one knows nothing of. Each is reported once; `ret` is initialized. -ENOMEM or 0.
 */
int endings__take(struct endings *e, struct ended *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_ENDED_H
#define PROC_ENDED_H

#include "base/map64.h"
#include "base/types.h"

/*
 * Programs that have ended and that no later profile can show: whoever keeps names for them may
 * forget these. A program is an image (cs_task_record.image); one that called exec() has ended, and
 * its process goes on.
 */
struct ended {
	struct map64 images;
	struct map64 tgids; /* processes that are gone, and nobody else has their number yet */
};

void ended__init(struct ended *e);
void ended__done(struct ended *e);
/* -ENOMEM or 0. */
int ended__add_image(struct ended *e, u64 image);
int ended__add_process(struct ended *e, u32 tgid);
bool ended__has_image(const struct ended *e, u64 image);
bool ended__has_process(const struct ended *e, u32 tgid);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROFILE_STACKS_H
#define CAPTURE_PROFILE_STACKS_H

#include "base/map64.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "profile/builder.h"

struct capture;
struct kallsyms;

/* Whose stack it is. */
struct stack_owner {
	u64 image;
	u32 tgid;
};

/* From the stacks that a capture read of the kernel to those of one profile. Not thread-safe. */
struct profile_stacks {
	struct builder *b; /* this and the next two are borrowed */
	struct capture *c;
	const struct capture_files *files;
	struct map64 made; /* (hash, image) to the builder's stack id */
	struct map64 frames; /* place in a file, see frame_key(), to the builder's frame id */
	u32 kernel_module;
	u64 schedule_start; /* __schedule; 0: not known */
	u64 schedule_end;
	u64 wakeup_start; /* try_to_wake_up, likewise */
	u64 wakeup_end;
	bool bare; /* a stack found no room in our memory; to be cleared by the caller */
};

void profile_stacks__init(struct profile_stacks *ps, struct builder *b, struct capture *c,
			  const struct capture_files *files);
void profile_stacks__done(struct profile_stacks *ps);
/* Before the first stack; `k` may be NULL. -ENOMEM or 0. */
int profile_stacks__begin(struct profile_stacks *ps, const struct kallsyms *k);
/*
 * The builder's id of the stack with this hash, 0 if there is none; made once, or once for each
 * program where it holds places that are only that program's. -ENOMEM or 0.
 */
int profile_stacks__add(struct profile_stacks *ps, u64 hash, const struct stack_owner *o, u32 *ret);

#endif

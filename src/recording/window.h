/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_WINDOW_H
#define RECORDING_WINDOW_H

#include "base/arena.h"
#include "base/view.h"
#include "profile/profile.h"
#include "recording/block/block.h"
#include "recording/schema.h"
#include "recording/block/sections.h"

struct code_tables;

/* A window as the sections of its blocks: both ways, and no file. */

enum head_string {
	HEAD_HOST,
	HEAD_KERNEL,
	HEAD_ARCH,
	HEAD_VERSION,
	HEAD_COMMAND,
	HEAD_TARGET,
	HEAD_HOOKS,
	HEAD_BOOT, /* this and the next ones have columns of their own */
	HEAD_SELECTION,
	HEAD_SOURCE,
	HEAD_TRIGGER,
	HEAD_STRINGS,
};

/* The column of the section of the head that a string is in. */
static inline u32 head_string_column(u32 string)
{
	if (string == HEAD_SOURCE)
		return HEADER_SOURCE;
	if (string == HEAD_TRIGGER)
		return HEADER_TRIGGER;
	return string < HEAD_BOOT ? HEADER_HOST + string : HEADER_BOOT + (string - HEAD_BOOT);
}

/* What the head of a window says. */
struct window_head {
	struct profile_header hdr; /* its strings are 0 */
	const char *strings[HEAD_STRINGS];
	struct profile_loss losses[LOSS_CNT];
	/* sums of the listed waits */
	u64 listed_waits;
	u64 listed_blocked_ns;
	u64 listed_runq_ns;
	/* and of the hots */
	u64 listed_samples;
	u64 listed_on_ns;
	struct seal blocks[BLOCK_KIND_CNT];
	struct seal tables[SEALED_CNT];
};

/* The head of a profile, without seals; borrows the strings of the profile. */
void window_head__of(struct window_head *head, const struct profile *p);

/* Append the sections of a block to a vec of u8. -ENOMEM or 0. The profile was checked. */
int encode_head(const struct window_head *head, struct vec *sections);
int encode_tasks(const struct profile *p, struct vec *sections);
int encode_code(const struct profile *p, struct vec *sections);
int encode_waits(const struct profile *p, struct vec *sections);

/* -EBADMSG, -EOPNOTSUPP for what only a newer version knows, -ENOMEM. Strings are in `arena`. */
int decode_head(struct view sections, struct arena *arena, struct window_head *ret);

/* The sections of the blocks behind the head. */
struct window_sections {
	struct view at[BLOCK_KIND_CNT];
	bool has[BLOCK_KIND_CNT]; /* BLOCK_TASKS at least */
	/* If the code block adds to those before it: what they and it have. */
	const struct code_tables *code;
};

/*
 * The profile. Without code the waits have no stacks, without waits each thread has a rest; both is
 * a LOSS_DAMAGED, and of samples a LOSS_SAMPLES_BARE or _LOST. -EBADMSG, -EOPNOTSUPP for what only
 * a newer version knows, -ENOMEM.
 */
int decode_profile(const struct window_head *head, const struct window_sections *in,
		   struct profile **ret, struct err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_CODE_TABLES_H
#define RECORDING_CODE_TABLES_H

#include "base/intern.h"
#include "base/strtab.h"
#include "base/view.h"
#include "profile/profile.h"
#include "recording/block/column.h"

/*
 * The strings, modules, frames and stacks of a chain of windows (docs/adr/0073), once each, by
 * number from 1 in the order in which they came. The structs are those of a profile, with numbers
 * of these tables as ids; stacks have no depth.
 */
struct code_tables {
	struct strtab strings;
	struct intern modules; /* struct profile_module */
	struct intern frames; /* struct profile_frame */
	struct intern stacks; /* struct profile_stack */
};

/* How many there are, with the zero element. */
struct code_lens {
	u32 strings;
	u32 modules;
	u32 frames;
	u32 stacks;
};

/* What the block of a window says about the blocks before it. */
struct code_base {
	u32 root; /* window whose block is complete by itself */
	u32 crc; /* of the block of the window before */
	struct code_lens lens; /* of the tables before this window */
};

/* -ENOMEM or 0. Release with code_tables__done() in either case. */
int code_tables__init(struct code_tables *t);
void code_tables__done(struct code_tables *t);
struct code_lens code_tables__lens(const struct code_tables *t);
/* Whether a writer begins anew rather than add to tables that are this large. */
bool code_tables__is_large(const struct code_tables *t);

/*
 * Whether a code block adds to others: 1 with *ret, 0 if it is complete by itself, -EBADMSG or
 * -EOPNOTSUPP.
 */
int code_base_read(struct view sections, struct code_base *ret);
/*
 * Adds what a code block has: to empty tables one that is complete, or one that continues them.
 * -EBADMSG for what was there before, or refers to what is not; also if the tables become larger
 * than any writer makes them. -EOPNOTSUPP or -ENOMEM. After an error the tables are of no use.
 */
int code_tables__add(struct code_tables *t, struct view sections);

#endif

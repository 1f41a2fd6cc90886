/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_CODE_ROW_H
#define RECORDING_BLOCK_CODE_ROW_H

#include "profile/code.h"
#include "recording/block/column.h"

/*
 * Rows of the sections of modules, frames and stacks. In these functions strings are numbers of the
 * block, or of the tables that it continues.
 */

/* Strings are numbered in the order of their first use; the next new one has the number `next`. */
struct string_refs {
	u32 next;
	u32 len; /* as many exist, with number 0 */
};

/* What the column has for string `number`, which is at most the next new one. */
u64 string_refs__put(struct string_refs *refs, u32 number);
/* The number of the string that the next value of a column refers to. -EBADMSG or 0. */
int string_refs__take(struct string_refs *refs, struct section_in *s, u32 col, u32 *ret);

/* Stacks refer to frames by the difference to `next_frame`, one more than the highest so far. */
void code_row__put_module(struct section_out *s, struct string_refs *refs,
			  const struct profile_module *m);
/* `addrs`: of the frame before, by module. */
void code_row__put_frame(struct section_out *s, struct string_refs *refs, u64 *addrs,
			 const struct profile_frame *f);
void code_row__put_stack(struct section_out *s, u32 number, u32 *next_frame,
			 const struct profile_stack *st);

/* The same, read. -EBADMSG, -EOPNOTSUPP for what only a newer version knows, or 0. */
int code_row__take_module(struct section_in *s, struct string_refs *refs, struct profile_module *m);
int code_row__take_frame(struct section_in *s, struct string_refs *refs, u64 *addrs,
			 u64 modules_len, struct profile_frame *f);
int code_row__take_stack(struct section_in *s, u32 number, u32 *next_frame, u64 frames_len,
			 struct profile_stack *st);

#endif

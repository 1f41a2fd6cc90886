/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_DECODE_PRIV_H
#define RECORDING_DECODE_PRIV_H

/*
 * Between decode.c and the other decode_*.c. Those with a result return -EBADMSG, -EOPNOTSUPP,
 * -EINVAL, -ENOMEM or 0.
 */
#include "base/vec.h"
#include "profile/builder.h"
#include "profile/row_type.h"
#include "recording/block/code_row.h"
#include "recording/block/column.h"
#include "recording/window.h"

/* A row of the section of waits. */
struct decoded_wait {
	u64 ns; /* blocked and run queue */
	u32 id; /* of the builder */
};

/* Ids of the builder, by those of the block at hand. */
struct decoding {
	struct builder *b;
	const struct window_head *head;
	struct vec strings; /* u32 */
	struct string_refs refs; /* to them */
	struct vec frames; /* struct profile_frame: names and places, by id in the block */
	struct vec waits; /* struct decoded_wait, by number in the block, from 1 */
	struct vec frame_ids; /* u32; equal inlined functions of one address become one frame */
	struct vec objects; /* u32: ids in the builder by those in the block, and the next */
	struct vec wakers;
	bool has_code;
	struct err *err;
};

/* Room for one more id; NULL: no memory. */
u32 *decode_id(struct vec *ids);
/* The next section that this version knows: as section_in__next(). */
int decode_section(struct section_in *s, struct view *sections);
/* The string that a reference in a column is to, as an id of the builder. */
int decode_string(struct decoding *d, struct section_in *s, u32 col, u32 *ret_id);

int decode_modules(struct decoding *d, struct section_in *s);
/* `modules_len`: of the section before. */
int decode_frames(struct decoding *d, struct section_in *s, u32 modules_len);
int decode_stacks(struct decoding *d, struct section_in *s);
/* A frame of the profile, and the stack that gets the id `number`. */
int decode_add_frame(struct decoding *d, const struct profile_frame *f, u32 *ret_id);
int decode_add_stack(struct decoding *d, u32 number, const struct profile_stack *st);
/* What a window uses of the tables of its chain, from the sections of its code block. */
int decode_used(struct decoding *d, const struct code_tables *t, struct view sections);
int decode_objects(struct decoding *d, struct section_in *s);
int decode_waits(struct decoding *d, struct section_in *s);
int decode_intervals(struct decoding *d, struct section_in *s);
int decode_replicates(struct decoding *d, struct section_in *s);
int decode_moments(struct decoding *d, struct section_in *s);
int decode_marks(struct decoding *d, struct section_in *s);
int decode_hots(struct decoding *d, struct section_in *s);
int decode_measured(struct decoding *d, struct section_in *s);
int decode_wakers(struct decoding *d, struct section_in *s);
int decode_wakes(struct decoding *d, struct section_in *s);
/*
 * Of the ids of a row, those of objects and wakers are those of the block: makes them the
 * builder's.
 */
int decode_row_ids(const struct decoding *d, const struct row_type *type, void *row);
/* Without the code of a window: true when the row had stacks, which it has no longer. */
bool decode_drop_stacks(const struct decoding *d, const struct row_type *type, void *row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_FRAME_HABIT_H
#define UNWIND_FRAME_HABIT_H

#include "base/types.h"
#include "elf/cfi.h"
#include "elf/image.h"

#define FRAME_HABIT_HOLES 16

/* The largest stretches of a file's code without CFI. Initialise to zero. */
struct frame_habit {
	struct {
		u64 off;
		u64 sz;
	} hole[FRAME_HABIT_HOLES];
	u32 len;
	bool begun; /* there was a row */
	bool open; /* the last row was one without CFI */
	u64 first_off; /* of the first row */
	u64 last_off; /* of the last one */
};

/* To be called for each row of a file, by rising offset, like cfi_row_fn. */
void frame_habit__see(struct frame_habit *h, u64 off, const struct cfi_rule *rule);
/*
 * Whether code without CFI keeps frame pointers, judged from samples: code that does has a prologue
 * every few hundred bytes (Chromium: 353), other code has hardly any (musl: one in 100,865 bytes).
 * Always true on arm64. The image is borrowed for the call only.
 */
bool frame_habit__keeps_fp(const struct frame_habit *h, const struct image *img);

#endif

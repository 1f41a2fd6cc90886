/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_STATE_H
#define PROFILE_STATE_H

#include "base/err.h"
#include "base/types.h"

/*
 * Names of task states. A state is an index into PROFILE_STATE_LETTERS; a raw mask has the bits of
 * the kernel's task_struct.__state, repeated here because a profile does not depend on the BPF side
 * (a unit test compares the lists).
 */
enum state_raw {
	STATE_RAW_INTERRUPTIBLE = 0x1,
	STATE_RAW_UNINTERRUPTIBLE = 0x2,
	STATE_RAW_STOPPED = 0x4,
	STATE_RAW_TRACED = 0x8,
	STATE_RAW_EXIT_DEAD = 0x10,
	STATE_RAW_EXIT_ZOMBIE = 0x20,
	STATE_RAW_PARKED = 0x40,
	STATE_RAW_DEAD = 0x80,
	STATE_RAW_WAKEKILL = 0x100,
	STATE_RAW_NOLOAD = 0x400,
	STATE_RAW_RTLOCK_WAIT = 0x1000,
	STATE_RAW_FROZEN = 0x8000,
};

/*
 * Parses which states to list. Either letters of "RSDTtXZPI", or K for waits that a fatal signal
 * ends, with or without commas between them ("D", "S,D", "SD"); or one number, decimal or 0x hex,
 * which is a mask of raw bits (0: only waits of runnable threads); or "any".
 *
 * A wait is listed if *ret_any is set, or it has one of the bits of *ret_raw_mask, or it has no bit
 * at all and *ret_runnable is set. Bits overlap as they do in the kernel: an idle kernel thread (I)
 * is uninterruptible, so D lists it too; a stopped thread can be killed, so K lists it too. -EINVAL
 * with a message that quotes the text; then nothing is written.
 */
int state_mask_parse(const char *text, u32 *ret_raw_mask, bool *ret_runnable, bool *ret_any,
		     struct err *err);

/* 'R', 'S', 'D', ...; '?' for an unknown state. */
char state_letter(u32 state);
#endif

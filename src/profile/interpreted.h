/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_INTERPRETED_H
#define PROFILE_INTERPRETED_H

#include "base/types.h"
#include "base/view.h"

/*
 * A function of an interpreter, as read when it was first seen, on its way from capture to the
 * resolver. Strings are UTF-8; "" could not be read. Everything is borrowed for the duration of the
 * call. `file` is NULL if the name is complete without it, such as a Java method with its class;
 * then there are no lines either.
 */
struct interpreted_code {
	u64 image; /* profile_module.dev of the MODULE_CODE it belongs to */
	u64 code; /* as from interpreted_code_of() */
	u32 version; /* of the interpreter: major << 8 | minor */
	u32 first_line;
	const char *file;
	const char *name;
	struct view lines; /* table of line numbers, in the format of that version */
	bool lines_cut; /* its end is missing */
};

/* The parts of the address of a MODULE_CODE frame (abi/stack.h, cs_pc_code()). */
#define INTERPRETED_INSTR_BITS 19
#define INTERPRETED_CODE_BITS 43

static inline u64 interpreted_code_of(u64 addr)
{
	return (addr >> INTERPRETED_INSTR_BITS & ((1ULL << INTERPRETED_CODE_BITS) - 1)) << 4;
}

/* In units of 2 bytes from the first instruction of the function. */
static inline u32 interpreted_instr_of(u64 addr)
{
	return (u32)addr & ((1U << INTERPRETED_INSTR_BITS) - 1);
}

#endif

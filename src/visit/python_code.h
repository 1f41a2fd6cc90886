/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_PYTHON_CODE_H
#define VISIT_PYTHON_CODE_H

#include <string.h>

#include "abi/event.h"
#include "abi/python.h"
#include "base/types.h"
#include "capture/runtime/python_codes.h"
#include "visit/process.h"

/* A code object of a process, read up to the last field that is needed. */
struct python_code_object {
	u64 addr;
	u8 bytes[CS_PYTHON_BUF_SZ];
};

/* A word of an object that was read in part; 0 beyond that. */
static inline u64 python_word(const u8 bytes[CS_PYTHON_BUF_SZ], u16 off)
{
	u64 word = 0;

	if (off + sizeof(word) <= CS_PYTHON_BUF_SZ)
		memcpy(&word, bytes + off, sizeof(word));
	return word;
}

/* Reads it. False: it cannot be read, or is something else. */
bool python_code_object__read(struct python_code_object *o, struct process *p, u64 addr,
			      const struct cs_python *layout);
/* Its number in stacks: memory is reused, so it depends on the contents, too. */
u64 python_code_object__number(const struct python_code_object *o, const struct cs_python *layout);
/* The record with its names and lines; what cannot be read is empty. */
void python_code_object__describe(const struct python_code_object *o, struct process *p,
				  const struct cs_python *layout, struct cs_code_event *ret);
/* Gives names and lines of a function that is new to `codes`, for p->image. -ENOMEM or 0. */
int python_code_object__take(const struct python_code_object *o, struct process *p,
			     const struct cs_python *layout, struct python_codes *codes);
/*
 * Where in its code a frame is, in units of 2 bytes; 0: it has not started. `word` is at
 * layout->frame_instr of the frame, `code` the address of its code object.
 */
u32 python_instr(const struct cs_python *layout, u64 word, u64 code);

#endif

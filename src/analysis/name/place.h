/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_PLACE_H
#define ANALYSIS_NAME_PLACE_H

#include "analysis/name/label.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/strtab.h"
#include "profile/profile.h"

/*
 * Where a thread waited, short enough for one line: the program's own frames nearest to the wait
 * ("ProcSleep < LockAcquire < heap_update"), and the kernel function that waited. Frames that every
 * wait goes through are omitted: the scheduler on the kernel side, the C library and language run
 * times on the user side, unless there is nothing else. If there are interpreted frames on the
 * stack, only those form the place.
 *
 * If the program called a library that talks to a server (libpq, libssl, ...), its name and the
 * function that was called are separate: "libpq PQexec". The place is then above it.
 */
struct places {
	const struct profile *p;
	const struct labels *labels; /* borrowed */
	struct strtab texts;
	struct intern joined; /* frames of a text, and its id: many stacks end in the same frames */
	u32 *user_of_stack; /* text id + 1 by stack id, 0: not built yet */
	u32 *kernel_of_stack;
	u32 *library_of_stack;
	u32 *call_of_stack; /* node of the call into a client library by stack id; NULL: none */
	u8 *module_is; /* bits by module, see place.c */
	u8 *takes_frame; /* bits by frame: the enum take filters that accept it */
	bool has_code; /* some module is interpreted code */
};

/* -ENOMEM or 0. Release with places__done() in either case. */
int places__init(struct places *pl, const struct profile *p, const struct labels *labels,
		 struct err *err);
void places__done(struct places *pl);
/* Ids of texts for the stack with this leaf node; the text of stack 0 is "". -ENOMEM or 0. */
int places__user(struct places *pl, u32 stack, u32 *ret_text);
int places__kernel(struct places *pl, u32 stack, u32 *ret_text);
int places__library(struct places *pl, u32 stack, u32 *ret_text);
const char *places__text(const struct places *pl, u32 text);

/*
 * The lowest frame of a user stack outside run time libraries, or the lowest that is code; 0 if
 * there is none.
 */
u32 place_own_frame(const struct profile *p, u32 stack);
/* The same for all stacks, by leaf node. Free with mem_free(); NULL when out of memory. */
u32 *place_own_frames(const struct profile *p);

#endif

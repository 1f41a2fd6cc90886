/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_PLACE_H
#define ANALYSIS_NAME_PLACE_H

#include "analysis/name/label.h"
#include "analysis/name/own_code.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/strtab.h"
#include "profile/profile.h"

/*
 * Where a thread waited, short enough for one line, and whole: names are never cut. One of
 *
 *	fetch_prices (app.py:13) > requests > recv
 *	ProcSleep < LockAcquireExtended < XactLockTableWait
 *
 * The first has the lowest function of the program, the library that it called (if any), and what
 * was called in the end: the function of a client library (libpq, libssl, ...), or of the C
 * library. It is for interpreted functions, and for what called a library. The second has the
 * program's functions nearest to the wait, each with its callers. own_code.h decides what the
 * program is.
 *
 * The kernel's part is the lowest function outside the scheduler.
 */
struct places {
	const struct profile *p;
	const struct labels *labels; /* borrowed */
	struct strtab texts;
	struct intern joined; /* frames of a text, and its id: many stacks end in the same frames */
	u32 *user_of_stack; /* text id + 1 by stack id, 0: not built yet */
	u32 *kernel_of_stack;
	u32 *library_of_stack;
	u32 *own_of_stack; /* frame + 1 by stack id, 0: not searched yet */
	u32 *call_of_stack; /* node of the call into a client library by stack id; NULL: none */
	u8 *module_is; /* bits by module, see place.c */
	u8 *takes_frame; /* bits by frame: the enum take filters that accept it */
};

/* -ENOMEM or 0. Release with places__done() in either case. */
int places__init(struct places *pl, const struct profile *p, const struct labels *labels,
		 struct err *err);
void places__done(struct places *pl);
/* Ids of texts for the stack with this leaf node; the text of stack 0 is "". -ENOMEM or 0. */
int places__user(struct places *pl, u32 stack, u32 *ret_text);
int places__kernel(struct places *pl, u32 stack, u32 *ret_text);
/* Of a wait: the user's text, or the kernel's if that is "". */
int places__wait(struct places *pl, const struct profile_wait *w, u32 *ret_text);
/* The frame that a text of the stack begins with; 0 if there is none. */
u32 places__own(struct places *pl, u32 stack);
/* The client library and the function that was called: "libpq PQexec"; "" if there is none. */
int places__library(struct places *pl, u32 stack, u32 *ret_text);
/* Whose code a user frame is. */
void places__code(const struct places *pl, u32 frame, struct own_code *ret);
const char *places__text(const struct places *pl, u32 text);

/*
 * The lowest frame of a user stack outside run time libraries, or the lowest that is code; 0 if
 * there is none.
 */
u32 place_own_frame(const struct profile *p, u32 stack);
/* The same for all stacks, by leaf node. Free with mem_free(); NULL when out of memory. */
u32 *place_own_frames(const struct profile *p);

#endif

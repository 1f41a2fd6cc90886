/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_STACK_BOOK_H
#define VISIT_STACK_BOOK_H

#include "base/intern.h"
#include "base/strtab.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "profile/builder.h"
#include "unwind/host_walk.h"
#include "visit/code_files.h"
#include "visit/python_frames.h"

/*
 * The stacks that were seen, each with a number that stays the same over all windows. Not
 * thread-safe.
 */
struct stack_book {
	struct intern frames; /* struct book_frame */
	struct intern nodes; /* struct book_node */
	struct strtab names; /* of kernel functions */
	struct vec in_builder; /* u32 by node: its id in the builder of this window */
	struct vec modules; /* u32 by code file: likewise */
	struct vec images; /* u32: the process of each image; [0] is unused */
	u32 kernel_module;
};

/* -ENOMEM or 0. */
int stack_book__init(struct stack_book *sb);
/* NULL and all zero are fine. */
void stack_book__done(struct stack_book *sb);
/* A new image of a process, for its interpreted functions. -ENOMEM or 0. */
int stack_book__image(struct stack_book *sb, u32 tgid, u32 *ret);
/* A user stack of a process, with its Python functions. -ENOMEM or 0. */
int stack_book__add_user(struct stack_book *sb, const struct process *p, const struct host_stack *s,
			 const struct python_frames *python, u32 *ret);
/* Python functions alone, of an image; `cut`: there are more of them, outwards. -ENOMEM or 0. */
int stack_book__add_python(struct stack_book *sb, u32 image, const struct python_frames *python,
			   bool cut, u32 *ret);
/* A function of the kernel, below (towards the leaf of) the stack `parent`. -ENOMEM or 0. */
int stack_book__add_kernel(struct stack_book *sb, u32 parent, const char *name, u32 *ret);
/* A function without an address, below the stack `parent`; `file` "": unknown. -ENOMEM or 0. */
int stack_book__add_place(struct stack_book *sb, u32 parent, const char *name, const char *file,
			  u32 line, u32 *ret);
/* What stands for missing callers: it begins a stack that was cut. -ENOMEM or 0. */
int stack_book__add_cut(struct stack_book *sb, u32 *ret);
/* A word in brackets below the stack `parent`, which is no function: "[select]". -ENOMEM or 0. */
int stack_book__add_note(struct stack_book *sb, u32 parent, const char *note, u32 *ret);

/* A window is built: numbers of an earlier builder are forgotten. -ENOMEM or 0. */
int stack_book__begin(struct stack_book *sb, struct builder *b);
/* The builder's id of a stack. -ENOMEM or 0. */
int stack_book__give(struct stack_book *sb, const struct code_files *cf,
		     const struct capture_files *files, u32 stack, struct builder *b, u32 *ret);

#endif

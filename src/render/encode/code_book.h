/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_CODE_BOOK_H
#define RENDER_ENCODE_CODE_BOOK_H

#include "analysis/name/label.h"
#include "base/intern.h"
#include "base/strtab.h"
#include "profile/profile.h"

/*
 * The tables of formats that name code once and refer to it by number: locations, functions,
 * mappings and strings. They fill as samples are written; the formats write them in the end. Ids
 * start at 1; 0 stands for nothing, or "".
 */

/* A location is a chain of functions, from the one at its address to the outermost. */
struct code_link {
	u32 outer; /* 0: it is the outermost */
	u32 frame; /* of the profile, or 0 for a note */
	u32 note;
	u32 used; /* not of the key: a location is this link with what is outside of it */
};

struct code_function {
	u32 name; /* strings */
	u32 file;
};

/* A mapping: the part of a file with code that was seen, at a made-up address. */
struct code_module {
	bool used;
	bool has_names;
	bool has_lines;
	bool has_inlined;
	u64 start; /* of memory, whole pages; limit 0: no known address */
	u64 limit;
};

struct code_book {
	const struct profile *p; /* borrowed, as the labels */
	const struct labels *labels;
	struct strtab strings;
	struct intern links; /* struct code_link; the id of a location is that of its first link */
	struct intern functions; /* struct code_function */
	struct intern notes; /* notes in place of missing frames */
	struct code_module *modules; /* by id of the profile */
	struct vec group; /* u32 frames of one address, leaf first */
};

/* -ENOMEM or 0. Release with code_book__done() in either case. */
int code_book__init(struct code_book *b, const struct profile *p, const struct labels *labels);
void code_book__done(struct code_book *b);
/* Any bytes as a string of UTF-8; 0 is "". -ENOMEM or 0. */
int code_book__str(struct code_book *b, const char *s, u32 *ret_id);
/*
 * The location of the frame of stack node *node, including those it is inlined in; *node advances
 * past them, towards the root, 0 at the end. -ENOMEM or 0.
 */
int code_book__location(struct code_book *b, u32 *node, u32 *ret_id);
/* A location without code: "[lost]". -ENOMEM or 0. */
int code_book__note(struct code_book *b, const char *note, u32 *ret_id);

const struct code_link *code_book__link(const struct code_book *b, u32 id);
/* The function of a link, and its line, 0 if unknown. -ENOMEM or 0. */
int code_book__function(struct code_book *b, const struct code_link *link, u32 *ret_id,
			u32 *ret_line);
/* The made-up address of the code of a link; 0: unknown. */
u64 code_book__address(const struct code_book *b, const struct code_link *link);
/* The offset in its file at which the mapping of a module begins. */
u64 code_book__file_offset(const struct code_book *b, u32 module);
/* The module that readers should show as the profiled program; 0: none. */
u32 code_book__main_module(const struct code_book *b);

#endif

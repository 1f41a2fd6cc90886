/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TOKIO_TK_SHELF_H
#define ASYNC_TOKIO_TK_SHELF_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "elf/future/future.h"
#include "elf/image.h"

enum tk_book_state {
	TK_BOOK_WAITS = 0, /* another one is being read */
	TK_BOOK_OPEN, /* a child process reads it */
	TK_BOOK_READ,
	TK_BOOK_NONE, /* the program has no debug information */
	TK_BOOK_BAD, /* it could not be read: `why` */
};

/* A file as it was: one that is written anew may have the same inode. */
struct tk_book_key {
	u64 dev, ino, sz;
	u64 changed_ns; /* its time of modification */
};

/* The futures of a program. */
struct tk_book {
	struct tk_book_key key;
	char *path; /* as the process sees it */
	enum tk_book_state state;
	struct srcline_file file;
	struct vec polls; /* u64: link-time addresses */
	struct dwarf_child child;
	struct future_table table; /* if it is read */
	struct err why;
	bool said; /* why it is bad */
};

/*
 * The books of all programs that are recorded, each read once, one at a time, by a process that is
 * not waited for: until it is done, the chains of a program are not known. Not thread-safe.
 */
struct tk_shelf {
	struct vec books; /* struct tk_book * */
};

void tk_shelf__init(struct tk_shelf *s);
/* NULL and all zero are fine. Ends a child process that goes on. */
void tk_shelf__done(struct tk_shelf *s);
/*
 * The book of a program, whose types have these `polls`; it is new if the file is. `path` is where
 * the process sees it, to find a separate debug file. Lives as long as the shelf. -ENOMEM or 0.
 */
int tk_shelf__get(struct tk_shelf *s, const struct image *img, const char *path, const u64 *polls,
		  size_t len, struct tk_book **ret);
/* A book that is bad, and was not asked for before; NULL: there is none. */
const struct tk_book *tk_shelf__next_bad(struct tk_shelf *s);
/* Takes what has been read, and begins the next one. -ENOMEM or 0. */
int tk_shelf__turn(struct tk_shelf *s);
/* The same until all are read, for so long at most, or until a signal. -ENOMEM or 0. */
int tk_shelf__wait(struct tk_shelf *s, u64 limit_ns);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_READER_PRIV_H
#define RECORDING_READER_PRIV_H

#include "base/notices.h"
#include "recording/code_tables.h"
#include "recording/database.h"
#include "recording/reader.h"
#include "recording/window.h"

/* A window whose header was read. */
struct found_window {
	struct recording_window info;
	struct window_head head;
};

/* The code of windows that follow each other, as far as it was read. */
struct read_chain {
	struct code_tables tables; /* unless `root` is 0 */
	u32 root; /* the window that begins it */
	u32 last; /* the last one that was added; 0: none */
	u32 crc; /* of its block */
	u32 bad_root; /* of the last chain that was found damaged; 0: none */
	u32 bad; /* its first window that cannot be read */
};

struct recording {
	struct database d;
	char *path;
	bool is_bare; /* read without the schema: the file is damaged */
	struct arena arena; /* of strings */
	struct vec windows; /* struct found_window */
	struct notices damage;
	struct read_chain chain;
};

/* Adds a sentence, unless memory runs out. */
void recording__tell(struct recording *rec, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void read_chain__done(struct read_chain *c);
/*
 * The tables that the code block of a window needs, with its own additions: borrowed until the next
 * call. *ret NULL: it is complete by itself. `crc` is that of the block. -EBADMSG if a block that
 * it needs is damaged, -EOPNOTSUPP if a newer version wrote one, -ENOMEM.
 */
int recording__code(struct recording *rec, u32 window, struct view sections, u32 crc,
		    const struct code_tables **ret);
/* The header of window `idx`. */
const struct window_head *recording__head(const struct recording *rec, size_t idx);

#endif

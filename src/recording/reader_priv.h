/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_READER_PRIV_H
#define RECORDING_READER_PRIV_H

#include "base/notices.h"
#include "recording/database.h"
#include "recording/reader.h"
#include "recording/window.h"

/* A window whose header was read. */
struct found_window {
	struct recording_window info;
	struct window_head head;
};

struct recording {
	struct database d;
	char *path;
	bool is_bare; /* read without the schema: the file is damaged */
	struct arena arena; /* of strings */
	struct vec windows; /* struct found_window */
	struct notices damage;
};

/* Adds a sentence, unless memory runs out. */
void recording__tell(struct recording *rec, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The header of window `idx`. */
const struct window_head *recording__head(const struct recording *rec, size_t idx);

#endif

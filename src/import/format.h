/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_FORMAT_H
#define IMPORT_FORMAT_H

#include "import/gather.h"
#include "import/input.h"

/* A format is one file with a const table, and a line in import.h. */
struct import_format {
	const char *name; /* of --from */
	/* Whether a file that begins like this may be one; the first that says so wins. */
	bool (*detect)(struct view head);
	/* Into a gather, up to gather__finish(). */
	int (*read)(struct input *in, struct gather *g, struct profile **ret, struct err *err);
};

/* clang-format off */
#define X(ID, name) extern const struct import_format import_##ID;
IMPORT_FORMATS(X)
#undef X
/* clang-format on */

/* The message for an error of a gather; -ENOMEM, or -EINVAL at the line of the input. */
int import_refuse(const struct input *in, int r, struct err *err);
/* No byte that text does not have. */
bool import_is_text(struct view head);
/* The next whole line of a head; false: none. */
bool import_head_line(struct view *head, struct view *ret);
/* A decimal number at the end of a line, taken off it, with its fraction in millionths. */
bool import_take_number(struct view *line, u64 *ret_whole, u32 *ret_millionths);
/* Nanoseconds of a value; -EOVERFLOW. 0 for samples without a period. */
int import_ns(const struct import_options *opt, enum import_unit unit, u64 whole, u32 millionths,
	      u64 *ret_ns);
/* Off both ends: spaces and tabs. */
struct view import_trim(struct view v);
/* The part before the last `c` and the part behind it; false: there is none, nothing changes. */
bool import_split_last(struct view *v, char c, struct view *ret_rest);

/* Takes "+0x1f" off a name; 0: there is none. */
void import_take_offset(struct view *name, u64 *ret_off);

#endif

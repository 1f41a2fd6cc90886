/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_LIMIT_H
#define ANALYSIS_DIFF_LIMIT_H

#include "analysis/diff.h"
#include "base/err.h"

/* How much may change before somebody must be told: "cause:lock:+10%". */

enum diff_limit_kind {
	DIFF_LIMIT_TOTAL, /* "total:+5%" */
	DIFF_LIMIT_CAUSE, /* "cause:NAME:+10%" */
	DIFF_LIMIT_FRAME, /* "frame:NAME:+20%": a glob for the whole name; may contain ':' */
};

#define DIFF_LIMIT_NAME_SZ 512

struct diff_limit {
	u32 kind; /* enum diff_limit_kind */
	u32 cause; /* enum cause */
	char name[DIFF_LIMIT_NAME_SZ]; /* DIFF_LIMIT_FRAME */
	double part; /* of the value before; less than 0 for "-10%": how much less is too much */
};

/* -EINVAL with a sentence that quotes what is wrong. */
int diff_limit_parse(const char *text, struct diff_limit *ret, struct err *err);

/*
 * The first item that changed by that much or more, and is not noise or too small to be tested;
 * NULL: none did. What is new has grown beyond any limit. Where nothing could be tested, the size
 * of the change decides alone. *ret_name is what it is called, *ret_matched (may be NULL) how many
 * items there were to look at. -ENOMEM or 0, and *ret_item.
 */
int diff_limit__find(const struct diff_limit *l, const struct diff *d,
		     const struct diff_item **ret_item, const char **ret_name, u32 *ret_matched,
		     struct err *err);

#endif

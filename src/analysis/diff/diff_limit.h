/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_LIMIT_H
#define ANALYSIS_DIFF_DIFF_LIMIT_H

#include "analysis/diff/diff.h"
#include "base/err.h"

/* A change that counts as a failure: "cause:lock:+10%". */

enum diff_limit_kind {
	DIFF_LIMIT_TOTAL, /* "total:+5%" */
	DIFF_LIMIT_CAUSE, /* "cause:NAME:+10%" */
	DIFF_LIMIT_FRAME, /* "frame:NAME:+20%": a glob for the full name; may contain ':' */
};

#define DIFF_LIMIT_NAME_SZ 512

struct diff_limit {
	u32 kind; /* enum diff_limit_kind */
	u32 cause; /* enum cause */
	char name[DIFF_LIMIT_NAME_SZ]; /* DIFF_LIMIT_FRAME */
	double part; /* of the earlier value; negative for "-10%": the decrease that is too much */
};

/* -EINVAL with a message that quotes the error. */
int diff_limit_parse(const char *text, struct diff_limit *ret, struct err *err);

/*
 * The first item that changed by at least that much and is neither noise nor too small to be
 * tested; NULL: none did. A new item exceeds any limit. If nothing could be tested, the size of the
 * change alone decides. *ret_name is its name, *ret_matched (may be NULL) the number of matching
 * items. -ENOMEM or 0, and *ret_item.
 */
int diff_limit__find(const struct diff_limit *l, const struct diff *d,
		     const struct diff_item **ret_item, const char **ret_name, u32 *ret_matched,
		     struct err *err);

#endif

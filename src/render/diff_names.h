/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_NAMES_H
#define RENDER_DIFF_NAMES_H

#include "analysis/diff.h"
#include "analysis/label.h"
#include "analysis/symbol_key.h"
#include "base/intern.h"
#include "base/strtab.h"

/*
 * What both sides of a diff call a function, as one text: its name, with its module behind it,
 * "init [libfoo.so]", where functions of one name and kind are in more than one. So equal texts are
 * one function, as they are in the diff.
 */
struct diff_names {
	struct strtab names;
	struct intern known; /* of those */
	int error; /* -ENOMEM: a text may lack its module */
};

#define DIFF_NAME_SZ (SYMBOL_KEY_SZ + 260)

/* -ENOMEM or 0; release with diff_names__done() in either case. */
int diff_names__init(struct diff_names *n, const struct diff *d);
void diff_names__done(struct diff_names *n);
const char *diff_names__text(struct diff_names *n, const struct diff_frame *f, char *buf,
			     size_t sz);
/* Those texts as labels of the frames of a side. -ENOMEM or 0; labels__done() in either case. */
int diff_names__labels(struct diff_names *n, const struct profile *p, struct labels *l);

#endif

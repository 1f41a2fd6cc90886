/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_DIFF_NAMES_H
#define RENDER_DIFF_DIFF_NAMES_H

#include "analysis/diff/diff.h"
#include "analysis/name/label.h"
#include "analysis/diff/symbol_key.h"
#include "base/intern.h"
#include "base/strtab.h"

/*
 * The common name of a function on both sides of a diff: its name, followed by its module, "init
 * [libfoo.so]", if functions with one name and kind are in several modules. Equal texts are one
 * function, as in the diff.
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
/* Those texts as labels of one side's frames. -ENOMEM or 0; labels__done() in either case. */
int diff_names__labels(struct diff_names *n, const struct profile *p, struct labels *l);

#endif
